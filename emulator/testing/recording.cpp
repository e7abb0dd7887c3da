// Records one threadgroup. See recording.h.
#include "recording.h"

#include "../host/nearest.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace assay::testing {
namespace {

class Recorder : public Observer {
public:
  Recorder(Recording &recording, const RecordRequest &request) : recording_(recording), request_(request) {
    for (const SiteInfo &site : recording.pipeline.code().sites)
      if (site.kind == SiteKind::Probe)
        recordOf(site);
  }

  void groupBegin(const GroupEvent &group) override {
    chosen_ = std::equal(group.position, group.position + 3, request_.group.begin());
    if (!chosen_)
      return;
    seen_ = true;
    recording_.threads = group.threads[0] * group.threads[1] * group.threads[2];
    for (ProbeRecord &probe : recording_.probes)
      probe.byThread.resize(recording_.threads);
    listArrays(group);
  }

  void groupEnd(const GroupEvent &group) override {
    if (chosen_)
      snapshot(group, nullptr);
    chosen_ = false;
  }

  void barrier(const GroupEvent &group, const BarrierEvent &event) override {
    if (chosen_)
      snapshot(group, &event);
  }

  void simdOp(const GroupEvent &, const SimdEvent &event) override {
    if (!chosen_)
      return;
    SimdRecord op;
    op.site = event.site;
    op.simdgroup = event.simdgroup;
    op.activeMask = event.activeMask;
    op.lanes = std::min(kSimdWidth, recording_.threads - event.simdgroup * kSimdWidth);
    op.step = step();
    const size_t in = op.inBytes() * simdOpInfo(event.site->op).inputs, out = op.outBytes();
    if (!take(sizeof op + kSimdWidth * (in + out)))
      return;
    op.in.resize(kSimdWidth * in);
    op.out.resize(kSimdWidth * out);
    for (uint32_t lane = 0; lane < kSimdWidth; ++lane) {
      if (!(event.activeMask >> lane & 1))
        continue;
      op.operand[lane] = event.operand[lane];
      if (in && event.in[lane])
        std::memcpy(op.in.data() + lane * in, event.in[lane], in);
      if (out && event.out[lane])
        std::memcpy(op.out.data() + lane * out, event.out[lane], out);
    }
    recording_.simdOps.push_back(std::move(op));
  }

  void probe(const GroupEvent &, const ProbeEvent &event) override {
    if (!chosen_)
      return;
    ProbeRecord &record = recordOf(*event.site);
    const size_t bytes = record.bytesOfVisit();
    if (!take(bytes + sizeof(ProbeRecord::Visit) + sizeof(uint32_t)))
      return;
    record.byThread[event.threadIndex].push_back(uint32_t(record.visits.size()));
    record.visits.push_back({event.threadIndex, step()});
    const auto *value = static_cast<const uint8_t *>(event.value);
    record.values.insert(record.values.end(), value, value + bytes);
    ++probeVisits_;
  }

  Result<void> check() const {
    const auto &[x, y, z] = request_.group;
    if (full_)
      return Error::usage(
          "recording-limit",
          fmt::format("recording threadgroup ({},{},{}) takes more than {} bytes: {} snapshots of "
                      "threadgroup memory, "
                      "{} simd operations and {} visits of probes were not all",
                      x, y, z, request_.limitBytes, recording_.snapshots.size(), recording_.simdOps.size(),
                      probeVisits_),
          "use a smaller threadgroup or fewer iterations, or allow more with recordAtMost(bytes)");
    if (!seen_)
      return Error::usage(
          "recorded-threadgroup",
          fmt::format("threadgroup ({},{},{}) is to be recorded, but the grid does not have it", x, y, z),
          "choose one that exists with lookAt(x, y, z)");
    return {};
  }

private:
  uint32_t step() const { return uint32_t(recording_.snapshots.size()); }

  bool take(size_t bytes) {
    if (full_ || bytes > request_.limitBytes - taken_)
      full_ = true;
    else
      taken_ += bytes;
    return !full_;
  }

  ProbeRecord &recordOf(const SiteInfo &site) {
    for (ProbeRecord &record : recording_.probes)
      if (record.name == site.name && record.type == site.type && record.count == site.count)
        return record;
    recording_.probes.push_back({site.name, site.type, site.count, site.where, {}, {}, {}});
    return recording_.probes.back();
  }

  void snapshot(const GroupEvent &group, const BarrierEvent *barrier) {
    if (!take(group.arena.size() + recording_.threads * sizeof(void *)))
      return;
    SnapshotRecord record;
    record.arena.assign(group.arena.begin(), group.arena.end());
    record.sites.resize(recording_.threads);
    if (barrier)
      std::copy_n(barrier->sites, recording_.threads, record.sites.begin());
    recording_.snapshots.push_back(std::move(record));
  }

