// What scripts/twins measures is right: every twin, in each way but OpenCL's, at a tiny size.
#include "bench/twins/assay_way.h"

#include <gmock/gmock.h>

#include <cctype>

namespace assay::twins {

void PrintTo(const TwinMaker &maker, std::ostream *out) {
  *out << maker.name;
}

namespace {

class Twins : public testing::TestWithParam<TwinMaker> {
protected:
  Twin twin_ = GetParam().make(Scale::Tiny);

  /// Empty, or what is wrong on this engine.
  std::string runOn(Engine engine, std::vector<std::byte> &result) const {
    Result<AssayWay> way = AssayWay::make(twin_, engine);
    if (!way)
      return renderDiagnostics(way.error().diagnostics);
    if (const auto report = way->run(); !report)
      return renderDiagnostics(report.error().diagnostics);
    result.assign(way->result().begin(), way->result().end());
    return mismatch(twin_, result);
  }
};

} // namespace

TEST_P(Twins, AreRightByHand) {
  Arguments arguments = twin_.arguments;
  twin_.byHand(arguments);
  EXPECT_EQ(mismatch(twin_, arguments[twin_.result].bytes), "");
}

TEST_P(Twins, AreRightOnBothEnginesAndHaveTheSameBits) {
  if (!GetParam().absent.empty())
    GTEST_SKIP() << GetParam().absent;
  std::vector<std::byte> fibers, vectors;
  EXPECT_EQ(runOn(Engine::Fiber, fibers), "");
  EXPECT_EQ(runOn(Engine::Vector, vectors), "");
  EXPECT_EQ(fibers, vectors);
}

INSTANTIATE_TEST_SUITE_P(All, Twins, testing::ValuesIn(allTwins()), [](const auto &info) {
  std::string name = info.param.name;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(TwinsJudge, NamesTheFirstWrongElement) {
  Twin twin = saxpy(Scale::Tiny);
  Argument &y = twin.arguments[twin.result];
  EXPECT_THAT(mismatch(twin, y.bytes),
              testing::HasSubstr("saxpy: 1000 of 1000 elements are wrong; element 0"));
  twin.byHand(twin.arguments);
  y.as<float>()[7] = NAN;
  EXPECT_THAT(mismatch(twin, y.bytes), testing::HasSubstr("1 of 1000 elements are wrong; element 7 is nan"));
  y.bytes.pop_back();
  EXPECT_EQ(mismatch(twin, y.bytes), "saxpy: the result has another size than the reference");
}

} // namespace assay::twins
