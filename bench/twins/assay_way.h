// A twin on Assay, through the host API: compiled and bound once, dispatched as often as wanted.
#pragma once

#include "twin.h"

#include "emulator/host/assay.h"

namespace assay::twins {

class AssayWay {
public:
  /// With checks, what the kernel is to write counts as unwritten before the first run.
  /// errors   those of buildKernel
  static Result<AssayWay> make(const Twin &twin, Engine engine, const DispatchOptions &options = {});

  /// errors   those of a dispatch
  Result<DispatchReport> run() { return dispatch(encoder_, size_); }
  /// Of the argument that is judged.
  std::span<const std::byte> result() const { return std::as_bytes(result_.as<uint32_t>()); }
  /// Engine::Vector: whether its simdgroups run as one program.
  bool isOnVectors() const { return onVectors_; }

private:
  AssayWay(ComputeCommandEncoder encoder, DispatchSize size, Buffer result, bool onVectors)
      : encoder_(std::move(encoder)), size_(size), result_(std::move(result)), onVectors_(onVectors) {}

  ComputeCommandEncoder encoder_;
  DispatchSize size_;
  Buffer result_;
  bool onVectors_;
};

} // namespace assay::twins
