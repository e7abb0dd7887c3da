// Reads known_failures.txt.
#include "known_failures.h"

#include <fstream>
#include <stdexcept>

namespace assay::language {

std::map<std::string, std::string> knownFailures() {
  std::map<std::string, std::string> known;
  std::ifstream file(ASSAY_LANGUAGE_TABLES "/known_failures.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos)
      throw std::runtime_error("a known failure without its reason: " + line);
    known[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return known;
}

} // namespace assay::language
