// A value for each lane of a threadgroup or of a simdgroup; lanes may have none.
//
// Lanes of a threadgroup are numbered by thread_index_in_threadgroup: lane 37 is lane 5 of simdgroup 1. Lanes
// of a simdgroup are numbered 0 to 31.
#pragma once

#include "failure.h"
#include "lane_text.h"
#include "numbers.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace assay::testing {

template <class T> class LaneValues {
public:
  using value_type = T;

  explicit LaneValues(std::vector<std::optional<T>> values) : values_(std::move(values)) {}

  size_t size() const { return values_.size(); } ///< all lanes, with or without a value
  bool has(uint32_t lane) const { return lane < values_.size() && values_[lane]; }
  const std::optional<T> &find(uint32_t lane) const { return values_[lane]; }

  /// Fails the test if the lane has no value.
  T lane(uint32_t lane, Where where = Where::current()) const {
    if (!has(lane))
      failTest(lane < size()
                   ? laneText(lane, size()) + " has no value: it did not come"
                   : "there is no lane " + std::to_string(lane) + ", there are " + std::to_string(size()),
               where);
    return *values_[lane];
  }
  /// The values of all lanes. Fails the test if a lane has none.
  std::vector<T> all(Where where = Where::current()) const {
    if (!absent().empty())
      failTest("not all of " + std::to_string(size()) + " lanes have a value: without one are " +
                   lanesText(absent()),
               where);
    return present();
  }
  /// The values of the lanes that have one, in the order of lanes.
  std::vector<T> present() const {
    std::vector<T> some;
    for (const std::optional<T> &value : values_)
      if (value)
        some.push_back(*value);
    return some;
  }
  std::vector<uint32_t> lanes() const { return lanesWith(true); }   ///< with a value
  std::vector<uint32_t> absent() const { return lanesWith(false); } ///< without one

  friend void PrintTo(const LaneValues &values, std::ostream *os) {
    *os << values.lanes().size() << " of " << values.size() << " lanes";
  }

private:
  std::vector<uint32_t> lanesWith(bool value) const {
    std::vector<uint32_t> lanes;
    for (uint32_t i = 0; i < values_.size(); ++i)
      if (values_[i].has_value() == value)
        lanes.push_back(i);
    return lanes;
  }

  std::vector<std::optional<T>> values_;
};

} // namespace assay::testing
