#include "kv_cache.h"

#include "f32.h"
#include "matrix.h"

#include <cmath>

namespace assay::oracle {

template <class Profile> std::vector<float> kvElements(const KvCache &cache) {
  using F = F32<Profile>;
  const KvCacheShape &s = cache.shape;
  std::vector<float> out(s.count());
  for (int head = 0; head < s.heads; ++head)
    for (int key = 0; key < s.capacity; ++key)
      for (int d = 0; d < s.size; ++d) {
        const size_t i = s.element(head, key, d), group = s.group(head, key, d);
        const float q = float(cache.numbers[i]);
        const float x = cache.zeros.empty() ? q : F::sub(q, cache.zeros[group]);
        out[i] = F::mul(x, cache.scales[group]);
      }
  for (const auto &[i, bits] : cache.outliers)
    out[i] = s.bfloat ? fromBfloat(bits) : fromHalf(bits);
  return out;
}
template std::vector<float> kvElements<Apple>(const KvCache &);
template std::vector<float> kvElements<Ieee>(const KvCache &);

std::vector<uint8_t> kvBytes(const KvCache &cache) {
  const KvCacheShape &s = cache.shape;
  std::vector<uint8_t> bytes;
  if (s.tiles) {
    for (int head = 0; head < s.heads; ++head)
      for (int block = 0; block < s.blocks(); ++block)
        for (int chunk = 0; chunk < s.chunks(); ++chunk)
          for (int key = block * s.block; key < (block + 1) * s.block; ++key)
            for (int d = chunk * s.chunk; d < std::min((chunk + 1) * s.chunk, s.size); ++d)
              bytes.push_back(uint8_t(cache.numbers[s.element(head, key, d)]));
    return bytes;
  }
  for (size_t i = 0; i < cache.numbers.size(); ++i)
    if (cache.shape.bits == 8)
      bytes.push_back(uint8_t(cache.numbers[i]));
    else if (i % 2 == 0)
      bytes.push_back(uint8_t(cache.numbers[i]) & 15);
    else
      bytes.back() |= uint8_t((uint8_t(cache.numbers[i]) & 15) * 16);
  return bytes;
}

std::vector<uint32_t> kvSideTable(const KvCache &cache) {
  const KvCacheShape &s = cache.shape;
  std::vector<uint32_t> places, entries;
  const uint32_t first = uint32_t(s.heads * (s.blocks() + 1));
  auto next = cache.outliers.begin(); // ascending by head, key and element
  for (int head = 0; head < s.heads; ++head) {
    for (int block = 0; block < s.blocks(); ++block) {
      places.push_back(first + uint32_t(entries.size()));
      const size_t begin = s.element(head, block * s.block, 0),
                   end = s.element(head, std::min((block + 1) * s.block, s.capacity), 0);
      for (; next != cache.outliers.end() && next->first < end; ++next)
        entries.push_back(uint32_t(next->first - begin) * 65536u + next->second);
    }
    places.push_back(first + uint32_t(entries.size()));
  }
  places.insert(places.end(), entries.begin(), entries.end());
  return places;
}

DecodeCache asDecodeCache(const KvCache &cache) {
  const KvCacheShape &s = cache.shape;
  DecodeCache out;
  out.chunk = s.chunk;
  const int blocks = (s.capacity + 31) / 32;
  bool asBytes = cache.outliers.empty() && (s.perChannel || s.block % 32 == 0);
  out.bytes.resize(s.count());
  out.scales.assign(size_t(s.heads) * blocks * s.chunks(), 0.0f);
  for (int head = 0; head < s.heads && asBytes; ++head)
    for (int key = 0; key < s.capacity; ++key)
      for (int d = 0; d < s.size; ++d) {
        const size_t group = s.group(head, key, d), i = s.element(head, key, d);
        const float x = float(cache.numbers[i]) - (cache.zeros.empty() ? 0.0f : cache.zeros[group]);
        asBytes = asBytes && x == std::floor(x) && x >= -128 && x <= 127;
        if (!asBytes)
          break;
        out.bytes[i] = int8_t(x);
        out.scales[(size_t(head) * blocks + key / 32) * s.chunks() + d / s.chunk] = cache.scales[group];
      }
  if (asBytes)
    return out;
  out.bytes.clear(), out.scales.clear();
  for (const float x : kvElements<Ieee>(cache)) {
    const uint16_t bits = s.bfloat ? toBfloat(x) : toHalf(x);
    const float back = s.bfloat ? fromBfloat(bits) : fromHalf(bits);
    if (back != x && !(std::isnan(back) && std::isnan(x)))
      return {};
    out.bits.push_back(bits);
  }
  return out;
}

} // namespace assay::oracle
