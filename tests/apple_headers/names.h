// The names that a Metal header declares at the scope of namespaces, and how two lists of them differ.
//
// A name that the library has and Apple's lacks breaks programs: one with `using namespace metal` and a
// `rank` of its own has two, and Clang refuses each use as ambiguous. So does a name that is global here and
// in namespace metal there, if the program declares it. Which overloads a function has is not judged here.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay::apple_headers {

/// Qualified: "uchar", "metal::fast::abs". A namespace is a name, too. Names with an underscore in front are
/// the library's own, and so is all in a namespace with such a name.
using Names = std::set<std::string>;

/// All names in a text that the preprocessor has written, by its tokens alone: declarations.h says why.
/// Throws std::runtime_error if brackets do not match.
Names readNames(const std::string &preprocessed);

/// A name that one side lacks.
struct NameDifference {
  std::string name;
  std::string what; ///< "is missing"
};

/// How the library's names differ from Apple's, by name. What is in a namespace that Apple lacks is left out:
/// the namespace is reported.
std::vector<NameDifference> nameDifferences(const Names &apples, const Names &ours);

} // namespace assay::apple_headers
