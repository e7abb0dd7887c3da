// kernels_msl/foundry/knobs.h: what the METALLIC_* variables may be, and what is said where they are not.
#include "kernels_msl/foundry/knobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace assay::kernels::foundry {
namespace {

Environment with(std::map<std::string, std::string, std::less<>> values) {
  return [values](std::string_view name) -> std::optional<std::string> {
    const auto it = values.find(name);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  };
}

std::string messageOf(std::string name, std::string value) {
  const Result<Knobs> knobs = Knobs::read(with({{std::move(name), std::move(value)}}));
  if (knobs)
    return "accepted";
  EXPECT_EQ(knobs.error().kind, ErrorKind::Usage);
  EXPECT_EQ(knobs.error().rule(), "knob");
  return knobs.error().message();
}

TEST(Knobs, SayNothingWhereNothingIsSet) {
  const Result<Knobs> knobs = Knobs::read(with({}));
  ASSERT_TRUE(knobs);
  EXPECT_FALSE(knobs->disableFlashAttention || knobs->forceMaterialized || knobs->debug ||
               knobs->debugVerbose);
  EXPECT_FALSE(knobs->decodeWarps || knobs->decodeKeysPerWarp || knobs->decodeScalar || knobs->decodeTgOut);
  EXPECT_FALSE(knobs->prefillWarps || knobs->prefillSplitK || knobs->disablePrefillSplitK);
}

TEST(Knobs, BecomeNumbers) {
  const Result<Knobs> knobs = Knobs::read(with({{"METALLIC_FA_DECODE_WARPS", "16"},
                                                {"METALLIC_FA_DECODE_KEYS_PER_WARP", "4"},
                                                {"METALLIC_FA_DECODE_SCALAR", "half4"},
                                                {"METALLIC_FA_DECODE_TG_OUT", "half"},
                                                {"METALLIC_FA_PREFILL_WARPS", "8"},
                                                {"METALLIC_FA_PREFILL_SPLIT_K", "6"},
                                                {"METALLIC_DISABLE_FA", "1"},
                                                {"METALLIC_DEBUG_SDPA", "0"}}));
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs->decodeWarps, 16);
  EXPECT_EQ(knobs->decodeKeysPerWarp, 4);
  EXPECT_EQ(knobs->decodeScalar, 4);
  EXPECT_EQ(knobs->decodeTgOut, 1);
  EXPECT_EQ(knobs->prefillWarps, 8);
  EXPECT_EQ(knobs->prefillSplitK, 6);
  EXPECT_TRUE(knobs->disableFlashAttention);
  EXPECT_FALSE(knobs->debug);
}

TEST(Knobs, RefuseWhatTheyCannotBeWithBothValues) {
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_WARPS", "3"),
            "METALLIC_FA_DECODE_WARPS is '3', it can be 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_KEYS_PER_WARP", "64"),
            "METALLIC_FA_DECODE_KEYS_PER_WARP is '64', it can be 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_SCALAR", "half3"),
            "METALLIC_FA_DECODE_SCALAR is 'half3', it can be half2, half4");
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_TG_OUT", "bfloat"),
            "METALLIC_FA_DECODE_TG_OUT is 'bfloat', it can be float, half");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_WARPS", "16"),
            "METALLIC_FA_PREFILL_WARPS is '16', it can be 4, 8");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "65"),
            "METALLIC_FA_PREFILL_SPLIT_K is '65', it can be at most 64");
  EXPECT_EQ(messageOf("METALLIC_DISABLE_FA", "true"), "METALLIC_DISABLE_FA is 'true', it can be 0, 1");
}

TEST(Knobs, RefuseEmptyTextAndWhatFollowsANumber) {
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_WARPS", ""),
            "METALLIC_FA_DECODE_WARPS is '', it can be 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(messageOf("METALLIC_FA_DECODE_WARPS", "8 "),
            "METALLIC_FA_DECODE_WARPS is '8 ', it can be 1, 2, 4, 8, 16, 32");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "4x"),
            "METALLIC_FA_PREFILL_SPLIT_K is '4x', it can be at most 64");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "-4x"),
            "METALLIC_FA_PREFILL_SPLIT_K is '-4x', it can be at most 64");
}

// N <= 1 turns Split-K off, however small it is.
TEST(Knobs, SplitKMayBeNegative) {
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "-1"), "accepted");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "-99999999999999999999"), "accepted");
  EXPECT_EQ(messageOf("METALLIC_FA_PREFILL_SPLIT_K", "99999999999999999999"),
            "METALLIC_FA_PREFILL_SPLIT_K is '99999999999999999999', it can be at most 64");
}

TEST(Knobs, EveryOneOfTheTableRefusesNonsense) {
  EXPECT_EQ(knobTable().size(), 13u);
  for (const KnobInfo &knob : knobTable())
    EXPECT_EQ(messageOf(std::string(knob.name), "nonsense"),
              std::string(knob.name) + " is 'nonsense', it can be " + knob.values);
}

TEST(Knobs, ComeFromTheProcess) {
  ASSERT_EQ(setenv("METALLIC_FA_DECODE_WARPS", "2", 1), 0);
  const Result<Knobs> knobs = Knobs::read(processEnvironment());
  unsetenv("METALLIC_FA_DECODE_WARPS");
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs->decodeWarps, 2);
  EXPECT_EQ(Knobs::read(processEnvironment())->decodeWarps, std::nullopt);
}

} // namespace
} // namespace assay::kernels::foundry
