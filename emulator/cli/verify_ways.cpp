// See verify_ways.h.
#include "verify_ways.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {

std::vector<Way> waysOf(const NumericsProfile &profile, uint32_t schedules, uint64_t threads) {
  Way same;
  same.numerics = profile;
  std::vector<Way> ways{same};
  const auto add = [&](WaySubject subject, std::string name, auto change) {
    Way way = same;
    way.subject = subject;
    way.name = std::move(name);
    change(way);
    ways.push_back(std::move(way));
  };
  add(WaySubject::Engine, "fiber", [](Way &way) { way.engine = Engine::Fiber; });
  if (threads <= kMostReferenceThreads)
    add(WaySubject::Engine, "reference", [](Way &way) { way.engine = Engine::Reference; });
  // Vectors are in lockstep anyway: only fibers can be without.
  add(WaySubject::Lockstep, "on", [](Way &way) {
    way.engine = Engine::Fiber;
    way.lockstep = true;
  });
  add(WaySubject::Schedule, "parallel", [](Way &way) { way.schedule = {ScheduleKind::Parallel, 0}; });
  for (uint32_t seed = 1; seed <= schedules; ++seed)
    add(WaySubject::Schedule, scheduleText(ScheduleKind::Shuffle, seed),
        [&](Way &way) { way.schedule = {ScheduleKind::Shuffle, seed}; });
  for (const NumericsField &field : numericsFields())
    for (size_t value = 0; value < field.values.size(); ++value)
      if (value != field.get(profile))
        add(WaySubject::Numerics, fmt::format("{}={}", field.name, field.values[value].text), [&](Way &way) {
          field.set(way.numerics, uint8_t(value));
          way.field = &field;
        });
  return ways;
}

RepeatedDispatch::RepeatedDispatch(const RunArguments &arguments, const Device &device)
    : arguments_(arguments), device_(device) {}

Result<RepeatedDispatch::Outcome> RepeatedDispatch::run(const Way &way, const CheckRules &checks) {
  Result<RunPlan> plan = makePlan(arguments_, device_);
  if (!plan)
    return plan.error();
  plan->numerics.profile = way.numerics;
  plan->engine = way.engine;
  plan->dispatch.schedule = way.schedule;
  plan->dispatch.checks = checks;
  const bool checked = checks.needMemory() || checks.needValues();
  if (!pipeline_ || !(pipelineOf_->numerics == way.numerics) || pipelineOf_->engine != way.engine ||
      pipelineOf_->lockstep != way.lockstep || checked_ != checked) {
    KernelRequest request = requestOf(arguments_, *plan);
    request.pipeline.lockstep = way.lockstep;
    const Result<Library> library = libraries_.compile(device_, request);
    if (!library)
      return library.error();
    const Result<BuiltKernel> built = buildKernel(device_, *library, arguments_, *plan, request);
    if (!built)
      return built.error();
    pipeline_ = built->pipeline;
    pipelineOf_ = way;
    checked_ = checked;
  }
  Result<Bindings> bindings = bindingsOf(*plan, device_, *pipeline_);
  if (!bindings)
    return bindings.error();
  Result<DispatchReport> done = launch(device_, *pipeline_, *bindings, plan->size, plan->dispatch);
  if (!done)
    return done.error();
  Outcome outcome;
  outcome.report = std::move(*done);
  for (const WrittenBuffer &written : writtenBuffers(plan->buffers, *pipeline_)) {
    if (written.binding->holdsAddresses)
      continue; // addresses are new each time
    const Buffer &buffer = written.binding->buffer;
    outcome.written.push_back(
        {written.index ? fmt::format("buffer {} {}", *written.index, written.name) : "buffer " + written.name,
         written.type, SparseCopy(buffer.contents(), buffer.length())});
  }
  for (const WrittenTexture &written : writtenTextures(plan->textures))
    for (uint64_t level = 0; level < written.planned->texture.mipmapLevelCount(); ++level) {
      const TextureArray array = textureArray(written.planned->texture, level);
      outcome.written.push_back(
          {fmt::format("texture {}{}", written.name, level ? fmt::format(" level {}", level) : ""),
           array.type, SparseCopy(array.bytes.data(), array.bytes.size())});
    }
  return outcome;
}

namespace {

// As compare::compare of both contents. The parts in which the copies may differ hold whole elements; outside
// of them all elements are alike.
compare::Comparison compareCopies(const SparseCopy &a, const SparseCopy &b, ScalarType type,
                                  const compare::Tolerance &tolerance) {
  const uint64_t size = scalarTypeInfo(type).bytes;
  compare::Comparer comparer(type, tolerance);
  const auto bytesOf = [](const SparseCopy &copy, uint64_t at, uint64_t bytes) {
    std::string part(bytes, '\0');
    copy.read(at, part.data(), bytes);
    return part;
  };
  uint64_t at = 0;
  const auto skipTo = [&](uint64_t next) {
    if (at < next)
      comparer.addAlike({bytesOf(a, at, size), {}}, {bytesOf(b, at, size), {}}, (next - at) / size);
    at = next;
  };
  for (const ByteRange &part : a.mayDiffer(b)) {
    skipTo(part.begin);
    comparer.add({bytesOf(a, at, part.size()), {}}, {bytesOf(b, at, part.size()), {}});
    at = part.end;
  }
  skipTo(a.size());
  return comparer.result();
}

} // namespace

std::vector<ResultDifference> differences(const std::vector<WrittenResult> &baseline,
                                          const std::vector<WrittenResult> &other) {
  std::vector<ResultDifference> found;
  compare::Tolerance bits;
  bits.nan = compare::NanPolicy::Bits;
  for (size_t i = 0; i < baseline.size() && i < other.size(); ++i) {
    const SparseCopy &one = baseline[i].contents, &two = other[i].contents;
    if (!one.firstDifference(two))
      continue;
    // If the bytes of a buffer are not a whole number of elements, bytes are compared.
    const bool whole = one.size() % scalarTypeInfo(baseline[i].type).bytes == 0;
    const ScalarType type = whole ? baseline[i].type : ScalarType::UChar;
    found.push_back({baseline[i].name, compareCopies(one, two, type, bits)});
  }
  return found;
}

namespace {

bool hasUlps(const compare::Comparison &comparison) {
  return scalarTypeInfo(comparison.type).cls == ScalarClass::Float && comparison.worst &&
         comparison.worst->ulps != kNoUlps;
}

} // namespace

std::string differenceText(const ResultDifference &difference) {
  const compare::Comparison &comparison = difference.comparison;
  std::string text =
      fmt::format("{}: {} of {} values differ", difference.name, comparison.different, comparison.count);
  if (hasUlps(comparison))
    text +=
        fmt::format(", by up to {} ulp{}", comparison.worst->ulps, comparison.worst->ulps == 1 ? "" : "s");
  return text + fmt::format(", the first at [{}]", comparison.first->index);
}

std::optional<uint64_t> mostUlps(const std::vector<ResultDifference> &differences) {
  uint64_t most = 0;
  for (const ResultDifference &difference : differences) {
    if (!hasUlps(difference.comparison))
      return std::nullopt;
    most = std::max(most, difference.comparison.worst->ulps);
  }
  return most;
}

} // namespace assay::cli
