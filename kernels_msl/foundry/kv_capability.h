// Whether a step may read a quantised cache: the second of the two things that the quantised path needs. The
// first is the cache's descriptor. Without either it is an error, for no step dequantises a cache elsewhere.
//
// Problem.  The kernels can read a format; whether that pays on a device, for a model and a length of the
//           cache, they cannot know.
// Choice.   Whoever measures or decides says so in a KvCapability that the steps are given. By default
//           nothing is allowed. Nothing was timed on a GPU, so there is no heuristic here to be wrong.
// source    Foundry's proposal "Routing / selector requirements": opt-in by capability, fail-fast
#pragma once

#include "kv_format.h"

namespace assay::kernels::foundry {

struct KvCapability {
  bool quantisedDecode = false, quantisedPrefill = false;
  int64_t minKvLength = 1; ///< shorter caches are not worth it: they are to come typed

  bool operator==(const KvCapability &) const = default;
};

enum class KvPath { Typed, Quantised };

/// The path of a step, by its cache and what it may do: Quantised if keys, values or both have a format.
///   kvLength   keys that are attended to
///   errors     Usage: those of checkKvFormat for an id or a version that nobody knows; "kv-capability" (the
///              cache is quantised, and the capability does not allow it for this use or this length)
Result<KvPath> selectKvPath(const std::optional<KvFormat> &keys, const std::optional<KvFormat> &values,
                            const KvCapability &capability, KvUse use, int64_t kvLength);

} // namespace assay::kernels::foundry
