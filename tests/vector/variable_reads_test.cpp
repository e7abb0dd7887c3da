// Reads of variables that nobody has written, in code without shadows.
#include "watched.h"

#include <gmock/gmock.h>

namespace assay::vector_test {
namespace {

struct Listener : Observer {
  uint32_t told = 0;
  bool wantsMemory() const override { return true; }
  void unwrittenVariable() override { ++told; }
};

// "read" and how many simdgroups say so, "written", or why it is not known.
std::string heard(const std::string &body) {
  Listener listener;
  const std::string why = watch(body, listener, {.track = TrackUndefined::Local});
  return !why.empty() ? why : listener.told ? "read " + std::to_string(listener.told) : "written";
}

} // namespace

// The buffer holds ones, which the compiler does not know.
TEST(VariableReads, AreThoseOfPartsThatNobodyHasWritten) {
  const std::string sums = "uint sums[4]; for (uint j = 0; j < 3 * out[200]; ++j) sums[j * out[200]] = j; ";
  EXPECT_EQ(heard(sums + "out[i] = sums[2 * out[200]];"), "written");
  EXPECT_EQ(heard(sums + "out[i] = sums[3 * out[200]];"), "read 3");
  EXPECT_EQ(heard(sums + "out[i] = i == 40 ? sums[3 * out[200]] : 0;"), "read 1") << "one lane";
  EXPECT_EQ(heard(sums + "if (i < 64) { out[i] = sums[out[200]]; return; } out[i] = sums[3 * out[200]];"),
            "read 1")
      << "lanes of the last simdgroup";
}

TEST(VariableReads, ALaneKnowsItsOwnVariable) {
  EXPECT_EQ(heard("uint x[2]; if (lane & 1) x[out[200]] = 1; if (lane & 1) out[i] = x[out[200]];"),
            "written");
  EXPECT_EQ(heard("uint x[2]; if (lane & 1) x[out[200]] = 1; if (lane == 2) out[i] = x[out[200]];"),
            "read 3");
}

TEST(VariableReads, AVectorIsReadAsAWhole) {
  EXPECT_EQ(heard("float4 v[2]; v[out[200]] = float4(1); out[i] = uint(v[out[200]].y);"), "written");
  EXPECT_EQ(heard("float4 v[2]; v[out[200]].x = 1; out[i] = uint(v[out[200]].y);"), "read 3");
}

TEST(VariableReads, ElementsAndTheirBytesAreTold) {
  const std::string tiles = "uint x[2][3]; for (uint j = 0; j < 3; ++j) x[out[200]][j * out[201]] = j; ";
  EXPECT_EQ(heard(tiles + "out[i] = x[out[200]][2 * out[201]];"), "written");
  EXPECT_EQ(heard(tiles + "out[i] = x[out[200] - 1][2 * out[201]];"), "read 3");
  const std::string bytes =
      "uint x[2]; thread uchar *b = (thread uchar *)x + 4 * out[200]; b[0] = b[1] = b[2] = 1; ";
  EXPECT_EQ(heard(bytes + "out[i] = x[out[200]];"), "read 3") << "a byte of the word";
  EXPECT_EQ(heard(bytes + "b[3] = 1; out[i] = x[out[200]];"), "written");
  EXPECT_EQ(heard("ushort x[4]; ((thread uint *)x)[out[200]] = 1; out[i] = x[3 * out[200]];"), "written");
  EXPECT_EQ(heard("ushort x[4]; ((thread uint *)x)[out[200]] = 1; out[i] = x[out[200]];"), "read 3");
}

TEST(VariableReads, ADeclarationInALoopForgets) {
  EXPECT_EQ(heard("for (uint j = 0; j < out[200] + 1; ++j) { uint x[2]; if (j == 0) x[out[200]] = 1; "
                  "out[i] += x[out[200]]; }"),
            "read 3");
}

TEST(VariableReads, OfARegisterAreNotKnown) {
  EXPECT_THAT(heard("uint x; if (out[i] == 1) x = i; out[i] = x;"),
              ::testing::HasSubstr("may have no value"));
}

} // namespace assay::vector_test
