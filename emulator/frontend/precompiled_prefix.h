// The beginning of a source in parsed form, for hosts that compile many sources with the same beginning.
//
// Problem.  A host that makes its kernels at run time puts the same helpers before each: some thousand lines,
//           and then one instantiation. Parsing the helpers is most of what each of these sources costs.
// Choice.   For each source that comes as text, the places where it may be cut are remembered
//           (declaration_ends.h). When a source begins like an earlier one with the same options, its
//           beginning, up to the last such place, is parsed by itself, checked, and kept as a precompiled
//           header on top of the shim's (precompiled_shim.h), in memory and in the caller's store. Sources
//           that begin with it are parsed from there on: Clang reads it as the precompiled preamble of the
//           file, so that lines, names and order of declarations are those of the whole text.
// The same. The result is the same as that of the plain way, to the last byte. So a beginning is kept only if
//           nothing in it is reported, and if it defines no kernel, no function constant and no variable that
//           code is always generated for. Templates that it uses are instantiated with the rest of the
//           program, except for those of the shim (early_instantiations.h). The rest is compiled the plain
//           way, from the whole text, if there is an error, if a macro uses its own place (__LINE__, __FILE__
//           or __COUNTER__), or if a macro for an address space changes the view of the beginning. Warnings
//           are those of the plain way, because the beginning has none. Repairs of the beginning
//           (compile_fixes.h) are kept with it.
// Rejected. Only the #include lines, as editors keep them: these sources have their headers pasted in. One
//           precompiled beginning for each source: the rest of most of them is never seen again.
// Not here. Sources that are files, include the user's headers, have probes or debug information. Tokens and
//           macros of the beginning do not count for compile_limits.h.
#pragma once

#include "frontend/precompiled_shim.h"
#include "frontend/source_view.h"
#include "frontend/space_aliases.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

struct SourcePrefix {
  std::string original;         ///< the beginning of the source
  std::string view;             ///< its view
  std::vector<Edit> insertions; ///< repairs in it
  SpaceAliases aliases;         ///< macros for address spaces that it defines
  std::string precompiled;      ///< on top of the shim's
};

/// The longest precompiled beginning of the source of a request; null if there is none, or none is worth
/// making. shim: what precompiledShim() gave.
std::shared_ptr<const SourcePrefix> precompiledPrefix(const SourceRequest &request,
                                                      const std::shared_ptr<const std::string> &shim,
                                                      PrecompiledStore *store);

struct MadePrefix {
  std::optional<SourcePrefix> prefix;
  uint32_t line =
      0; ///< if there is no prefix: a shorter one must end before this line, from 1; 0: none will do
};

/// Parses the first `bytes` of the source of a request.
MadePrefix makePrefix(const SourceRequest &request, uint32_t bytes, const std::string &shim);

} // namespace assay::frontend
