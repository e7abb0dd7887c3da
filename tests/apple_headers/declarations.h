// Reads the functions and classes that a preprocessed Metal header declares.
//
// Choice.   Tokens and matching brackets, and of each declaration what precedes its body: that is all that a
//           call of the function depends on. Functions are those that begin with METAL_FUNC, which the
//           preprocessor is kept from expanding (checkout.h).
// Rejected. Clang's syntax tree: stock Clang does not parse Metal, and the shim's words for address spaces,
//           with which it would, are what is judged here.
#pragma once

#include <string>
#include <vector>

namespace assay::apple_headers {

struct Parameter {
  std::string type; ///< its tokens, one space between two of them, and nothing of METAL_...
  std::string name;
  bool hasDefault = false;
  bool isConstant = false; ///< its argument must be a constant: METAL_CONST_ARG(name) after the parameters
};

struct Function {
  std::string space;  ///< "metal::fast"
  std::string head;   ///< what a template begins with; empty: no template
  std::string result; ///< empty: a constructor
  std::string name;   ///< an identifier: operators are left out
  std::vector<Parameter> parameters;
  std::string qualifiers; ///< after the parameters: "const thread"

  /// "float clamp(float, float, float)"
  std::string text() const;
  /// Two functions that no call can tell from each other have one key.
  std::string key() const;
};

struct Record {
  std::string name;
  std::string arguments; ///< of a specialisation, without the angle brackets around them
  std::vector<Function> members;
};

struct Declarations {
  std::vector<Function> functions; ///< at the scope of namespaces
  std::vector<Record> records;     ///< those with a body
};

/// Throws std::runtime_error if brackets do not match.
Declarations readDeclarations(const std::string &preprocessed);

} // namespace assay::apple_headers
