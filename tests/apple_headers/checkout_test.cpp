#include "checkout.h"

#include "../host/temporary_folder.h"

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::HasSubstr;

std::string messageOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Checkout, ReadsWhatAVersionHas) {
  const testing_support::TemporaryFolder folder;
  folder.write("metal_config", "#if __METAL_VERSION__ >= 210\n#define HAS_IT 1\n#endif\n"
                               "#ifdef __METAL_MACOS__\n#define ON_MACOS 1\n#endif\n");
  folder.write("metal_stdlib",
               "#include <metal_config>\n#ifdef HAS_IT\nMETAL_FUNC int it(int a) { return a; }\n"
               "#endif\n#ifdef ON_MACOS\nMETAL_FUNC int mac();\n#endif\n");
  const auto count = [&](LanguageVersion version) {
    return readHeaders(folder.path().string(), version).functions.size();
  };
  EXPECT_EQ(count(LanguageVersion::Metal1_1), 1u);
  EXPECT_EQ(count(LanguageVersion::Metal2_1), 2u);
  EXPECT_EQ(count(LanguageVersion::Metal3_0), 1u);
}

TEST(Checkout, AFolderWithoutTheHeadersIsAnError) {
  const testing_support::TemporaryFolder folder;
  EXPECT_THAT(messageOf([&] { readHeaders(folder.path().string(), LanguageVersion::Metal4_0); }),
              HasSubstr("'metal_config' file not found"));
}

TEST(Checkout, FewFunctionsAreNotBelieved) {
  EXPECT_EQ(messageOf([] { expectPlausible(1499, LanguageVersion::Metal4_0); }),
            "ASSAY_APPLE_HEADERS_DIR: only 1499 functions for version 400 of Metal");
  EXPECT_EQ(messageOf([] { expectPlausible(1500, LanguageVersion::Metal4_0); }), "");
  EXPECT_NE(messageOf([] { expectPlausible(0, LanguageVersion::Metal1_1); }), "");
}

} // namespace
} // namespace assay::apple_headers
