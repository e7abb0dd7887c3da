// Where results that Metal does not define are born, and that bits stay what they are.
#include "lowering/undefined_results.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// %v is what the operation makes of in[0] to in[3].
Reports after(const std::string &operation, std::vector<uint32_t> in,
              TrackUndefined track = TrackUndefined::LocalAndResults) {
  Kernel k = tracked("  %p1 = getelementptr i32, ptr addrspace(5) %in, i32 1\n"
                     "  %m = load i32, ptr addrspace(5) %in\n  %n = load i32, ptr addrspace(5) %p1\n" +
                         operation + "  store i32 %v, ptr addrspace(5) %out\n  ret void\n",
                     track);
  Reports reports;
  reports.out.assign(4, 77);
  in.resize(4);
  k.bind(0, reports.out);
  k.bind(1, in);
  EXPECT_TRUE(k.run());
  for (const Call &call : k.calls)
    if (call.name == "undefined") {
      const Birth &birth = k.code().births.at(call.origin - 1);
      reports.what.push_back(decisionName(k.siteOf(call).decision) +
                             (birth.kind == BirthKind::Division     ? " division"
                              : birth.kind == BirthKind::Shift      ? " shift"
                              : birth.kind == BirthKind::Conversion ? " conversion"
                                                                    : " variable"));
    }
  return reports;
}

uint32_t bitsOf(float value) {
  return std::bit_cast<uint32_t>(value);
}

TEST(UndefinedResults, OfDivisions) {
  for (const char *op : {"udiv", "sdiv", "urem", "srem"}) {
    const std::string text = std::string("  %v = ") + op + " i32 %m, %n\n";
    EXPECT_THAT(after(text, {7, 0}).what, ElementsAre("store division")) << op;
    EXPECT_THAT(after(text, {7, 2}).what, IsEmpty()) << op;
    const bool isSigned = op[0] == 's';
    EXPECT_EQ(after(text, {0x80000000u, ~0u}).what.size(), isSigned ? 1u : 0u) << op;
    EXPECT_THAT(after(text, {0x80000001u, ~0u}).what, IsEmpty()) << op;
  }
}

// What the operand holds is chance, and so is whether the operation can take it: the variable is named.
TEST(UndefinedResults, OperandsWithoutAValueAreNamedBefore) {
  for (const char *operation : {"  %w = load i32, ptr %x\n  %v = shl i32 1, %w\n",
                                "  %w = load float, ptr %x\n  %v = fptoui float %w to i32\n",
                                "  %w = load i32, ptr %x\n  %v = udiv i32 %m, %w\n"})
    EXPECT_THAT(after(operation, {0, 0}).what, ElementsAre("store variable")) << operation;
}

TEST(UndefinedResults, OfShifts) {
  for (const char *op : {"shl", "lshr", "ashr"}) {
    const std::string text = std::string("  %v = ") + op + " i32 %m, %n\n";
    EXPECT_THAT(after(text, {7, 32}).what, ElementsAre("store shift")) << op;
    EXPECT_THAT(after(text, {7, ~0u}).what, ElementsAre("store shift")) << op;
    EXPECT_THAT(after(text, {7, 31}).what, IsEmpty()) << op;
  }
}

TEST(UndefinedResults, OfConversionsAtTheEndsOfTheRange) {
  struct Row {
    const char *conversion;
    float value;
    bool bad;
  };
  for (const Row &row :
       {Row{"fptosi float %f to i32", 2147483520.0f, false},
        Row{"fptosi float %f to i32", 2147483648.0f, true},
        Row{"fptosi float %f to i32", -2147483648.0f, false},
        Row{"fptosi float %f to i32", -2147483904.0f, true}, Row{"fptosi float %f to i32", NAN, true},
        Row{"fptosi float %f to i32", INFINITY, true}, Row{"fptoui float %f to i32", 4294967040.0f, false},
        Row{"fptoui float %f to i32", 4294967296.0f, true}, Row{"fptoui float %f to i32", -0.99f, false},
        Row{"fptoui float %f to i32", -1.0f, true}}) {
    const std::string text = std::string("  %f = bitcast i32 %m to float\n  %v = ") + row.conversion + "\n";
    EXPECT_EQ(after(text, {bitsOf(row.value)}).what.size(), row.bad ? 1u : 0u)
        << row.conversion << " of " << row.value;
  }
  const std::string byte = "  %f = bitcast i32 %m to float\n  %c = fptosi float %f to i8\n"
                           "  %v = sext i8 %c to i32\n";
  EXPECT_THAT(after(byte, {bitsOf(-128.99f)}).what, IsEmpty()) << "it is rounded to -128";
  EXPECT_THAT(after(byte, {bitsOf(-129.0f)}).what, ElementsAre("store conversion"));
  EXPECT_THAT(after(byte, {bitsOf(128.0f)}).what, ElementsAre("store conversion"));
}

TEST(UndefinedResults, BitsAreThoseWithoutTracking) {
  for (const std::string text :
       {"  %v = udiv i32 %m, %n\n", "  %v = srem i32 %m, %n\n", "  %v = shl i32 %m, %n\n",
        "  %v = ashr i32 %m, %n\n", "  %f = bitcast i32 %m to float\n  %v = fptoui float %f to i32\n"})
    for (const std::vector<uint32_t> &in : {std::vector<uint32_t>{7, 0}, {0x80000000u, ~0u}, {5, 33}})
      EXPECT_EQ(after(text, in).out, after(text, in, TrackUndefined::No).out) << text;
}

TEST(UndefinedResults, WhatIsNotUsedAndWhatIsConstantIsNone) {
  EXPECT_THAT(after("  %q = udiv i32 %m, %n\n  %z = icmp eq i32 %n, 0\n"
                    "  %v = select i1 %z, i32 0, i32 %q\n",
                    {7, 0})
                  .what,
              IsEmpty());
  EXPECT_THAT(after("  %q = udiv i32 %m, 3\n  %v = shl i32 %q, 31\n", {7, 0}).what, IsEmpty());
}

TEST(UndefinedResults, NeedTheirOwnTracking) {
  EXPECT_THAT(after("  %v = udiv i32 %m, %n\n", {7, 0}, TrackUndefined::Local).what, IsEmpty());
}

TEST(UndefinedResults, ComponentsOfAVectorAreUndefinedByThemselves) {
  const std::string text = "  %d2 = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i32 0\n"
                           "  %n2 = insertelement <2 x i32> zeroinitializer, i32 %m, i32 0\n"
                           "  %q = udiv <2 x i32> %n2, %d2\n";
  EXPECT_THAT(after(text + "  %v = extractelement <2 x i32> %q, i32 0\n", {7, 0}).what,
              ElementsAre("store division"));
  EXPECT_THAT(after(text + "  %v = extractelement <2 x i32> %q, i32 1\n", {7, 0}).what, IsEmpty());
}

} // namespace
} // namespace assay::lowering::test
