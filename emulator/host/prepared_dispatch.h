// A dispatch that has been checked and can run at any later time. It owns its request and all memory that the
// request points to. An indirect dispatch reads its number of threadgroups from its buffer when it runs.
#pragma once

#include "command.h"
#include "stage_fetch.h"
#include "state.h"
#include "texture.h"

#include "../runtime/dispatch.h"
#include "../support/text/result.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace assay::detail {

struct PreparedDispatch {
  runtime::DispatchRequest request;
  std::shared_ptr<const PipelineState> pipeline;
  std::vector<std::shared_ptr<void>> owners; ///< of the memory that is bound or used
  std::vector<Texture> textures;

  /// A no-copy buffer whose memory does not have the alignment that compiled code may rely on. The dispatch
  /// works on an aligned copy.
  struct Unaligned {
    uint32_t slot = 0;
    bool written = false;
  };
  std::vector<Unaligned> unaligned;

  /// What the checkers know of a bound buffer.
  struct UnwrittenBinding {
    uint32_t slot = 0;
    uint64_t offset = 0;
    uint64_t length = 0; ///< of the whole buffer
    std::shared_ptr<Unwritten> bytes = {};
  };
  std::vector<UnwrittenBinding> unwritten;

  /// Where the dispatch reads the number of threadgroups when it runs.
  struct Indirect {
    std::shared_ptr<std::byte> buffer;
    size_t offset = 0;
    Size threadgroup;
  };
  std::optional<Indirect> indirect;

  std::optional<FetchedBuffers> stageBuffers; ///< of a kernel with [[stage_in]]
  std::optional<StageInRegion> stageInRegion;
  /// Where it reads stageInRegion when it runs.
  struct IndirectRegion {
    std::shared_ptr<std::byte> buffer;
    size_t offset = 0;
  };
  std::optional<IndirectRegion> indirectRegion;
  std::function<std::optional<Error>(const std::string &, std::span<const Finding>)> judge;
  std::function<void(const DispatchRecord &)> finished;
  CheckRules checks;

  /// Has workers make the code that the dispatch will need, as far as that is known. Returns a function that
  /// waits for the code.
  std::function<void()> prepareCode() const;
  /// errors   as runtime::run
  Result<runtime::DispatchReport> run();

private:
  Result<runtime::DispatchReport> runInCopies();
  Result<runtime::DispatchReport> runChecked();
  Result<runtime::DispatchReport> runCode();
  /// Calls what makes code or waits for it, and counts the time.
  template <class Make> auto timed(const Make &make) {
    const auto begin = std::chrono::steady_clock::now();
    auto made = make();
    codeTime_ += std::chrono::steady_clock::now() - begin;
    return made;
  }
  Result<void> checkCounting() const;
  std::vector<UnwrittenMemory> unwrittenMemory() const;
  Result<bool> readSize(); ///< false: there is nothing to run
  void readRegion();
  Result<void> fetchStageInput();

  std::chrono::nanoseconds codeTime_{0};
};

/// Compiled code may rely on this alignment of every buffer's base, copies of setBytes included.
inline constexpr size_t kBufferAlignment = 256;

} // namespace assay::detail
