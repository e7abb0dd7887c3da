// Compares two arrays of one type, element by element: how many elements have equal bits, how far apart the
// others are, and where they are.
//
// The caller chooses what "equal" means. Without a tolerance the bits decide, so -0 and 0 differ. A tolerance
// allows a distance in ULPs, or an absolute and a relative distance; an element needs to satisfy only one of
// the two. NaNs have no distance, so a separate choice says whether they count as equal. An element that a
// side never wrote has no value. It differs from every written element, even if the bits in memory agree. Two
// unwritten elements are neither equal nor different, but are counted.
#pragma once

#include "../support/abi/scalar_type.h"
#include "../support/numbers/ulp.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::compare {

enum class NanPolicy : uint8_t {
  Same,   ///< a NaN equals every NaN
  Bits,   ///< a NaN equals those with its bits
  Differ, ///< a NaN equals nothing
};

struct Tolerance {
  std::optional<uint64_t> ulps; ///< at most this many; 0 makes the two zeros equal
  double absolute = 0;          ///< |a - b| <= absolute + relative * |b|
  double relative = 0;
  NanPolicy nan = NanPolicy::Same;
};

/// One side: elements of the comparison's type, and which of them were never written (empty: all were).
struct Elements {
  std::string_view bytes;
  std::vector<bool> unwritten;
};

enum class Verdict : uint8_t {
  EqualBits, ///< or, under NanPolicy::Same, two NaNs
  Close,     ///< within a tolerance
  Different,
  Unwritten, ///< on both sides
};

/// Where ULPs are counted: [0], [1], [2], [3,4], [5,8], .. (2^62, 2^63], and beyond. A NaN against a number
/// is counted apart.
inline constexpr size_t kUlpBuckets = 67;
struct UlpRange {
  uint64_t first, last;
};
constexpr size_t ulpBucket(uint64_t ulps) {
  return ulps <= 1 ? size_t(ulps) : 1 + size_t(64 - std::countl_zero(ulps - 1));
}
constexpr UlpRange ulpRange(size_t bucket) {
  if (bucket <= 1)
    return {bucket, bucket};
  const unsigned power = unsigned(bucket) - 1; // (2^(power-1), 2^power]
  return {(uint64_t(1) << (power - 1)) + 1, power == 64 ? ~uint64_t(0) : uint64_t(1) << power};
}

/// One pair.
struct Difference {
  uint64_t index = 0;
  uint64_t a = 0, b = 0; ///< bits
  uint64_t ulps = 0;     ///< kNoUlps for a NaN against a number
  double absolute = 0;   ///< NaN where there is no difference: of NaNs and of equal infinities
  double relative = 0;   ///< absolute / |b|; NaN where that is no number
  bool unwrittenA = false, unwrittenB = false;
};

struct Comparison {
  ScalarType type = ScalarType::Float;
  uint64_t count = 0;
  uint64_t equalBits = 0, close = 0, different = 0, unwrittenOnBoth = 0; ///< sum: count
  uint64_t unwrittenA = 0, unwrittenB = 0;                               ///< those of both included
  uint64_t nansA = 0, nansB = 0;                                         ///< among written elements
  std::array<uint64_t, kUlpBuckets>
      ulps{}; ///< of pairs whose bits are not equal, both written, both or no NaN
  uint64_t nanAgainstNumber = 0;
  std::optional<Difference> first; ///< of those that are Different
  std::optional<Difference>
      worst; ///< most ULPs among them; a NaN against a number before any; the first of equals
  /// The same by distance. None if no pair of the Different has one.
  std::optional<Difference> worstAbsolute, worstRelative;
  double largestAbsolute = 0; ///< over all pairs of finite numbers, tolerated ones included
  double largestRelative = 0; ///< |a - b| / |b|, where b is not 0

  bool equal() const { return different == 0; }
};

/// Exact as a double for every float type and for integers of up to 53 bits.
double valueOf(uint64_t bits, ScalarType type);
uint64_t elementBits(std::string_view bytes, uint64_t index, ScalarType type);
/// The value in another type, rounded once to nearest even; integers saturate, as Metal's conversions do. A
/// NaN becomes the canonical one of a float type and 0 of an integer.
uint64_t bitsOf(double value, ScalarType type);

/// Compares two arrays piece by piece, in order. What it keeps does not grow with the arrays.
class Comparer {
public:
  /// Of `count` neighbouring pairs like this one, from its index on.
  using Seen = std::function<void(const Difference &pair, uint64_t count, Verdict verdict)>;

  /// seen   called for all pairs but those whose bits are equal, in order
  Comparer(ScalarType type, const Tolerance &tolerance, Seen seen = {});
  /// The next elements. Both have equally many bytes.
  void add(const Elements &a, const Elements &b);
  /// The next `count` pairs, which are all like the first pair of the two.
  void addAlike(const Elements &a, const Elements &b, uint64_t count);
  const Comparison &result() const { return result_; }

private:
  void addPair(Difference pair, uint64_t count);
  Tolerance tolerance_;
  Seen seen_;
  Comparison result_;
};

/// Both have equally many bytes.
Comparison compare(const Elements &a, const Elements &b, ScalarType type, const Tolerance &tolerance);

} // namespace assay::compare
