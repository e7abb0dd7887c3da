// The shim in parsed form, so that a compilation need not parse it again.
//
// Problem.  A kernel of ten lines comes after 20,000 lines of Metal's library, whose parsing is nine tenths
//           of the compile time.
// Choice.   Clang's precompiled header (PCH): the shim is parsed once for each set of options that it depends
//           on, with all changes that are made to declarations during parsing, and written to memory. A
//           caller may store it (PrecompiledStore); otherwise it is made when one process needs it a second
//           time. There are two PCHs. One has the prelude that every program sees (detail/prelude.h). The
//           other also has <metal_stdlib>, and is used only if the program includes that header, or is a text
//           that need not (SourceRequest::impliesLibrary), so that a forgotten #include stays an error. The
//           text decides which one is used, before anything is parsed.
// Bodies.   The shim's own vector operators are contracted before the PCH is written, and templates that its
//           functions use are instantiated in it, so that a program pays for neither.
// Rejected. Clang modules (one for each header, visible only if included): a program's macros and
//           redefinitions of the shim's names would get messages about modules. A PCH made when Assay is
//           built: there are too many sets of options, and it must fit exactly the Clang that is installed.
//           Instances of all vector classes in the PCH: Clang reads every instance of a template when it
//           needs one, which cost programs that need few of them more than it saved the others.
// Limit.    The shim does not see what a program defines in its text before it includes <metal_stdlib>. The
//           only such macro that the shim tests is ASSAY_ASSERTIONS, and a program whose text names it is
//           compiled without the PCH of <metal_stdlib>.
#pragma once

#include "frontend/compile.h"
#include "frontend/view_file_system.h"

#include <memory>
#include <string>

namespace assay::frontend {

enum class ShimPart { Prelude, StandardLibrary };

/// What of the shim a program gets before its first line.
struct ShimNeed {
  ShimPart part = ShimPart::Prelude; ///< that may be precompiled
  /// SourceRequest::impliesLibrary, and no macro may decide what the program's own #include means.
  bool impliesLibrary = false;
};
ShimNeed shimNeedOf(const SourceRequest &request, ViewFileSystem &files);

/// The PCH of a part for the options of a request; null if it is not worth making, or cannot be made.
std::shared_ptr<const std::string> precompiledShim(const SourceRequest &request, ShimPart part,
                                                   PrecompiledStore *store);

} // namespace assay::frontend
