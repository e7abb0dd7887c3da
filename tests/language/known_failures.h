// What does not hold today: known_failures.txt, a line each, `kind name: reason`. The list may only shrink:
// a test fails when something fails that is not listed, and when something listed holds.
#pragma once

#include <map>
#include <string>

namespace assay::language {

/// "kind name" -> the reason. Kinds: `accepted` and `refused` of a row, `mutation` of a kind of mistake,
/// `generated` of the random programs as a whole.
std::map<std::string, std::string> knownFailures();

} // namespace assay::language
