// See trace_report.h.
#include "trace_report.h"

#include "report.h"

#include "../scalar_text.h"

#include <cmath>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

// "2 (0x40000000)", or "(1, 2) (0x3f800000, 0x40000000)".
std::string madeText(const ProbedValue &value) {
  if (value.count == 1)
    return valueText(value.bits[0], value.type, false);
  std::string numbers, bits;
  for (uint32_t i = 0; i < value.count; ++i) {
    numbers += fmt::format("{}{}", i ? ", " : "", formatScalar(&value.bits[i], value.type));
    bits += fmt::format("{}0x{:0{}x}", i ? ", " : "", value.bits[i], scalarTypeInfo(value.type).bytes * 2);
  }
  return fmt::format("({}) ({})", numbers, bits);
}

std::string visitText(const TraceVisit &visit) {
  return fmt::format("{}thread {} of the grid, threadgroup {}, simdgroup {}, lane {}, visit {}",
                     visit.ofSeveral ? fmt::format("dispatch {}, ", visit.dispatch + 1) : "",
                     tripleText(visit.thread), tripleText(visit.threadgroup), visit.threadIndex / kSimdWidth,
                     visit.threadIndex % kSimdWidth, visit.number + 1);
}

std::string placeText(const SourcePlace &where) {
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

Json valueJson(const ProbedValue &value) {
  Json values = Json::array(), bits = Json::array();
  for (uint32_t i = 0; i < value.count; ++i) {
    values.push_back(jsonScalar(&value.bits[i], value.type));
    bits.push_back(fmt::format("0x{:0{}x}", value.bits[i], scalarTypeInfo(value.type).bytes * 2));
  }
  return {{"type", scalarTypeInfo(value.type).shortName},
          {"values", std::move(values)},
          {"bits", std::move(bits)}};
}

Json visitJson(const TraceVisit &visit) {
  Json json = {{"where", toJson(visit.where)},
               {"statement", visit.statement},
               {"expression", visit.value},
               {"dispatch", visit.dispatch},
               {"threadPositionInGrid", visit.thread},
               {"threadgroupPositionInGrid", visit.threadgroup},
               {"simdgroup", visit.threadIndex / kSimdWidth},
               {"lane", visit.threadIndex % kSimdWidth},
               {"visit", visit.number}};
  json["value"] = valueJson(visit.made);
  return json;
}

void reportValue(Output &out, const ValueParting &parting, Json &json) {
  const TraceVisit &a = parting.visit[0], &b = parting.visit[1];
  const std::string element =
      a.made.count > 1 ? fmt::format(", element {}", parting.difference.index) : std::string();
  const std::string name = a.value == b.value ? a.value : fmt::format("{} and {}", a.value, b.value);
  out.text(fmt::format("  parts   {}{}{}", name, element, distanceText(parting.difference, parting.type)));
  for (int i = 0; i < 2; ++i) {
    const TraceVisit &visit = parting.visit[i];
    out.text(fmt::format("          {} {} at {}: {}", i ? "B" : "A", madeText(visit.made),
                         placeText(visit.where), visit.statement));
    out.text(fmt::format("            by {}", visitText(visit)));
  }
  const bool hasUlps =
      scalarTypeInfo(parting.type).cls != ScalarClass::Float || parting.difference.ulps != kNoUlps;
  json["value"] = {
      {"a", visitJson(a)},
      {"b", visitJson(b)},
      {"element", parting.difference.index},
      {"type", scalarTypeInfo(parting.type).shortName},
      {"ulps", hasUlps ? Json(parting.difference.ulps) : Json()},
      {"absolute", std::isfinite(parting.difference.absolute) ? Json(parting.difference.absolute) : Json()}};
}

void reportFlow(Output &out, const FlowParting &flow, Json &json) {
  const char *side = flow.side ? "B" : "A", *other = flow.side ? "A" : "B";
  out.text(fmt::format("  flow    only {} has this visit, at {}: {}", side, placeText(flow.visit.where),
                       flow.visit.statement));
  out.text(fmt::format("            by {}", visitText(flow.visit)));
  out.text(fmt::format("          {} comes to {} {} time{}", other, placeText(flow.partner), flow.otherVisits,
                       flow.otherVisits == 1 ? "" : "s"));
  json["flow"] = {{"side", side},
                  {"visit", visitJson(flow.visit)},
                  {"partner", toJson(flow.partner)},
                  {"otherVisits", flow.otherVisits}};
}

} // namespace

void reportTrace(Output &out, const Traced &traced) {
  std::string line = "trace     ";
  for (int i = 0; i < 2; ++i) {
    const TraceSideCounts &side = traced.sides[i];
    line += fmt::format("{} {} statements", i ? ", B" : "A", side.statements);
    if (side.unpaired)
      line += fmt::format(" ({} without a partner)", side.unpaired);
  }
  out.text(fmt::format("{}: {} values compared, {} different", line, traced.compared, traced.different));
  std::string names;
  for (const auto &[a, b] : traced.names)
    names += fmt::format("{}{} = {}", names.empty() ? "" : ", ", a, b);
  if (!names.empty())
    out.text(fmt::format("  names   {}", names));
  for (int i = 0; i < 2; ++i) {
    if (const TraceSideCounts &side = traced.sides[i]; side.untraced)
      out.text(fmt::format("  {} of the {} dispatches of {} {} not traced: {} has only {}", side.untraced,
                           side.dispatches, i ? "B" : "A", side.untraced == 1 ? "is" : "are", i ? "A" : "B",
                           side.dispatches - side.untraced));
    if (traced.sides[i].dropped)
      out.text(fmt::format("  {} statements of {} have no probe, since one does not compile there",
                           traced.sides[i].dropped, i ? "B" : "A"));
    if (!traced.sides[i].sameBits)
      out.text(fmt::format(
          "  {} gave different bits in the run with probes: what follows is of that run. A kernel "
          "whose lanes race does so",
          i ? "B" : "A"));
  }
  if (traced.otherCount)
    out.text(fmt::format("  {} values were not compared: they have other numbers of elements on both sides",
                         traced.otherCount));
  if (traced.onlyOneSide)
    out.text(fmt::format("  {} visits of statements are of one side alone", traced.onlyOneSide));
  Json json = {{"pairs", traced.pairs},
               {"compared", traced.compared},
               {"different", traced.different},
               {"onlyOneSide", traced.onlyOneSide},
               {"otherCount", traced.otherCount},
               {"first", traced.flowFirst ? Json("flow")
                         : traced.value   ? Json("value")
                                          : Json()},
               {"value", Json()},
               {"flow", Json()}};
  json["names"] = Json::array();
  for (const auto &[a, b] : traced.names)
    json["names"].push_back({{"a", a}, {"b", b}});
  for (int i = 0; i < 2; ++i) {
    const TraceSideCounts &side = traced.sides[i];
    json[i ? "b" : "a"] = {{"statements", side.statements},
                           {"unpaired", side.unpaired},
                           {"dropped", side.dropped},
                           {"untracedDispatches", side.untraced},
                           {"sameBits", side.sameBits}};
  }
  if (traced.flow && traced.flowFirst)
    reportFlow(out, *traced.flow, json);
  if (traced.value)
    reportValue(out, *traced.value, json);
  if (traced.flow && !traced.flowFirst)
    reportFlow(out, *traced.flow, json);
  if (!traced.value && !traced.flow)
    out.text("  every value that was compared is equal");
  out.document()["trace"] = std::move(json);
}

} // namespace assay::cli::diff
