// A recorded run for inspection: probes, simd operations, threadgroup memory at barriers, step by step. The
// classes are views of a Recording that they share; each view keeps it alive.
//
// A request that the recording cannot answer (a name, a type, a number out of range) fails the test at the
// line of the request.
#pragma once

#include "failure.h"
#include "lane_values.h"
#include "recording.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace assay::testing {

using SharedRecording = std::shared_ptr<const Recording>;

namespace detail {
inline void checkIndex(const char *what, size_t index, size_t count, const Where &where) {
  if (index >= count)
    failTest("there is no " + std::string(what) + " " + std::to_string(index) + ", there are " +
                 std::to_string(count),
             where);
}
} // namespace detail

/// The visits of a probe, as values of type T. A lane may visit it any number of times.
template <class T> class ProbeValues {
public:
  ProbeValues(SharedRecording recording, const ProbeRecord *record, uint32_t firstLane, uint32_t lanes,
              int64_t step)
      : recording_(std::move(recording)), record_(record), firstLane_(firstLane), lanes_(lanes), step_(step) {
  }

  uint32_t size() const { return lanes_; } ///< all lanes, with or without visits

  /// All values of one lane, in the order of its visits.
  std::vector<T> lane(uint32_t lane, Where where = Where::current()) const {
    detail::checkIndex("lane", lane, lanes_, where);
    std::vector<T> values;
    if (record_)
      for (const uint32_t visit : record_->byThread[firstLane_ + lane])
        if (step_ < 0 || record_->visits[visit].step == step_)
          values.push_back(fromBytes<T>(record_->values.data() + visit * record_->bytesOfVisit()));
    return values;
  }
  /// Each lane's value at its n-th visit, from 0.
  LaneValues<T> visit(size_t n) const {
    std::vector<std::optional<T>> values(lanes_);
    for (uint32_t i = 0; i < lanes_; ++i)
      if (const std::vector<T> all = lane(i); n < all.size())
        values[i] = all[n];
    return LaneValues<T>(std::move(values));
  }
  /// The largest number of visits of a lane.
  size_t visits() const {
    size_t most = 0;
    for (uint32_t i = 0; i < lanes_; ++i)
      most = std::max(most, lane(i).size());
    return most;
  }
  ProbeValues simdgroup(uint32_t index, Where where = Where::current()) const {
    detail::checkIndex("simdgroup", index, (lanes_ + kSimdWidth - 1) / kSimdWidth, where);
    const uint32_t first = index * kSimdWidth;
    return {recording_, record_, firstLane_ + first, std::min(kSimdWidth, lanes_ - first), step_};
  }
  std::vector<uint32_t> lanes() const { return visit(0).lanes(); }   ///< with a visit
  std::vector<uint32_t> absent() const { return visit(0).absent(); } ///< without one

  friend void PrintTo(const ProbeValues &values, std::ostream *os) {
    *os << values.lanes().size() << " of " << values.size() << " lanes, up to " << values.visits()
        << " visits";
  }

private:
  SharedRecording recording_;
  const ProbeRecord *record_; ///< null: no visits
  uint32_t firstLane_, lanes_;
  int64_t step_; ///< negative: all
};

/// One execution of a simd operation by the active lanes of one simdgroup.
class SimdVisit {
public:
  SimdVisit(SharedRecording recording, const SimdRecord *record)
      : recording_(std::move(recording)), record_(record) {}

  std::string_view name() const { return simdOpInfo(record_->site->op).text; } ///< "simd_sum"
  const SourcePlace &place() const { return record_->site->where; }
  uint32_t line() const { return place().line; }
  uint32_t simdgroup() const { return record_->simdgroup; }
  uint32_t step() const { return record_->step; }
  uint32_t activeMask() const { return record_->activeMask; } ///< bit i: lane i takes part
  std::vector<uint32_t> active() const { return lanesOf(record_->activeMask); }

