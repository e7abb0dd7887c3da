// The calls that compiled kernels make for textures (support/abi/lane_abi.h). Like the calls in
// lane_calls.cpp, they run on the lane's own stack and never throw.
#include "runtime/bound_textures.h"
#include "runtime/lane_scheduler.h"
#include "runtime/texel.h"
#include "runtime/texture_sample.h"
#include "support/abi/texture_rules.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace __assay_texture;
using assay::LaneAbi;
using assay::TextureLevel;
using assay::TextureView;
using assay::runtime::Fault;
using assay::runtime::FaultKind;
using assay::runtime::Lane;
using assay::runtime::laneOf;
using assay::runtime::LaneScheduler;
using assay::runtime::samplerOf;
using assay::runtime::schedulerOf;
using assay::runtime::TextureMistake;
using assay::runtime::textureOf;
using assay::runtime::textureUseOf;

namespace {

// Only a texture that was not compared with the kernel's arguments before the run is compared now.
bool fits(const TextureView &texture, uint64_t handle, uint32_t declared) {
  return handle < kFirstResourceId || !assay::textureMisfit(texture, textureUseOf(declared), "", "");
}

[[noreturn]] void fail(Lane &lane, uint32_t site, TextureMistake mistake, uint64_t texture,
                       const uint32_t *where, bool sampled) {
  Fault fault{.kind = FaultKind::Texture, .site = site};
  fault.mistake = mistake;
  fault.texture = texture;
  fault.sampled = sampled;
  std::copy(where, where + kWhereWords, fault.texel);
  schedulerOf(lane).fail(lane, fault);
}

// Reads and writes beyond a texture are defined: the reads give zeros, the writes are dropped. Kernels rely
// on it at the edges of images. A sample beyond the last layer is one of the last. The checkers take such an
// access for a mistake. They are the observers that are told of the lanes of an access together; one that
// only follows writes changes nothing.
// source: MSL specification, section 6.12
bool mayLeaveTexture(const LaneScheduler &scheduler) {
  const assay::Observer *observer = scheduler.plan().observer;
  return !observer || !observer->wantsMemory() || !observer->takesLanesTogether();
}

bool isPastLayers(const TextureView &texture, uint32_t layer) {
  return assay::textureTypeInfo(texture.type).arrayed && layer >= texture.arrayLength;
}

void keepForType(const TextureView &texture, uint32_t declared, uint32_t (&words)[4]) {
  if (textureUseOf(declared).element == assay::ScalarType::Half)
    assay::runtime::keepForHalves(*texture.format, words);
}

// The texel of an access without a sampler, or null where none may be touched.
uint8_t *find(Lane &lane, uint32_t site, uint64_t handle, const uint32_t *where, const TextureView *&texture,
              bool atomic) {
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  texture = textureOf(scheduler.plan().request, handle);
  const bool misfit = texture && !fits(*texture, handle, where[kDeclared]);
  uint8_t *texel = texture && !misfit ? assay::runtime::texelAddress(*texture, where) : nullptr;
  if (site == assay::kUncheckedSite)
    return texel;
  if (misfit) [[unlikely]]
    fail(lane, site, TextureMistake::Misfit, handle, where, false);
  if (!texel && texture && !atomic && mayLeaveTexture(scheduler))
    return nullptr;
  if (!texel) [[unlikely]]
    fail(lane, site, texture ? TextureMistake::OutOfBounds : TextureMistake::NoTexture, handle, where, false);
  if (scheduler.plan().observer && scheduler.plan().observer->wantsMemory())
    assay_rt_observe_access(&lane, site, reinterpret_cast<uintptr_t>(texel), texture->format->bytes);
  return texel;
}

constexpr auto relaxed = std::memory_order_relaxed;

// Keeps the smaller or the larger of two values: C++20 atomics have no such operation. Of the type of
// `operand` are both.
template <class Number, class Word> Word choose(std::atomic_ref<Word> texel, Number operand, bool larger) {
  Word before = texel.load(relaxed);
  const auto keeps = [&] { return Number(before) == operand || (Number(before) > operand) == larger; };
  while (!keeps() && !texel.compare_exchange_weak(before, Word(operand), relaxed)) {
  }
  return before;
}

// Changes a texel of two components as one number.
void operateWide(uint64_t &memory, const AtomicRequest &request) {
  const uint64_t operand = request.operand | uint64_t(request.expected) << 32;
  choose(std::atomic_ref<uint64_t>(memory), operand, request.operation == kAtomicWideMax);
}

// Changes a texel and returns what it was. Other threadgroups may do so at the same time.
uint32_t operate(uint32_t &memory, const AtomicRequest &request) {
  const std::atomic_ref<uint32_t> texel(memory);
  const uint32_t operand = request.operand;
  const auto chosen = [&](bool larger) {
    return request.isSigned ? choose(texel, int32_t(operand), larger) : choose(texel, operand, larger);
  };
  switch (request.operation) {
  case kAtomicStore:
  case kAtomicExchange: return texel.exchange(operand, relaxed);
  case kAtomicCompareExchange: {
    uint32_t before = request.expected;
    texel.compare_exchange_strong(before, operand, relaxed);
    return before;
  }
  case kAtomicAdd: return texel.fetch_add(operand, relaxed);
  case kAtomicSub: return texel.fetch_sub(operand, relaxed);
  case kAtomicAnd: return texel.fetch_and(operand, relaxed);
  case kAtomicOr: return texel.fetch_or(operand, relaxed);
  case kAtomicXor: return texel.fetch_xor(operand, relaxed);
  case kAtomicMin: return chosen(false);
  case kAtomicMax: return chosen(true);
  default: return texel.load(relaxed);
  }
}

} // namespace

