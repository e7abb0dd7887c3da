// A profile's text is read back as it was, and what cannot be read is answered with what there is.
#include "host/numerics_text.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

std::string complaint(std::string_view text) {
  const Result<NumericsProfile> profile = parseNumerics(text);
  if (profile)
    return "none";
  EXPECT_EQ(profile.error().kind, ErrorKind::Usage);
  return profile.error().message() + " [" + profile.error().rule() + "] " +
         profile.error().diagnostics.front().hint;
}

TEST(ParseNumerics, ReadsBackEveryChoiceOfEveryField) {
  for (const NumericsProfile *base : kNumericsProfiles) {
    EXPECT_EQ(*parseNumerics(base->name), *base);
    for (const NumericsField &one : numericsFields())
      for (uint8_t value = 0; value < one.values.size(); ++value)
        for (const NumericsField &two : numericsFields()) {
          NumericsProfile profile = *base;
          one.set(profile, value);
          if (two.name != one.name)
            two.set(profile, 1);
          const Result<NumericsProfile> back = parseNumerics(numericsText(profile));
          ASSERT_TRUE(back) << numericsText(profile);
          EXPECT_EQ(*back, profile) << numericsText(profile);
        }
  }
}

TEST(ParseNumerics, TakesFieldsInAnyOrderAndTheProfilesOwnValues) {
  const Result<NumericsProfile> profile =
      parseNumerics("apple,simd_sum=sequential,flush_f32=on,contract=off");
  ASSERT_TRUE(profile);
  EXPECT_EQ(numericsText(*profile), "apple,contract=off,simd_sum=sequential");
}

TEST(ParseNumerics, NamesTheNearestAndAllThereAre) {
  EXPECT_EQ(complaint("aple"),
            "numerics 'aple': no profile 'aple' [bad-numerics] did you mean 'apple'? profiles: apple, ieee");
  EXPECT_EQ(complaint("ieee,contract=onn"),
            "numerics 'ieee,contract=onn': contract has no value 'onn' [bad-numerics] "
            "did you mean 'on'? values of contract: off, on, fast");
  const std::string unknown = complaint("apple,simdsum=pairwise");
  EXPECT_NE(unknown.find("no field 'simdsum' [bad-numerics] did you mean 'simd_sum'? fields: flush_f32, "),
            unknown.npos)
      << unknown;
  for (const NumericsField &field : numericsFields())
    EXPECT_NE(unknown.find(field.name), unknown.npos);
}

TEST(ParseNumerics, RefusesWhatIsNotAListOfFieldsAndValues) {
  EXPECT_EQ(complaint("").find("numerics '': no profile ''"), 0u);
  EXPECT_NE(complaint("apple,").find("'' should be FIELD=VALUE"), std::string::npos);
  EXPECT_NE(complaint("apple,nan").find("'nan' should be FIELD=VALUE"), std::string::npos);
  EXPECT_NE(complaint("apple,nan=canonical,nan=propagate").find("'nan' is given twice"), std::string::npos);
}

} // namespace
} // namespace assay
