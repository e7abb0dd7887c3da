#include "support/files/hash.h"

#include <algorithm>
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace assay {
namespace {

std::string textOf(const XXH128_hash_t &hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

} // namespace

std::string hashBytes(std::string_view bytes) {
  return textOf(XXH3_128bits(bytes.data(), bytes.size()));
}

struct BytesHash::State {
  XXH3_state_t xxh;
};

BytesHash::BytesHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
BytesHash::~BytesHash() = default;

void BytesHash::add(std::string_view bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}

// A block that stays in the first cache: the loop is bound by the arithmetic of the hash.
void BytesHash::addRepeated(uint8_t byte, uint64_t count) {
  const std::string block(std::min<uint64_t>(count, 16384), static_cast<char>(byte));
  for (uint64_t left = count; left;) {
    const uint64_t bytes = std::min<uint64_t>(left, block.size());
    add({block.data(), bytes});
    left -= bytes;
  }
}

std::string BytesHash::text() const {
  return textOf(XXH3_128bits_digest(&state_->xxh));
}

} // namespace assay
