// Checks of a dispatch before it runs: every mistake in its request has one message here.
//
// Metal makes some of these checks in its validation layer, and others never. Here all of them are always
// made, before anything runs, so that the runtime can trust its request.
//   source  Metal Feature Set Tables (2025-10-20), as support/abi/limits.h has them
#pragma once

#include "size.h"
#include "tensor.h"
#include "texture.h"

#include "../support/abi/limits.h"
#include "../support/abi/module_info.h"
#include "../support/abi/slot_kinds.h"
#include "../support/text/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

namespace detail {
struct PipelineState;
}

/// A buffer, the copy of setBytes, a function table or a tensor in its slot.
struct BufferBinding {
  uint8_t *base = nullptr; ///< without the offset
  uint64_t length = 0;
  uint64_t offset = 0;
  uint64_t room = 0;                              ///< bytes on both sides: Device::newBufferWithRoom
  const detail::PipelineState *tableOf = nullptr; ///< of a function table: the pipeline that made it
  const TensorDescriptor *tensor = nullptr;       ///< of a tensor; `length` ends with its last element
};

/// All slots. `fresh` marks a binding that was set since the last dispatch. Only such a binding is an error
/// if the kernel has no argument for it, since bindings stay when pipelines change. `null` marks a slot to
/// which the host has bound nil; kernels can test for this. A slot that was never set is an error.
struct BindingTable {
  struct BufferSlot {
    std::optional<BufferBinding> binding;
    bool fresh = false;
    bool null = false;
  };
  struct ThreadgroupSlot {
    uint64_t length = 0; ///< 0: not set
    bool fresh = false;
  };
  struct TextureSlot {
    std::optional<TextureView> binding;
    bool fresh = false;
    bool null = false;
  };
  struct SamplerSlot {
    std::optional<SamplerView> binding;
    bool fresh = false;
  };
  std::array<BufferSlot, kBufferSlots> buffers;
  std::array<TextureSlot, kTextureSlots> textures;
  std::array<SamplerSlot, kSamplerSlots> samplers;
  std::array<ThreadgroupSlot, kThreadgroupSlots> threadgroup;
};

/// A buffer that the host itself reads for a dispatch: of the attributes of [[stage_in]], or of indices of
/// their elements.
struct StageBuffer {
  uint32_t index = 0;
  std::string what; ///< for messages: "attribute 0 'in.position'"
};

struct PipelineFacts {
  const KernelInfo *kernel = nullptr;
  std::vector<ArgumentInfo> activeArguments;
  uint32_t maxThreads = kMaxThreadsPerThreadgroup;
  uint32_t staticThreadgroupBytes = 0;
  uint32_t usedBuffers = ~0u; ///< a bit for each index; indices without it need no binding
  uint32_t usedThreadgroup = ~0u;
  const detail::PipelineState *pipeline = nullptr; ///< whose function tables the kernel may use
  std::optional<Size> requiredThreads = {};        ///< of the pipeline's options
  std::vector<StageBuffer> stageBuffers = {};
};

/// The largest threadgroup that the kernel allows.
uint32_t mostThreads(const KernelInfo &kernel);
/// The size of threadgroup that the kernel's required_threads_per_threadgroup attribute asks for.
std::optional<Size> requiredThreads(const KernelInfo &kernel);

/// errors: the Usage errors of ComputeCommandEncoder::dispatchThreadgroups
Result<void> validateBindings(const PipelineFacts &pipeline, const BindingTable &bindings);
/// Those of the errors that the kernel's declaration alone tells, for what is bound: arguments that exist and
/// have their place whatever its function constants and its code are.
Result<void> validateDeclared(const KernelInfo &kernel, const BindingTable &bindings,
                              const DispatchSize &size);
/// The whole grid in threads. errors: as above
Result<Size> validateSize(const PipelineFacts &pipeline, const DispatchSize &size);

/// Checks in setters.
///   kind   of the bound kinds
/// errors: Usage "buffer-index", "texture-index", "sampler-index", "inline-bytes"
Result<void> validateIndex(uint64_t index, SlotKind kind);
Result<void> validateInlineBytes(uint64_t length, uint64_t index);

} // namespace assay
