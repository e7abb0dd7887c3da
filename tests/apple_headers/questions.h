// What the headers declare, as questions to the front end.
#pragma once

#include "declarations.h"
#include "probes.h"

#include <span>

namespace assay::apple_headers {

/// Functions that are judged: no templates, in the namespaces metal, metal::fast and metal::precise, and not
/// the library's own (an underscore at the beginning).
std::vector<Function> judgedFunctions(const Declarations &declarations);

/// Each function must be accepted, with its result.
std::vector<Probe> functionProbes(const Declarations &declarations);

/// What `later` declares and `declarations` do not must be refused.
std::vector<Probe> missingFunctionProbes(const Declarations &declarations, const Declarations &later);

/// The functions of simdgroups and quadgroups that are templates, as `later` declares them, for each of these
/// scalars and vectors: accepted if `declarations` have the function, and its condition permits the type.
std::vector<Probe> groupProbes(const Declarations &declarations, const Declarations &later,
                               std::span<const std::string> types);

/// Members of textures, with and without the arguments that have defaults, for each access: accepted where a
/// class has them that is for this access. Of those that must be refused, one form of each name.
std::vector<Probe> textureProbes(const Declarations &declarations);

} // namespace assay::apple_headers