extern "C" {

void assay_rt_texture_read(LaneAbi *abi, uint32_t site, uint64_t handle, const uint32_t *where,
                           uint32_t *texel) {
  const TextureView *texture = nullptr;
  uint32_t words[4] = {};
  const uint8_t *from = find(laneOf(abi), site, handle, where, texture, false);
  static constexpr uint8_t kZeros[16] = {};
  if (texture) {
    assay::runtime::loadTexel(*texture, from ? from : kZeros, words);
    keepForType(*texture, where[kDeclared], words);
  }
  std::memcpy(texel, words, sizeof words);
}

void assay_rt_texture_write(LaneAbi *abi, uint32_t site, uint64_t handle, const uint32_t *where,
                            const uint32_t *texel) {
  const TextureView *texture = nullptr;
  uint32_t words[4];
  std::memcpy(words, texel, sizeof words);
  if (uint8_t *to = find(laneOf(abi), site, handle, where, texture, false))
    assay::runtime::encodeTexel(*texture->format, words, to);
}

void assay_rt_texture_atomic(LaneAbi *abi, uint32_t site, uint64_t handle, const void *requestBytes,
                             uint32_t *texel) {
  AtomicRequest request;
  std::memcpy(&request, requestBytes, sizeof request);
  const TextureView *texture = nullptr;
  uint32_t words[4] = {};
  if (uint8_t *at = find(laneOf(abi), site, handle, request.where, texture, true)) {
    const assay::PixelFormat format = texture->format->format;
    const bool wide = request.operation == kAtomicWideMin || request.operation == kAtomicWideMax;
    if (wide && format == assay::PixelFormat::RG32Uint) {
      operateWide(*reinterpret_cast<uint64_t *>(at), request);
    } else if (wide) { // another format does not fit, so that the site is not checked
    } else if (format == assay::PixelFormat::R32Uint || format == assay::PixelFormat::R32Sint) {
      const uint32_t before = operate(*reinterpret_cast<uint32_t *>(at), request);
      uint8_t bytes[sizeof before];
      std::memcpy(bytes, &before, sizeof before);
      assay::runtime::decodeTexel(*texture->format, bytes, words);
    } else if (site != assay::kUncheckedSite) {
      fail(laneOf(abi), site, TextureMistake::NoAtomicFormat, handle, request.where, false);
    }
  }
  std::memcpy(texel, words, sizeof words);
}

void assay_rt_texture_sample(LaneAbi *abi, uint32_t site, uint64_t handle, uint64_t samplerHandle,
                             const void *requestBytes, uint32_t *texel) {
  Lane &lane = laneOf(abi);
  LaneScheduler &scheduler = schedulerOf(lane);
  scheduler.checkStop(lane, site);
  const TextureView *texture = textureOf(scheduler.plan().request, handle);
  const uint64_t sampler = samplerOf(scheduler.plan().request, samplerHandle);
  SampleRequest request;
  std::memcpy(&request, requestBytes, sizeof request);
  uint32_t words[4] = {};
  const TextureMistake mistake = !texture                                    ? TextureMistake::NoTexture
                                 : !fits(*texture, handle, request.declared) ? TextureMistake::Misfit
                                 : !(sampler >> kInlineBit)                  ? TextureMistake::NoSampler
                                 : !mayLeaveTexture(scheduler) && isPastLayers(*texture, request.layer)
                                     ? TextureMistake::OutOfBounds
                                     : assay::runtime::sampleTexture(*texture, sampler, request, words);
  if (mistake != TextureMistake::None && site != assay::kUncheckedSite) [[unlikely]] {
    const uint32_t where[kWhereWords] = {0, 0, 0, request.layer, 0, 0, request.declared};
    fail(lane, site, mistake, handle, where, true);
  }
  if (texture)
    keepForType(*texture, request.declared, words);
  std::memcpy(texel, words, sizeof words);
}

uint32_t assay_rt_texture_query(LaneAbi *abi, uint64_t handle, uint32_t query, uint32_t level) {
  const TextureView *texture = textureOf(schedulerOf(laneOf(abi)).plan().request, handle);
  if (query == kIsNull)
    return texture == nullptr;
  if (!texture || level >= texture->levelCount)
    return 0;
  const TextureLevel &at = texture->levels[level];
  const uint32_t values[] = {
      at.width, at.height, at.depth, texture->arrayLength, texture->levelCount, texture->sampleCount};
  return query < std::size(values) ? values[query] : 0;
}
}