  void listArrays(const GroupEvent &group) {
    for (const ThreadgroupVariable &variable : recording_.pipeline.code().threadgroupVariables)
      recording_.arrays.push_back({variable.name, variable.fullName, variable.offset, variable.bytes});
    for (const ArgumentInfo &argument : recording_.pipeline.activeArguments())
      if (argument.kind == ArgumentKind::ThreadgroupMemory)
        recording_.arrays.push_back({argument.name, argument.name,
                                     group.dispatch->threadgroupOffset[argument.index],
                                     group.dispatch->threadgroupBytes[argument.index]});
  }

  Recording &recording_;
  const RecordRequest &request_;
  bool chosen_ = false, seen_ = false, full_ = false;
  uint64_t taken_ = 0, probeVisits_ = 0;
};

} // namespace

std::string metalTypeName(ScalarType type, uint32_t count) {
  return fmt::format("{}{}", scalarTypeInfo(type).metalName, count == 1 ? "" : std::to_string(count));
}

size_t SimdRecord::inBytes() const {
  return size_t(site->count) * scalarTypeInfo(site->type).bytes;
}

size_t SimdRecord::outBytes() const {
  switch (simdOpInfo(site->op).result) {
  case SimdResult::None: return 0;
  case SimdResult::Mask: return sizeof(uint64_t);
  case SimdResult::Value: return inBytes();
  }
  return 0;
}

Result<const ProbeRecord *> Recording::findProbe(std::string_view name, ScalarType type,
                                                 uint32_t count) const {
  std::string types;
  for (const ProbeRecord &probe : probes) {
    if (probe.name != name)
      continue;
    if (probe.type == type && probe.count == count)
      return &probe;
    types += fmt::format("{}{}", types.empty() ? "" : " and ", metalTypeName(probe.type, probe.count));
  }
  if (!types.empty())
    return Error::usage(
        "probe-type",
        fmt::format("probe '{}' is of type {}, asked for as {}", name, types, metalTypeName(type, count)),
        "give the type: probe<T>(name), with Half, Bfloat and Vec<T, N>");
  if (std::count(expectedProbes.begin(), expectedProbes.end(), name))
    return static_cast<const ProbeRecord *>(nullptr);
  std::vector<std::string> names = expectedProbes;
  for (const ProbeRecord &probe : probes)
    names.push_back(probe.name);
  return Error::usage("unknown-probe", fmt::format("kernel {} has no probe '{}'", pipeline.label(), name),
                      nearestHint(name, names, "probes"));
}

Result<const ThreadgroupArray *> Recording::findArray(std::string_view name) const {
  std::vector<const ThreadgroupArray *> found;
  std::string all, same;
  for (const ThreadgroupArray &array : arrays) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", array.fullName);
    if (array.fullName == name)
      return &array;
    if (array.name == name) {
      found.push_back(&array);
      same += fmt::format("{}{}", same.empty() ? "" : ", ", array.fullName);
    }
  }
  if (found.size() == 1)
    return found.front();
  if (found.empty())
    return Error::usage("unknown-threadgroup-variable",
                        fmt::format("kernel {} has no threadgroup memory '{}'", pipeline.label(), name),
                        all.empty() ? "it has none that its code uses" : "it has: " + all);
  return Error::usage(
      "ambiguous-threadgroup-variable",
      fmt::format("kernel {} has {} threadgroup variables '{}'", pipeline.label(), found.size(), name),
      "they are: " + same);
}

Result<std::shared_ptr<const Recording>> record(KernelSetup &kernel, const RecordRequest &request) {
  const Result<ComputePipeline> pipeline = kernel.pipeline();
  if (!pipeline)
    return pipeline.error();
  auto recording = std::make_shared<Recording>();
  recording->pipeline = *pipeline;
  for (const SourceProbe &probe : kernel.probes())
    recording->expectedProbes.push_back(probe.name);
  Recorder recorder(*recording, request);
  DispatchOptions options = request.options;
  options.observer = &recorder;
  Result<DispatchReport> report = kernel.dispatch(request.size, options);
  if (!report)
    return report.error();
  if (Result<void> complete = recorder.check(); !complete)
    return complete.error();
  recording->report = *report;
  for (const auto &[index, buffer] : kernel.buffers()) {
    const std::span<const uint8_t> bytes = buffer.as<uint8_t>();
    recording->buffers[index].assign(bytes.begin(), bytes.end());
  }
  return std::shared_ptr<const Recording>(std::move(recording));
}

} // namespace assay::testing
