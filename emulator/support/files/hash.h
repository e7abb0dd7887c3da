// Digests of bytes: XXH3, 128 bits, as 32 hexadecimal digits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace assay {

std::string hashBytes(std::string_view bytes);

/// Computes hashBytes of bytes that are given piece by piece.
class BytesHash {
public:
  BytesHash();
  ~BytesHash();
  void add(std::string_view bytes);
  void addRepeated(uint8_t byte, uint64_t count);
  std::string text() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay
