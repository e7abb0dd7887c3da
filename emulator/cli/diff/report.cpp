#include "report.h"

#include "../scalar_text.h"

#include "../../host/numerics_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::cli::diff {
using compare::Difference;

std::string valueText(uint64_t bits, ScalarType type, bool unwritten) {
  if (unwritten)
    return "unwritten";
  const int digits = scalarTypeInfo(type).bytes * 2;
  return fmt::format("{} (0x{:0{}x})", formatScalar(&bits, type), bits, digits);
}

std::string distanceText(const Difference &d, ScalarType type) {
  if (d.unwrittenA || d.unwrittenB)
    return "";
  const bool isFloat = scalarTypeInfo(type).cls == ScalarClass::Float;
  if (isFloat && d.ulps == kNoUlps)
    return ": NaN against a number";
  if (!isFloat)
    return fmt::format(": {} apart", d.ulps);
  return fmt::format(": {} ulp{}{}", d.ulps, d.ulps == 1 ? "" : "s",
                     std::isfinite(d.absolute) ? fmt::format(", {:.3g} apart", d.absolute) : "");
}

std::string tripleText(const uint32_t (&v)[3]) {
  return fmt::format("({},{},{})", v[0], v[1], v[2]);
}

namespace {

using compare::Comparison;

constexpr const char *kFirst = "first", *kWorst = "worst", *kWorstAbsolute = "worstAbsolute",
                     *kWorstRelative = "worstRelative";

std::string stepText(const Step &step) {
  return fmt::format("{} ({}), {}", step.kernel, step.file, sizeText(step.size));
}

std::string sideText(const PlannedSide &side) {
  if (!side.call)
    return side.recording.empty() ? "recorded" : side.recording + ", recorded";
  std::string text = stepText(side.call->step(0));
  for (size_t i = 1; i < side.call->stepCount(); ++i)
    text += "; then " + stepText(side.call->step(i));
  return text;
}

std::string sizesText(const Plan &plan) {
  std::string text;
  for (const auto &[name, value] : plan.sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

// [q=3,k=1]; without names [3,1].
std::string placeText(const LogicalOutput &output, uint64_t index) {
  const std::vector<uint64_t> at = coordinates(output.shape, index);
  std::string text;
  for (size_t axis = 0; axis < at.size(); ++axis) {
    const bool named = output.axes[axis] != fmt::format("i{}", axis);
    text += fmt::format("{}{}{}", axis ? "," : "", named ? output.axes[axis] + "=" : "", at[axis]);
  }
  return "[" + text + "]";
}

std::string writerText(const Writer &writer) {
  const char *verb = writer.access == AccessKind::Atomic ? "last changed atomically" : "written";
  std::string text = fmt::format("{} by {}thread {} of the grid, threadgroup {}, simdgroup {}, lane {}", verb,
                                 writer.ofSeveral ? fmt::format("dispatch {}, ", writer.dispatch + 1) : "",
                                 tripleText(writer.thread), tripleText(writer.threadgroup),
                                 writer.simdgroup(), writer.lane());
  if (writer.where.known())
    text += fmt::format(" at {}:{}:{}", writer.where.file, writer.where.line, writer.where.column);
  if (writer.threads > 1)
    text += fmt::format("; the last of {} stores by more than one thread", writer.stores);
  else if (writer.stores > 1)
    text += fmt::format("; its last of {} stores", writer.stores);
  return text;
}

std::string rangeText(size_t bucket) {
  const compare::UlpRange range = compare::ulpRange(bucket);
  return range.first == range.last ? fmt::format("{}", range.first)
                                   : fmt::format("{}-{}", range.first, range.last);
}

std::string histogramText(const Comparison &c) {
  std::string text;
  for (size_t bucket = 0; bucket < c.ulps.size(); ++bucket)
    if (c.ulps[bucket])
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", rangeText(bucket), c.ulps[bucket]);
  if (c.nanAgainstNumber)
    text += fmt::format("{}NaN against a number: {}", text.empty() ? "" : ", ", c.nanAgainstNumber);
  return text;
}

std::string toleranceText(const compare::Tolerance &t) {
  std::string text;
  if (t.ulps)
    text += fmt::format("{} ulps", *t.ulps);
  if (t.absolute != 0 || t.relative != 0) {
    text += text.empty() ? "" : " or ";
    text += t.relative == 0 ? fmt::format("{}", t.absolute)
                            : fmt::format("{} + {} * |B|", t.absolute, t.relative);
  }
  return text;
}

std::string countsText(const Comparison &c) {
  std::string text = fmt::format("{} elements, {} with equal bits", c.count, c.equalBits);
  if (c.close)
    text += fmt::format(", {} within the tolerance", c.close);
  text += fmt::format(", {} different", c.different);
  if (c.unwrittenOnBoth)
    text += fmt::format(", {} written by neither", c.unwrittenOnBoth);
  return text;
}

void reportDifference(Output &out, const char *label, const OutputDiff &diff, const Difference &d,
                      const Writer (&writers)[2]) {
  out.text(fmt::format("  {:<7} {}: A {}, B {}{}", label, placeText(diff.output, d.index),
                       valueText(d.a, diff.comparison.type, d.unwrittenA),
                       valueText(d.b, diff.comparison.type, d.unwrittenB),
                       distanceText(d, diff.comparison.type)));
  for (int side = 0; side < 2; ++side)
    if (writers[side].known())
      out.text(fmt::format("          {} {}{}", side ? "B" : "A", diff.folded ? "first element " : "",
                           writerText(writers[side])));
}

Json differenceJson(const OutputDiff &diff, const Difference &d, const Writer (&writers)[2]) {
  const auto value = [&](uint64_t bits, bool unwritten) {
    return Json{{"value", unwritten ? Json() : jsonScalar(&bits, diff.comparison.type)},
                {"bits", fmt::format("0x{:0{}x}", bits, scalarTypeInfo(diff.comparison.type).bytes * 2)},
                {"unwritten", unwritten}};
  };
  Json json = {{"index", d.index}, {"place", coordinates(diff.output.shape, d.index)}};
  json["a"] = value(d.a, d.unwrittenA);
  json["b"] = value(d.b, d.unwrittenB);
  json["ulps"] = d.ulps == kNoUlps && scalarTypeInfo(diff.comparison.type).cls == ScalarClass::Float
                     ? Json()
                     : Json(d.ulps);
  json["absolute"] = std::isfinite(d.absolute) ? Json(d.absolute) : Json();
  json["relative"] = std::isfinite(d.relative) ? Json(d.relative) : Json();
  for (int side = 0; side < 2; ++side) {
    if (!writers[side].known())
      continue;
    const Writer &w = writers[side];
    json[side ? "b" : "a"]["writer"] = {{"dispatch", w.dispatch},
                                        {"threadPositionInGrid", w.thread},
                                        {"threadgroupPositionInGrid", w.threadgroup},
                                        {"simdgroup", w.simdgroup()},
                                        {"lane", w.lane()},
                                        {"atomic", w.access == AccessKind::Atomic},
                                        {"stores", w.stores},
                                        {"oneThread", w.threads == 1},
                                        {"where", toJson(w.where)}};
  }
  return json;
}

Json outputJson(const OutputDiff &diff) {
  const Comparison &c = diff.comparison;
  Json histogram = Json::array();
  for (size_t bucket = 0; bucket < c.ulps.size(); ++bucket)
    if (c.ulps[bucket]) {
      const compare::UlpRange range = compare::ulpRange(bucket);
      histogram.push_back({{"from", range.first}, {"to", range.last}, {"count", c.ulps[bucket]}});
    }
  Json json = {{"name", diff.output.name},
               {"axes", diff.output.axes},
               {"shape", diff.output.shape},
               {"type", scalarTypeInfo(c.type).shortName},
               {"typeA", scalarTypeInfo(diff.sideTypes[0]).shortName},
               {"typeB", scalarTypeInfo(diff.sideTypes[1]).shortName},
               {"equal", c.equal()},
               {"elements", c.count},
               {"equalBits", c.equalBits},
               {"close", c.close},
               {"different", c.different},
               {"unwrittenOnBoth", c.unwrittenOnBoth},
               {"unwrittenA", c.unwrittenA},
               {"unwrittenB", c.unwrittenB},
               {"nansA", c.nansA},
               {"nansB", c.nansB},
               {"nanAgainstNumber", c.nanAgainstNumber},
               {"largestAbsolute", c.largestAbsolute},
               {"largestRelative", c.largestRelative},
               {"ulpHistogram", std::move(histogram)}};
  for (const char *key : {kFirst, kWorst, kWorstAbsolute, kWorstRelative})
    json[key] = Json();
  for (const OutputDiff::Noted &noted : diff.noted)
    json[noted.key] = differenceJson(diff, noted.difference, noted.writers);
  return json;
}

void reportOutput(Output &out, const OutputDiff &diff) {
  const Comparison &c = diff.comparison;
  const auto name = [](ScalarType type) { return scalarTypeInfo(type).shortName; };
  std::string types;
  if (diff.sideTypes[0] != c.type || diff.sideTypes[1] != c.type)
    types = fmt::format(" (A {}, B {})", name(diff.sideTypes[0]), name(diff.sideTypes[1]));
  out.text(fmt::format("output    {} {}{}{}: {}", diff.output.name, name(c.type),
                       shapeText(diff.output.shape), types, countsText(c)));
  if (const std::string tolerance = toleranceText(diff.output.tolerance); !tolerance.empty())
    out.text(fmt::format("  allowed {}", tolerance));
  if (const std::string histogram = histogramText(c); !histogram.empty())
    out.text(fmt::format("  ulps    {}; largest distance {:.3g}, relative {:.3g}", histogram,
                         c.largestAbsolute, c.largestRelative));
  if (c.nansA || c.nansB)
    out.text(fmt::format("  NaNs    A {}, B {}", c.nansA, c.nansB));
  if (c.unwrittenA || c.unwrittenB)
    out.text(fmt::format("  never written: A {}, B {}", c.unwrittenA, c.unwrittenB));
  std::vector<uint64_t> told; // an element once, under its first label
  for (const OutputDiff::Noted &noted : diff.noted) {
    if (std::find(told.begin(), told.end(), noted.difference.index) != told.end())
      continue;
    told.push_back(noted.difference.index);
    reportDifference(out, noted.label, diff, noted.difference, noted.writers);
  }
}

} // namespace

void OutputDiff::note() {
  const auto add = [&](const char *label, const char *key, const std::optional<Difference> &difference) {
    if (difference)
      noted.push_back({label, key, *difference});
  };
  add("first", kFirst, comparison.first);
  add("worst", kWorst, comparison.worst);
  add("abs", kWorstAbsolute, comparison.worstAbsolute);
  add("rel", kWorstRelative, comparison.worstRelative);
}

bool Found::equal() const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputDiff &diff) { return diff.comparison.equal(); });
}

