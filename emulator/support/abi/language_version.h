// The versions of the Metal language that a source can be compiled as.
//
// A version decides what __METAL_VERSION__ is and which C++ it is based on: 14 before Metal 4, 17 from Metal
// 4 on. A source without a version has the macros of Metal 3.2 and may use C++17, so that code for either
// version compiles. Names are those of `xcrun metal -std=`: before Metal 3 they name a platform, too, which
// only decides whether __METAL_MACOS__ or __METAL_IOS__ is defined.
// source: MSL specification 4, sections 1.5 and 1.6; MSL specification 2.4, section 1.6.10 (the older names).
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

/// MTLLanguageVersion; the value is that of __METAL_VERSION__.
enum class LanguageVersion : uint16_t {
  Any = 0,
  Metal1_0 = 100,
  Metal1_1 = 110,
  Metal1_2 = 120,
  Metal2_0 = 200,
  Metal2_1 = 210,
  Metal2_2 = 220,
  Metal2_3 = 230,
  Metal2_4 = 240,
  Metal3_0 = 300,
  Metal3_1 = 310,
  Metal3_2 = 320,
  Metal4_0 = 400,
  Metal4_1 = 410
};

struct LanguageVersionInfo {
  LanguageVersion version;
  std::string_view name; ///< after -std=
  bool ios = false;
};

inline constexpr LanguageVersionInfo kLanguageVersions[] = {
    {LanguageVersion::Metal1_0, "macos-metal1.0"},     {LanguageVersion::Metal1_1, "macos-metal1.1"},
    {LanguageVersion::Metal1_2, "macos-metal1.2"},     {LanguageVersion::Metal2_0, "macos-metal2.0"},
    {LanguageVersion::Metal2_1, "macos-metal2.1"},     {LanguageVersion::Metal2_2, "macos-metal2.2"},
    {LanguageVersion::Metal2_3, "macos-metal2.3"},     {LanguageVersion::Metal2_4, "macos-metal2.4"},
    {LanguageVersion::Metal1_0, "ios-metal1.0", true}, {LanguageVersion::Metal1_1, "ios-metal1.1", true},
    {LanguageVersion::Metal1_2, "ios-metal1.2", true}, {LanguageVersion::Metal2_0, "ios-metal2.0", true},
    {LanguageVersion::Metal2_1, "ios-metal2.1", true}, {LanguageVersion::Metal2_2, "ios-metal2.2", true},
    {LanguageVersion::Metal2_3, "ios-metal2.3", true}, {LanguageVersion::Metal2_4, "ios-metal2.4", true},
    {LanguageVersion::Metal3_0, "metal3.0"},           {LanguageVersion::Metal3_1, "metal3.1"},
    {LanguageVersion::Metal3_2, "metal3.2"},           {LanguageVersion::Metal4_0, "metal4.0"},
    {LanguageVersion::Metal4_1, "metal4.1"},
};

/// What messages call the names of the table, all together.
inline constexpr std::string_view kLanguageVersionNames =
    "macos-metal1.0 to macos-metal2.4, ios-metal1.0 to ios-metal2.4, metal3.0, metal3.1, metal3.2, metal4.0, "
    "metal4.1";

/// Null if there is no such name. osx-metal is what macos-metal was called before macOS was.
constexpr const LanguageVersionInfo *findLanguageVersion(std::string_view name) {
  constexpr std::string_view kNow = "macos-", kBefore = "osx-";
  const bool before = name.starts_with(kBefore);
  for (const LanguageVersionInfo &info : kLanguageVersions)
    if (info.name == name || (before && info.name.starts_with(kNow) &&
                              info.name.substr(kNow.size()) == name.substr(kBefore.size())))
      return &info;
  return nullptr;
}

/// The first name of a version; empty for LanguageVersion::Any.
constexpr std::string_view nameOf(LanguageVersion version) {
  for (const LanguageVersionInfo &info : kLanguageVersions)
    if (info.version == version)
      return info.name;
  return {};
}

/// Whether a pointer without an address space points to device, threadgroup or thread memory.
/// source: "Writing reusable GPU functions with generic pointers", Apple's documentation of Metal
constexpr bool hasGenericPointers(LanguageVersion version) {
  return version >= LanguageVersion::Metal4_1;
}

/// The macro of iOS. The macro of macOS is predefined unless this one is.
inline constexpr std::string_view kIosMacro = "__METAL_IOS__";

constexpr std::string_view cppStandardOf(LanguageVersion version) {
  return version != LanguageVersion::Any && version < LanguageVersion::Metal4_0 ? "c++14" : "c++17";
}

} // namespace assay
