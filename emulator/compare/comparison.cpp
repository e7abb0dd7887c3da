#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace assay::compare {
namespace {

bool isFloat(ScalarType type) {
  return scalarTypeInfo(type).cls == ScalarClass::Float;
}

double distance(uint64_t a, uint64_t b, ScalarType type) {
  if (!isFloat(type)) // of 64-bit integers, too: exact before it becomes a double
    return double(ulpDistance(a, b, type));
  return std::abs(valueOf(a, type) - valueOf(b, type));
}

double relativeDistance(double absolute, uint64_t b, ScalarType type) {
  const double size = std::abs(valueOf(b, type));
  return size > 0 && std::isfinite(size) ? absolute / size : std::nan("");
}

bool isClose(const Difference &d, ScalarType type, const Tolerance &tolerance) {
  if (isFloat(type) && !(std::isfinite(valueOf(d.a, type)) && std::isfinite(valueOf(d.b, type))))
    return false;
  if (tolerance.ulps && d.ulps <= *tolerance.ulps)
    return true;
  if (tolerance.absolute == 0 && tolerance.relative == 0)
    return false;
  const double b = valueOf(d.b, type);
  return d.absolute <= tolerance.absolute + tolerance.relative * std::abs(b);
}

Verdict judge(const Difference &d, ScalarType type, const Tolerance &tolerance) {
  if (d.unwrittenA || d.unwrittenB)
    return d.unwrittenA && d.unwrittenB ? Verdict::Unwritten : Verdict::Different;
  const bool nanA = isNan(d.a, type), nanB = isNan(d.b, type);
  if (nanA && nanB) {
    if (tolerance.nan == NanPolicy::Differ)
      return Verdict::Different;
    if (tolerance.nan == NanPolicy::Bits)
      return d.a == d.b ? Verdict::EqualBits : Verdict::Different;
    return Verdict::EqualBits;
  }
  if (d.a == d.b)
    return Verdict::EqualBits;
  return isClose(d, type, tolerance) ? Verdict::Close : Verdict::Different;
}

} // namespace

uint64_t elementBits(std::string_view bytes, uint64_t index, ScalarType type) {
  const size_t size = scalarTypeInfo(type).bytes;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

double valueOf(uint64_t bits, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  switch (type) {
  case ScalarType::Float: return std::bit_cast<float>(uint32_t(bits));
  case ScalarType::Half: return floatFromHalf(uint16_t(bits));
  case ScalarType::BFloat: return floatFromBfloat(uint16_t(bits));
  default: break;
  }
  const unsigned shift = 64 - info.bytes * 8u;
  return info.cls == ScalarClass::Signed ? double(int64_t(bits << shift) >> shift) : double(bits);
}

uint64_t bitsOf(double value, ScalarType type) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  if (type == ScalarType::Float)
    return std::isnan(value) ? kCanonicalNanFloat : std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == ScalarType::Half)
    return std::isnan(value) ? kCanonicalNanHalf : halfFromDouble(value);
  if (type == ScalarType::BFloat)
    return std::isnan(value) ? kCanonicalNanBfloat : bfloatFromDouble(value);
  if (info.cls == ScalarClass::Bool)
    return value != 0;
  if (std::isnan(value))
    return 0;
  const double rounded = std::nearbyint(value);
  const unsigned bits = info.bytes * 8u;
  if (info.cls == ScalarClass::Unsigned) {
    const uint64_t most = ~uint64_t(0) >> (64 - bits);
    return rounded <= 0 ? 0 : rounded >= std::ldexp(1.0, int(bits)) ? most : uint64_t(rounded);
  }
  const double limit = std::ldexp(1.0, int(bits) - 1);
  const uint64_t most = ~uint64_t(0) >> (65 - bits);
  const int64_t whole = rounded >= limit    ? int64_t(most)
                        : rounded <= -limit ? -int64_t(most) - 1
                                            : int64_t(rounded);
  return uint64_t(whole) & (~uint64_t(0) >> (64 - bits));
}

namespace {

Difference pairAt(const Elements &a, const Elements &b, uint64_t i, ScalarType type) {
  Difference pair;
  pair.a = elementBits(a.bytes, i, type);
  pair.b = elementBits(b.bytes, i, type);
  pair.unwrittenA = !a.unwritten.empty() && a.unwritten[i];
  pair.unwrittenB = !b.unwritten.empty() && b.unwritten[i];
  return pair;
}

} // namespace

