// The shim as Clang has parsed it, so that a compilation need not parse it again.
//
// Problem.  A kernel of ten lines stands behind 20,000 lines of Metal's library, whose parse is nine tenths of the
//           time that it takes to compile.
// Choice.   Clang's precompiled header (PCH): the shim is parsed once for each set of options that it depends on,
//           with everything that is done to declarations while they are parsed, and written to memory. Those who
//           compile may keep it (PrecompiledStore); otherwise it is made when one process asks for it a second
//           time. There are two: what every program sees (detail/prelude.h), and that with <metal_stdlib>, which is
//           taken only if the program includes it, so that a forgotten #include stays an error. Which of the two
//           is decided by the text, before anything is parsed.
// Bodies.   The shim's own vector operators are contracted before the PCH is written, and templates that its
//           functions use are instantiated in it, so that a program pays for neither.
// Rejected. Clang modules (one for each header, visible only if included): a program's macros and a redefinition
//           of what the shim has would get messages about modules. A PCH made when Assay is built: too many sets of
//           options, and it must fit the very Clang that is installed.
// Limit.    What a program defines before it includes <metal_stdlib> is not seen by the shim. The shim asks for
//           NDEBUG alone, and a program that defines it in its text is compiled without the PCH of <metal_stdlib>.
#pragma once

#include "frontend/compile.h"
#include "frontend/view_file_system.h"

#include <memory>
#include <string>

namespace assay::frontend {

enum class ShimPart { Prelude, StandardLibrary };

/// The part of the shim that a program may be given in front of its first line.
ShimPart shimPartFor(const SourceRequest &request, ViewFileSystem &files);

/// The PCH of a part for the options of a request; null if it is not worth making, or cannot be made.
std::shared_ptr<const std::string> precompiledShim(const SourceRequest &request, ShimPart part,
                                                   PrecompiledStore *store);

} // namespace assay::frontend
