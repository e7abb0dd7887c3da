// Lists the symbols that a source provides to the other sources of its library, and those that it needs from
// them: the user's functions and variables with external linkage, from the syntax tree.
//
// Problem.  A name in IR contains neither the return type of a function nor the members of a structure. Two
//           files that disagree about one of these could be linked, and the results would be arbitrary.
// Choice.   Each symbol has the text of its type, and texts of the structures in it, with their members and
//           offsets. Files agree if these are equal; a structure that a file only declares agrees with all.
#pragma once

#include "support/text/diagnostic.h"

#include <map>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CodeGenerator;
} // namespace clang

namespace assay::frontend {

class ViewFileSystem;

struct LinkSymbol {
  std::string symbol;                            ///< in IR
  std::string name;                              ///< qualified, without parameters
  std::string type;                              ///< as the user would write it: "float (float3)"
  std::string canonical;                         ///< the type without aliases
  std::map<std::string, std::string> structures; ///< the user's that are in it: name → members
  bool defined = false;                          ///< in this source
  bool visible = false;                          ///< [[visible]] or [[stitchable]]: a pipeline may link it
  bool shared = false; ///< defined in each source that uses it: inline functions, templates
  SourcePlace where;   ///< of the definition, or of the declaration
};

/// The symbols of the code that has been generated. Variables that are set before a thread starts
/// (global_bindings.h) are listed as declared: link() handles them.
///   withTypes   false: only the symbols, and the types of those that are not defined, without their
///               structures
std::vector<LinkSymbol> linkSymbols(clang::CodeGenerator &generator, clang::ASTContext &context,
                                    const ViewFileSystem &files, bool withTypes);

} // namespace assay::frontend
