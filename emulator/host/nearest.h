// Finds the name in a list that is closest to a mistyped one, for "did you mean" in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Insertions, deletions, substitutions and swaps of neighbours, each at cost 1.
size_t editDistance(std::string_view a, std::string_view b);

/// The closest name (the first of equals). Empty if no name is close. A name is close if its distance is at
/// most a third of the longer name, or if one name contains the other and both have at least three letters.
std::string nearestName(std::string_view typed, const std::vector<std::string> &names);

/// The hint "did you mean 'add'?", or else the first names, or "there are no kernels".
///   what   "kernels", "function constants"
std::string nearestHint(std::string_view typed, const std::vector<std::string> &names, std::string_view what);

} // namespace assay
