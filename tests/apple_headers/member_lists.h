// The members of classes, as Clang has them: of Apple's headers and of the library.
#pragma once

#include "compiled_headers.h"

#include <map>
#include <string>
#include <vector>

namespace assay::apple_headers {

struct Member {
  enum class Kind { Field, Constant, Type, Function, StaticFunction, Constructor, Conversion };
  Kind kind = Kind::Field;
  std::string name;                    ///< of a conversion its type; operators are "operator+="
  std::vector<std::string> parameters; ///< types in Metal's words
  size_t required = 0;                 ///< parameters without a default
  bool isConst = false;                ///< constant objects have it
  bool isTemplate = false, isDeleted = false;
  std::string result; ///< the type of a field, constant or alias, too

  /// "float f(int) const"
  std::string text() const;
};

/// By the class, as it was asked for: "array<int, 4>". Those that are public, of public bases as well, if no
/// member of the derived class hides them, and if the condition of an enable_if holds.
using MemberLists = std::map<std::string, std::vector<Member>>;

/// Throws std::runtime_error if a type is not declared, or is no class.
MemberLists headerMembers(const CompiledHeaders &headers, const std::vector<std::string> &types);

/// Of the library, as the front end compiles it. errors: as above
MemberLists libraryMembers(const std::vector<std::string> &types, LanguageVersion version);

/// "+=" of "operator+="; empty: another member.
std::string operatorOf(const Member &member);

/// Whether a member is for programs: its name has no underscore in front, and it is no destructor.
bool isForPrograms(const Member &member);

} // namespace assay::apple_headers
