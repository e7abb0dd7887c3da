#include "names_exceptions.h"

#include <algorithm>

namespace assay::apple_headers {

namespace {

using enum LanguageVersion;

constexpr const char *kWords = "a word of Apple's compiler, which no header declares";
constexpr const char *kBindings = "structured bindings of vectors ask for std::tuple_size, with any library";

constexpr NameException kExceptions[] = {
    {"as_type", Metal1_0, Metal4_0, kWords}, {"metal::as_type", Metal1_0, Metal4_0, kWords},
    {"half", Metal1_0, Metal4_0, kWords},    {"metal::half", Metal1_0, Metal4_0, kWords},
    {"bfloat", Metal3_1, Metal4_0, kWords},  {"metal::bfloat", Metal3_1, Metal4_0, kWords},

    {"std", Metal1_0, Metal4_0, kBindings},
};

} // namespace

std::span<const NameException> nameExceptions() {
  return kExceptions;
}

std::string unexplained(const std::vector<NameDifference> &differences,
                        std::span<const NameException> exceptions, LanguageVersion version) {
  const auto isOfVersion = [&](const NameException &exception) {
    return exception.since <= version && version <= exception.last;
  };
  std::string text;
  for (const NameDifference &difference : differences)
    if (std::ranges::none_of(exceptions, [&](const NameException &exception) {
          return exception.name == difference.name && isOfVersion(exception);
        }))
      text += difference.name + ": " + difference.what + "\n";
  for (const NameException &exception : exceptions)
    if (isOfVersion(exception) &&
        std::ranges::find(differences, exception.name, &NameDifference::name) == differences.end())
      text += std::string(exception.name) + ": does not differ, but is an exception\n";
  return text;
}

} // namespace assay::apple_headers
