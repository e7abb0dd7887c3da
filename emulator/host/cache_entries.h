// The entries of the cache, and their form in bytes.
//
// serialize.cpp takes the structs apart with structured bindings, so that a new field does not compile until
// it is written too.
#pragma once

#include "../frontend/compile.h"
#include "../support/abi/kernel_code.h"
#include "../support/abi/module_info.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The files that a compilation read and the key of its result, which holds while none of them changes.
struct ManifestVariant {
  std::vector<frontend::Dependency> dependencies;
  std::string moduleKey;
};

/// The key of a manifest is known before any file is read. The newest variant comes first.
struct Manifest {
  std::vector<ManifestVariant> variants;
};

/// The result of a compilation without its bitcode, which a cached pipeline does not need.
struct CachedModule {
  ModuleInfo info;
  std::vector<Diagnostic> diagnostics; ///< warnings, or those of the error
  bool refused = false;                ///< there is no module, but an error of the kind Kernel
};

/// What is known of a pipeline's code before it is generated.
struct CachedFacts {
  KernelCodeInfo info;
  std::vector<uint8_t> active; ///< for each argument of the kernel: whether it exists
};

struct CachedPipeline {
  KernelCodeInfo info;
  std::string object;
};

template <class T> std::string toBytes(const T &value);
/// Empty unless the bytes are exactly one T.
template <class T> std::optional<T> fromBytes(std::string_view bytes);

extern template std::string toBytes(const Manifest &);
extern template std::string toBytes(const CachedModule &);
extern template std::string toBytes(const CachedFacts &);
extern template std::string toBytes(const CachedPipeline &);
extern template std::optional<Manifest> fromBytes(std::string_view);
extern template std::optional<CachedModule> fromBytes(std::string_view);
extern template std::optional<CachedFacts> fromBytes(std::string_view);
extern template std::optional<CachedPipeline> fromBytes(std::string_view);

} // namespace assay
