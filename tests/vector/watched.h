// A small kernel under an observer of memory, on an engine: without the host, which gives observers fibers.
#pragma once

#include "emulator/support/abi/code_options.h"
#include "emulator/support/abi/observer.h"

#include <string>

namespace assay::vector_test {

struct Watched {
  Engine engine = Engine::Vector;
  TrackUndefined track = TrackUndefined::No;
  uint32_t threads = 80; ///< of one threadgroup
};

/// The body has device uint *out (256 words of 1), i (the thread) and lane. Returns why the kernel is not run
/// on vectors, if that was asked for; empty if it has been run.
std::string watch(const std::string &body, Observer &observer, const Watched &how = {});

} // namespace assay::vector_test