  /// Inputs of the active lanes. input: 0, or also 1 and 2 if the operation takes more (simd_ops.def)
  template <class T> LaneValues<T> in(uint32_t input = 0, Where where = Where::current()) const {
    const uint32_t inputs = simdOpInfo(record_->site->op).inputs;
    detail::checkIndex("input", input, inputs, where);
    checkType<T>(where);
    return values<T>(record_->in, record_->inBytes() * inputs, record_->inBytes() * input);
  }
  /// Results of the active lanes; uint64_t for ballots and masks.
  template <class T> LaneValues<T> out(Where where = Where::current()) const {
    const SimdResult result = simdOpInfo(record_->site->op).result;
    if (result == SimdResult::None)
      failTest(std::string(name()) + " has no result", where);
    if (result == SimdResult::Value)
      checkType<T>(where);
    else if constexpr (!std::is_same_v<T, uint64_t>)
      failTest(std::string(name()) + " gives a mask: ask for out<uint64_t>()", where);
    return values<T>(record_->out, record_->outBytes(), 0);
  }
  /// Lane index, delta or predicate of each lane (simd_ops.def).
  LaneValues<uint32_t> operand() const {
    std::vector<std::optional<uint32_t>> all(record_->lanes);
    for (const uint32_t lane : active())
      all[lane] = record_->operand[lane];
    return LaneValues<uint32_t>(std::move(all));
  }

  friend void PrintTo(const SimdVisit &visit, std::ostream *os) {
    *os << visit.name() << " on line " << visit.line() << ", simdgroup " << visit.simdgroup()
        << ", active lanes " << lanesText(visit.active());
  }

private:
  template <class T> void checkType(const Where &where) const {
    using Type = MetalType<T>;
    if (Type::kScalar != record_->site->type || Type::kCount != record_->site->count)
      failTest(std::string(name()) + " is of " + metalTypeName(record_->site->type, record_->site->count) +
                   ", asked for as " + metalTypeName(Type::kScalar, Type::kCount),
               where);
  }
  template <class T>
  LaneValues<T> values(const std::vector<uint8_t> &bytes, size_t stride, size_t offset) const {
    std::vector<std::optional<T>> all(record_->lanes);
    for (const uint32_t lane : active())
      all[lane] = fromBytes<T>(bytes.data() + lane * stride + offset);
    return LaneValues<T>(std::move(all));
  }

  SharedRecording recording_;
  const SimdRecord *record_;
};

/// Simd operations in the order of the run; the filters return some of them.
class SimdVisits {
public:
  explicit SimdVisits(std::vector<SimdVisit> visits) : visits_(std::move(visits)) {}

  SimdVisits named(std::string_view name) const {
    return only([&](const SimdVisit &v) { return v.name() == name; });
  }
  SimdVisits atLine(uint32_t line) const {
    return only([&](const SimdVisit &v) { return v.line() == line; });
  }
  SimdVisits simdgroup(uint32_t index) const {
    return only([&](const SimdVisit &v) { return v.simdgroup() == index; });
  }
  const SimdVisit &visit(size_t n, Where where = Where::current()) const {
    detail::checkIndex("such simd operation", n, visits_.size(), where);
    return visits_[n];
  }
  size_t size() const { return visits_.size(); }
  auto begin() const { return visits_.begin(); }
  auto end() const { return visits_.end(); }

private:
  template <class Keep> SimdVisits only(Keep keep) const {
    std::vector<SimdVisit> kept;
    std::copy_if(visits_.begin(), visits_.end(), std::back_inserter(kept), keep);
    return SimdVisits(std::move(kept));
  }

  std::vector<SimdVisit> visits_;
};

/// A step, which lies between two barriers, and the state at its end.
class Step {
public:
  Step(SharedRecording recording, uint32_t index) : recording_(std::move(recording)), index_(index) {}

  uint32_t index() const { return index_; }
  bool endsAtBarrier() const { return index_ + 1 < recording_->snapshots.size(); } ///< else with the group

