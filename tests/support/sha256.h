// SHA-256, for published digests of whole outputs. source: FIPS 180-4.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace assay::testing_support {

inline std::string sha256(std::string_view message) {
  // The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square
  // roots of the first 8, in integers.
  static const auto tables = [] {
    struct {
      std::array<uint32_t, 64> k;
      std::array<uint32_t, 8> h;
    } t{};
    const auto root = [](unsigned prime, int power) { // floor(prime^(1/power) * 2^32)
      uint64_t low = 0, high = uint64_t(1) << 37;
      while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        // middle^power <= prime << 32 * power, by parts: 37 bits cubed need 111.
        unsigned __int128 value = middle;
        bool tooLarge;
        if (power == 2) {
          tooLarge = value * middle > (static_cast<unsigned __int128>(prime) << 64);
        } else {
          tooLarge = value * middle * middle > (static_cast<unsigned __int128>(prime) << 96);
        }
        (tooLarge ? high : low) = middle;
      }
      return uint32_t(low);
    };
    unsigned found = 0;
    for (unsigned n = 2; found < 64; ++n) {
      bool prime = true;
      for (unsigned d = 2; d * d <= n; ++d)
        prime = prime && n % d;
      if (!prime)
        continue;
      t.k[found] = root(n, 3);
      if (found < 8)
        t.h[found] = root(n, 2);
      ++found;
    }
    return t;
  }();

  std::string padded(message);
  padded += char(0x80);
  padded.resize((padded.size() + 8 + 63) / 64 * 64);
  for (int i = 0; i < 8; ++i)
    padded[padded.size() - 1 - i] = char(uint64_t(message.size()) * 8 >> (8 * i));

  std::array<uint32_t, 8> h = tables.h;
  for (size_t block = 0; block < padded.size(); block += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; ++i) {
      w[i] = 0;
      for (int byte = 0; byte < 4; ++byte)
        w[i] = w[i] << 8 | uint8_t(padded[block + 4 * i + byte]);
    }
    for (int i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::array<uint32_t, 8> s = h;
    for (int i = 0; i < 64; ++i) {
      const uint32_t e = s[4], a = s[0];
      const uint32_t one = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                           ((e & s[5]) ^ (~e & s[6])) + tables.k[i] + w[i];
      const uint32_t two =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (int i = 0; i < 8; ++i)
      h[i] += s[i];
  }
  std::string text;
  for (uint32_t word : h)
    for (int nibble = 7; nibble >= 0; --nibble)
      text += "0123456789abcdef"[word >> (4 * nibble) & 15];
  return text;
}

} // namespace assay::testing_support