std::string verdictText(const Found &found) {
  uint64_t different = 0, elements = 0, differing = 0, inexact = 0, unwritten = 0;
  for (const OutputDiff &diff : found.outputs) {
    elements += diff.comparison.count;
    different += diff.comparison.different;
    differing += !diff.comparison.equal();
    inexact += diff.comparison.close;
    unwritten += diff.comparison.unwrittenOnBoth;
  }
  std::string text;
  if (different)
    text = fmt::format("different: {} of {} elements, in {} of {} outputs", different, elements, differing,
                       found.outputs.size());
  else if (inexact)
    text = fmt::format("equal within the tolerance: {} of {} elements do not have equal bits", inexact,
                       elements);
  else
    text = fmt::format("equal bits: {} elements", elements - unwritten);
  if (unwritten)
    text += fmt::format("; {} written by neither side", unwritten);
  return text;
}

void report(Output &out, const DiffArguments &arguments, const Plan &plan, const Found &found) {
  Json &json = out.document();
  json["equal"] = found.equal();
  json["verdict"] = verdictText(found);
  json["mapping"] = plan.mapped ? Json(arguments.mapping) : Json();
  Json sizes = Json::object();
  for (const auto &[name, value] : plan.sizes)
    sizes[name] = value == std::floor(value) && std::abs(value) < 1e15 ? Json(int64_t(value)) : Json(value);
  json["sizes"] = std::move(sizes);
  Json generated = Json::array(), sides = Json::object();
  for (const std::string &text : plan.generated)
    generated.push_back(text);
  json["generated"] = std::move(generated);
  for (const PlannedSide &side : plan.sides) {
    out.text(fmt::format("{}         {}", side.name, sideText(side)));
    Json one = Json::object();
    if (side.call) {
      one["file"] = side.call->step(0).file;
      one["kernel"] = side.call->step(0).kernel;
      for (size_t i = 0; i < side.call->steps.size(); ++i)
        one["steps"].push_back({{"file", side.call->step(i).file}, {"kernel", side.call->step(i).kernel}});
      one["numerics"] = numericsText(side.call->numerics.profile);
    } else if (!side.recording.empty()) {
      one["file"] = side.recording;
    }
    Json roundings = Json::array();
    for (const Rounding &rounding : side.roundings)
      roundings.push_back({{"input", rounding.input},
                           {"type", scalarTypeInfo(rounding.type).shortName},
                           {"rounded", rounding.rounded},
                           {"elements", rounding.elements}});
    one["rounded"] = std::move(roundings);
    sides[side.name] = std::move(one);
  }
  json["sides"] = std::move(sides);
  if (plan.mapped)
    out.text(
        fmt::format("mapping   {}{}{}", arguments.mapping, plan.sizes.empty() ? "" : ": ", sizesText(plan)));
  const auto numerics = [](const PlannedSide &side) {
    return side.call ? fmt::format("{}, math mode {}", numericsText(side.call->numerics.profile),
                                   nameOf(side.call->numerics.mathMode))
                     : std::string();
  };
  const std::string a = numerics(plan.sides[0]), b = numerics(plan.sides[1]);
  if (a.empty() || b.empty() || a == b)
    out.text(fmt::format("numerics  {}", a.empty() ? b : a));
  else
    out.text(fmt::format("numerics  A {}; B {}", a, b));
  for (const std::string &text : plan.generated)
    out.text(fmt::format("made up   --buffer {}", text));
  for (const PlannedSide &side : plan.sides)
    for (const Rounding &rounding : side.roundings)
      out.text(fmt::format(
          "rounded   {} of {} values of '{}' are not those of the tensor: {} does not have them ({})",
          rounding.rounded, rounding.elements, rounding.input, scalarTypeInfo(rounding.type).shortName,
          side.name));
  json["outputs"] = Json::array();
  for (const OutputDiff &diff : found.outputs) {
    reportOutput(out, diff);
    json["outputs"].push_back(outputJson(diff));
  }
}

std::string picture(const DiffArguments &arguments, const Plan &plan, const Found &found) {
  std::vector<std::string> facts;
  for (const PlannedSide &side : plan.sides)
    facts.push_back(fmt::format("{}: {}", side.name, sideText(side)));
  if (plan.mapped)
    facts.push_back(fmt::format("{}: {}", arguments.mapping, sizesText(plan)));
  facts.push_back(verdictText(found));
  std::vector<compare::PictureOutput> outputs;
  for (const OutputDiff &diff : found.outputs)
    outputs.push_back({diff.output.name + " " + shapeText(diff.output.shape), diff.output.axes,
                       diff.map.value(), countsText(diff.comparison)});
  return compare::htmlPicture("assay diff", facts, outputs);
}

} // namespace assay::cli::diff
