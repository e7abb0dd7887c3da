// Calls with arguments of random types, and which of the headers' overloads plain Clang chooses for them.
//
// The overloads are declared with Clang's own vectors (ext_vector_type), on which Metal's are built. Their
// types are those of the headers, the text is written here. How arguments convert is so decided by a
// compiler that has seen nothing of the shim.
#pragma once

#include "declarations.h"
#include "probes.h"

#include <cstdint>

namespace assay::apple_headers {

/// A call of one of the judged functions, by name. Some arguments have other types than its overloads have.
struct RandomCall {
  std::string space, name;
  std::vector<std::string> types;
  auto operator<=>(const RandomCall &) const = default;
};

/// At most `count`: none twice.
std::vector<RandomCall> randomCalls(const Declarations &declarations, size_t count, uint64_t seed);

/// What plain Clang says of the calls. Throws std::runtime_error if it says nothing about one.
std::vector<Probe> resolved(const Declarations &declarations, const std::vector<RandomCall> &calls);

} // namespace assay::apple_headers
