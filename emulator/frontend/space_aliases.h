// Macros that stand for an address space: `#define LOCAL threadgroup`, then `LOCAL float tile[64];`.
//
// Problem.  Code that is also written for other languages names its spaces by macros of its own. The source
//           view decides by words what `threadgroup float tile[64];` is, and does not expand macros.
// Choice.   Clang's preprocessor says which macros a compilation has defined in this way. If uses of these
//           macros need edits, Clang runs again over views that read such a macro as the word. A file without
//           such macros is compiled once.
// Rejected. A search of the text for #define: which one counts depends on #if, and on the order of #include.
//           Edits after the preprocessor, by a watcher of its tokens: a watcher can change a token, but
//           cannot insert one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::frontend {

/// From a macro's name to the word: thread, device, constant or threadgroup. Empty for a macro that is
/// defined several times as different words: it stays as it is.
using SpaceAliases = std::map<std::string, std::string, std::less<>>;

/// The word itself, or what the macro stands for; any other text is returned unchanged.
std::string_view spaceWord(std::string_view text, const SpaceAliases &aliases);

/// Adds a macro whose replacement has the words `body`, if one of them is an address space (or an alias of
/// one) and the others are cv-qualifiers.
void addSpaceAlias(SpaceAliases &aliases, std::string_view name, const std::vector<std::string> &body);

} // namespace assay::frontend
