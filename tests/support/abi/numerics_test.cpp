// The tables of the numerics profiles hold together, and the profiles say what the published facts say.
#include "support/abi/numerics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay {
namespace {

const NumericsField &field(std::string_view name) {
  for (const NumericsField &f : numericsFields())
    if (f.name == name)
      return f;
  ADD_FAILURE() << "no field " << name;
  return numericsFields()[0];
}

TEST(NumericsFields, EachHasANameOfItsOwnAndValuesToChooseFrom) {
  std::set<std::string_view> names;
  for (const NumericsField &f : numericsFields()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_FALSE(f.meaning.empty()) << f.name;
    EXPECT_GE(f.values.size(), 2u) << f.name << ": what is assumed must have another value to try";
    std::set<std::string_view> values;
    for (const NumericsValue &value : f.values) {
      EXPECT_TRUE(values.insert(value.text).second) << f.name << "=" << value.text;
      EXPECT_EQ(value.text.find_first_of(",= "), value.text.npos) << value.text;
    }
  }
}

TEST(NumericsFields, SayOfBothProfilesWhatTheyAreAndHowThatIsKnown) {
  for (const NumericsField &f : numericsFields())
    for (const NumericsProfile *profile : kNumericsProfiles) {
      const NumericsFact &fact = f.factOf(profile->name);
      EXPECT_EQ(f.get(*profile), fact.value) << f.name;
      EXPECT_LT(fact.value, f.values.size()) << f.name;
      EXPECT_FALSE(fact.source.empty()) << f.name;
    }
  EXPECT_EQ(&field("nan").factOf("ieee"), &field("nan").ieee);
  EXPECT_EQ(&field("nan").factOf("apple"), &field("nan").apple);
}

TEST(NumericsFields, SetIsTheInverseOfGetAndTouchesNothingElse) {
  for (const NumericsField &f : numericsFields())
    for (uint8_t value = 0; value < f.values.size(); ++value) {
      NumericsProfile profile = kAppleNumerics;
      f.set(profile, value);
      for (const NumericsField &other : numericsFields())
        EXPECT_EQ(other.get(profile), other.name == f.name ? value : other.apple.value) << f.name;
    }
}

TEST(AppleNumerics, IsWhatWasMeasured) {
  const auto value = [](std::string_view name) {
    const NumericsField &f = field(name);
    return std::string(f.values[f.apple.value].text) + ", " + std::string(nameOf(f.apple.status));
  };
  EXPECT_EQ(value("flush_f32"), "on, measured");
  EXPECT_EQ(value("flush_bf16"), "on, measured");
  EXPECT_EQ(value("flush_f16"), "off, measured");
  EXPECT_EQ(value("contract"), "on, measured");
  EXPECT_EQ(value("nan"), "canonical, measured");
  EXPECT_EQ(value("simd_sum"), "butterfly, measured");
  EXPECT_EQ(value("simd_product"), "butterfly, assumed");
  EXPECT_EQ(value("simd_prefix"), "doubling, assumed");
}

TEST(IeeeNumerics, FlushesAndContractsNothing) {
  EXPECT_FALSE(kIeeeNumerics.flushF32 || kIeeeNumerics.flushBf16 || kIeeeNumerics.flushF16 ||
               kIeeeNumerics.flushToBf16);
  EXPECT_EQ(kIeeeNumerics.contract, Contraction::Off);
  EXPECT_EQ(kIeeeNumerics.fastFunctions, FastFunctions::Rounded);
}

TEST(NumericsText, NamesTheProfileAndWhatWasSwitched) {
  EXPECT_EQ(numericsText(kAppleNumerics), "apple");
  EXPECT_EQ(numericsText(kIeeeNumerics), "ieee");
  NumericsProfile profile = kAppleNumerics;
  profile.simdSum = ReductionOrder::Pairwise;
  profile.flushF16 = true;
  EXPECT_EQ(numericsText(profile), "apple,flush_f16=on,simd_sum=pairwise");
  profile = kIeeeNumerics;
  profile.contract = Contraction::On;
  EXPECT_EQ(numericsText(profile), "ieee,contract=on");
}

TEST(Flush, IsTheHardwaresOnlyIfFloatAndBfloatBothFlush) {
  for (int bits = 0; bits < 8; ++bits) {
    NumericsProfile p = kAppleNumerics;
    p.flushF32 = bits & 1, p.flushBf16 = bits & 2, p.flushF16 = bits & 4;
    EXPECT_EQ(p.flushesInHardware(), (bits & 3) == 3);
    EXPECT_EQ(p.flushesF32Explicitly(), (bits & 3) == 1);
    EXPECT_EQ(p.flushesBf16Explicitly(), (bits & 3) == 2);
    EXPECT_EQ(p.flushesExplicitly(), (bits & 3) == 1 || (bits & 3) == 2 || bits & 4);
  }
}

} // namespace
} // namespace assay
