// A small kernel on both engines.
#pragma once

#include "host/assay.h"

#include <string>
#include <vector>

namespace assay::vector_test {

struct Shape {
  Size grid{64, 1, 1}, group{64, 1, 1};
};

/// What the body stores to out[0] to out[255], of which it leaves 0xa5a5a5a5. It has
///   device uint *out, const device uint *in (256 words), threadgroup uint *shared (256 words),
///   uint i (in the grid), t (in the threadgroup), lane, sg, quad, and group (the threadgroup), and the uint3
///   that the attributes give: grid and local (the thread), at (the threadgroup), size and extent (of both).
/// The kernel runs on fibers, then on vectors, and the test fails if it does not run there, or if a byte is
/// different. `before` stands before the kernel.
std::vector<uint32_t> run(const std::string &body, Shape shape = {}, const std::string &before = "");

/// The words that `run` puts into `in`.
uint32_t input(uint32_t index);

/// Why the kernel stays on fibers; empty if it does not.
std::string onFibers(const std::string &body, const std::string &before = "");

/// The diagnostics of a run that fails on the engine.
std::string failure(const std::string &body, Engine engine, Shape shape = {});

} // namespace assay::vector_test