  /// Threadgroup memory at the end of the step, by the name of the variable or argument, or by
  /// "function::name" if several functions have one of that name. Unwritten bytes are 0xff.
  template <class T>
  std::span<const T> threadgroup(std::string_view name, Where where = Where::current()) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const ThreadgroupArray &array = *orFail(recording_->findArray(name), where);
    return {reinterpret_cast<const T *>(snapshot().arena.data() + array.offset), array.bytes / sizeof(T)};
  }
  /// Indices of the elements that changed in this step; in the first step, those that are not 0xff bytes.
  template <class T>
  std::vector<size_t> changed(std::string_view name, Where where = Where::current()) const {
    const std::span<const T> now = threadgroup<T>(name, where);
    const std::vector<uint8_t> unwritten(now.size_bytes(), 0xff);
    const void *before = unwritten.data();
    if (index_ > 0)
      before = Step(recording_, index_ - 1).threadgroup<T>(name, where).data();
    return differing(static_cast<const T *>(before), now);
  }

  /// Lanes that wait at the barrier, and lanes that have returned from the kernel.
  std::vector<uint32_t> arrived() const { return lanesWith(true); }
  std::vector<uint32_t> ended() const { return lanesWith(false); }
  /// The barrier at which a lane waits; unknown if the lane has ended.
  SourcePlace place(uint32_t lane, Where where = Where::current()) const {
    detail::checkIndex("lane", lane, recording_->threads, where);
    const SiteInfo *site = snapshot().sites[lane];
    return site ? site->where : SourcePlace();
  }
  /// The barrier's line for the first lane that waits there; 0 at the end.
  uint32_t line() const { return arrived().empty() ? 0 : place(arrived().front()).line; }

  SimdVisits simdOps() const {
    std::vector<SimdVisit> visits;
    for (const SimdRecord &record : recording_->simdOps)
      if (record.step == index_)
        visits.emplace_back(recording_, &record);
    return SimdVisits(std::move(visits));
  }
  template <class T = float>
  ProbeValues<T> probe(std::string_view name, Where where = Where::current()) const {
    using Type = MetalType<T>;
    return {recording_, orFail(recording_->findProbe(name, Type::kScalar, Type::kCount), where), 0,
            recording_->threads, index_};
  }

  template <class T> static std::vector<size_t> differing(const T *before, std::span<const T> now) {
    std::vector<size_t> indices;
    for (size_t i = 0; i < now.size(); ++i)
      if (std::memcmp(before + i, &now[i], sizeof(T)) != 0)
        indices.push_back(i);
    return indices;
  }

private:
  const SnapshotRecord &snapshot() const { return recording_->snapshots[index_]; }
  std::vector<uint32_t> lanesWith(bool site) const {
    std::vector<uint32_t> lanes;
    for (uint32_t i = 0; i < recording_->threads; ++i)
      if ((snapshot().sites[i] != nullptr) == site)
        lanes.push_back(i);
    return lanes;
  }

  SharedRecording recording_;
  uint32_t index_;
};

class LaneRun {
public:
  explicit LaneRun(SharedRecording recording) : recording_(std::move(recording)) {}

  /// A buffer's contents after the run of all threadgroups.
  template <class T> std::vector<T> output(uint32_t index, Where where = Where::current()) const {
    const auto found = recording_->buffers.find(index);
    if (found == recording_->buffers.end())
      failTest("no buffer was bound to index " + std::to_string(index), where);
    std::vector<T> values(found->second.size() / sizeof(T));
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = fromBytes<T>(found->second.data() + i * sizeof(T));
    return values;
  }

  template <class T = float>
  ProbeValues<T> probe(std::string_view name, Where where = Where::current()) const {
    using Type = MetalType<T>;
    return {recording_, orFail(recording_->findProbe(name, Type::kScalar, Type::kCount), where), 0,
            recording_->threads, -1};
  }

  SimdVisits simdOps() const {
    std::vector<SimdVisit> visits;
    for (const SimdRecord &record : recording_->simdOps)
      visits.emplace_back(recording_, &record);
    return SimdVisits(std::move(visits));
  }

  size_t barriers() const { return recording_->snapshots.size() - 1; }
  /// The step that ends at the threadgroup's n-th barrier, from 0.
  Step barrier(size_t n, Where where = Where::current()) const {
    detail::checkIndex("barrier", n, barriers(), where);
    return {recording_, static_cast<uint32_t>(n)};
  }
  /// The last step.
  Step end() const { return {recording_, static_cast<uint32_t>(barriers())}; }
  std::vector<Step> steps() const {
    std::vector<Step> all;
    for (uint32_t i = 0; i <= barriers(); ++i)
      all.emplace_back(recording_, i);
    return all;
  }
  /// Indices of the elements of threadgroup memory that differ after two steps.
  template <class T>
  std::vector<size_t> changed(std::string_view name, size_t before, size_t after,
                              Where where = Where::current()) const {
    detail::checkIndex("step", std::max(before, after), barriers() + 1, where);
    return Step::differing(steps()[before].threadgroup<T>(name, where).data(),
                           steps()[after].threadgroup<T>(name, where));
  }

  uint32_t threads() const { return recording_->threads; } ///< of the recorded threadgroup
  const DispatchReport &report() const { return recording_->report; }

private:
  SharedRecording recording_;
};

} // namespace assay::testing
