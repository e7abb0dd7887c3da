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

Comparison compare(const Elements &a, const Elements &b, ScalarType type, const Tolerance &tolerance) {
  Comparison result;
  result.type = type;
  result.count = std::min(a.bytes.size(), b.bytes.size()) / scalarTypeInfo(type).bytes;
  result.verdicts.reserve(result.count);
  if (!a.unwritten.empty() || !b.unwritten.empty())
    result.onOneSide.assign(result.count, false);
  for (uint64_t i = 0; i < result.count; ++i) {
    Difference d;
    d.index = i;
    d.a = elementBits(a.bytes, i, type);
    d.b = elementBits(b.bytes, i, type);
    d.unwrittenA = !a.unwritten.empty() && a.unwritten[i];
    d.unwrittenB = !b.unwritten.empty() && b.unwritten[i];
    // Most pairs of a large output. They have no distance, and are neither first nor worst.
    if (d.a == d.b && !d.unwrittenA && !d.unwrittenB && !isNan(d.a, type)) {
      result.verdicts.push_back(Verdict::EqualBits);
      ++result.equalBits;
      continue;
    }
    d.ulps = ulpDistance(d.a, d.b, type);
    d.absolute = distance(d.a, d.b, type);
    d.relative = relativeDistance(d.absolute, d.b, type);
    const Verdict verdict = judge(d, type, tolerance);
    result.verdicts.push_back(verdict);
    result.equalBits += verdict == Verdict::EqualBits;
    result.close += verdict == Verdict::Close;
    result.different += verdict == Verdict::Different;
    result.unwrittenOnBoth += verdict == Verdict::Unwritten;
    result.unwrittenA += d.unwrittenA;
    result.unwrittenB += d.unwrittenB;
    if (d.unwrittenA != d.unwrittenB)
      result.onOneSide[i] = true;
    const bool nanA = isNan(d.a, type), nanB = isNan(d.b, type);
    result.nansA += nanA && !d.unwrittenA;
    result.nansB += nanB && !d.unwrittenB;
    const bool written = !d.unwrittenA && !d.unwrittenB;
    if (written && nanA != nanB)
      ++result.nanAgainstNumber;
    else if (written && verdict != Verdict::EqualBits)
      ++result.ulps[ulpBucket(d.ulps)];
    if (written && std::isfinite(d.absolute)) {
      result.largestAbsolute = std::max(result.largestAbsolute, d.absolute);
      if (!std::isnan(d.relative))
        result.largestRelative = std::max(result.largestRelative, d.relative);
    }
    if (verdict != Verdict::Different)
      continue;
    if (!result.first)
      result.first = d;
    // What was not written has no distance: it is worst only where nothing that was written differs.
    const auto rank = [](const Difference &x) { return std::pair(!x.unwrittenA && !x.unwrittenB, x.ulps); };
    if (!result.worst || rank(*result.worst) < rank(d))
      result.worst = d;
    if (!written)
      continue;
    const auto takeIfWorse = [&](std::optional<Difference> &most, double Difference::*distance) {
      if (!std::isnan(d.*distance) && (!most || (*most).*distance < d.*distance))
        most = d;
    };
    takeIfWorse(result.worstAbsolute, &Difference::absolute);
    takeIfWorse(result.worstRelative, &Difference::relative);
  }
  return result;
}

} // namespace assay::compare