Comparer::Comparer(ScalarType type, const Tolerance &tolerance, Seen seen)
    : tolerance_(tolerance), seen_(std::move(seen)) {
  result_.type = type;
}

void Comparer::add(const Elements &a, const Elements &b) {
  const ScalarType type = result_.type;
  const uint64_t count = std::min(a.bytes.size(), b.bytes.size()) / scalarTypeInfo(type).bytes;
  const auto alike = [](const Difference &x, const Difference &y) {
    return x.a == y.a && x.b == y.b && x.unwrittenA == y.unwrittenA && x.unwrittenB == y.unwrittenB;
  };
  for (uint64_t i = 0; i < count;) {
    const Difference pair = pairAt(a, b, i++, type);
    // Most pairs of a large output. They have no distance, and are neither first nor worst.
    if (pair.a == pair.b && !pair.unwrittenA && !pair.unwrittenB && !isNan(pair.a, type)) {
      ++result_.count;
      ++result_.equalBits;
      continue;
    }
    uint64_t run = 1;
    for (; i < count && alike(pair, pairAt(a, b, i, type)); ++i)
      ++run;
    addPair(pair, run);
  }
}

void Comparer::addAlike(const Elements &a, const Elements &b, uint64_t count) {
  if (count)
    addPair(pairAt(a, b, 0, result_.type), count);
}

void Comparer::addPair(Difference d, uint64_t count) {
  const ScalarType type = result_.type;
  d.index = result_.count;
  d.ulps = ulpDistance(d.a, d.b, type);
  d.absolute = distance(d.a, d.b, type);
  d.relative = relativeDistance(d.absolute, d.b, type);
  const Verdict verdict = judge(d, type, tolerance_);
  result_.count += count;
  switch (verdict) {
  case Verdict::EqualBits: result_.equalBits += count; break;
  case Verdict::Close: result_.close += count; break;
  case Verdict::Different: result_.different += count; break;
  case Verdict::Unwritten: result_.unwrittenOnBoth += count; break;
  }
  if (seen_ && verdict != Verdict::EqualBits)
    seen_(d, count, verdict);
  result_.unwrittenA += d.unwrittenA ? count : 0;
  result_.unwrittenB += d.unwrittenB ? count : 0;
  const bool nanA = isNan(d.a, type), nanB = isNan(d.b, type);
  result_.nansA += nanA && !d.unwrittenA ? count : 0;
  result_.nansB += nanB && !d.unwrittenB ? count : 0;
  const bool written = !d.unwrittenA && !d.unwrittenB;
  if (written && nanA != nanB)
    result_.nanAgainstNumber += count;
  else if (written && verdict != Verdict::EqualBits)
    result_.ulps[ulpBucket(d.ulps)] += count;
  if (written && std::isfinite(d.absolute)) {
    result_.largestAbsolute = std::max(result_.largestAbsolute, d.absolute);
    if (!std::isnan(d.relative))
      result_.largestRelative = std::max(result_.largestRelative, d.relative);
  }
  if (verdict != Verdict::Different)
    return;
  if (!result_.first)
    result_.first = d;
  // What was not written has no distance: it is worst only where nothing that was written differs.
  const auto rank = [](const Difference &x) { return std::pair(!x.unwrittenA && !x.unwrittenB, x.ulps); };
  if (!result_.worst || rank(*result_.worst) < rank(d))
    result_.worst = d;
  if (!written)
    return;
  const auto takeIfWorse = [&](std::optional<Difference> &most, double Difference::*distance) {
    if (!std::isnan(d.*distance) && (!most || (*most).*distance < d.*distance))
      most = d;
  };
  takeIfWorse(result_.worstAbsolute, &Difference::absolute);
  takeIfWorse(result_.worstRelative, &Difference::relative);
}

Comparison compare(const Elements &a, const Elements &b, ScalarType type, const Tolerance &tolerance) {
  Comparer comparer(type, tolerance);
  comparer.add(a, b);
  return comparer.result();
}

} // namespace assay::compare
