// The versions of the Metal language that a source can be compiled as.
//
// A version decides what __METAL_VERSION__ is and which C++ lies below: 14 before Metal 4, 17 from it on. Without
// one, a source is Metal 3.2 by its macros and may use C++17, so that code for either is looked at.
// source: MSL specification 4, sections 1.5 and 1.6.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

/// MTLLanguageVersion; the value is that of __METAL_VERSION__.
enum class LanguageVersion : uint16_t {
  Any = 0,
  Metal3_0 = 300,
  Metal3_1 = 310,
  Metal3_2 = 320,
  Metal4_0 = 400,
  Metal4_1 = 410
};

struct LanguageVersionInfo {
  LanguageVersion version;
  std::string_view name; ///< behind -std=
};

inline constexpr LanguageVersionInfo kLanguageVersions[] = {
    {LanguageVersion::Metal3_0, "metal3.0"}, {LanguageVersion::Metal3_1, "metal3.1"},
    {LanguageVersion::Metal3_2, "metal3.2"}, {LanguageVersion::Metal4_0, "metal4.0"},
    {LanguageVersion::Metal4_1, "metal4.1"},
};

constexpr std::string_view cppStandardOf(LanguageVersion version) {
  return version != LanguageVersion::Any && version < LanguageVersion::Metal4_0 ? "c++14" : "c++17";
}

} // namespace assay
