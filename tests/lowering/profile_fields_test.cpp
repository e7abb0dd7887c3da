// Each field of a profile that lowering implements, on the operands that tell its values apart.
#include "kernel_runner.h"

#include <bit>

namespace assay::lowering::test {
namespace {

// out[0] = body(a, b, c), everything of one type, as bits.
uint32_t result(const std::string &type, const std::string &body, std::vector<uint32_t> operands,
                const NumericsProfile &numerics) {
  const std::string bits = type == "float" ? "i32" : "i16";
  std::string ir = "declare float @llvm.fma.f32(float, float, float)\n"
                   "declare half @llvm.fma.f16(half, half, half)\n"
                   "declare float @llvm.fmuladd.f32(float, float, float)\n"
                   "declare float @llvm.floor.f32(float)\n"
                   "define void @k() {\n  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
                   "  %t = alloca " +
                   type + "\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string n(1, char('a' + i));
    ir += "  %q" + n + " = getelementptr i32, ptr addrspace(5) %o, i32 " + std::to_string(i) + "\n  %" + n +
          " = load " + type + ", ptr addrspace(5) %q" + n + "\n";
  }
  ir += body + "  store " + type + " %r, ptr addrspace(5) %o\n  ret void\n}\n";
  Kernel k(ir);
  k.options.numerics = numerics;
  k.bind(0, operands);
  EXPECT_TRUE(k.run());
  return type == "float" ? operands[0] : operands[0] & 0xffff;
}

NumericsProfile with(bool f32, bool bf16, bool f16) {
  NumericsProfile profile = kAppleNumerics;
  profile.flushF32 = f32, profile.flushBf16 = bf16, profile.flushF16 = f16;
  return profile;
}

struct TypeCase {
  std::string type;
  uint32_t tiny, smallest, two; ///< half of the smallest normal value, that value, 2.0
  bool NumericsProfile::*field;
};
const TypeCase kTypes[] = {{"float", 0x00400000, 0x00800000, 0x40000000, &NumericsProfile::flushF32},
                           {"half", 0x0200, 0x0400, 0x4000, &NumericsProfile::flushF16},
                           {"bfloat", 0x0040, 0x0080, 0x4000, &NumericsProfile::flushBf16}};

TEST(FlushField, DecidesForItsOwnTypeWhateverTheOthersSay) {
  for (int bits = 0; bits < 8; ++bits) {
    const NumericsProfile profile = with(bits & 1, bits & 2, bits & 4);
    for (const TypeCase &t : kTypes) {
      const bool flush = profile.*t.field;
      const auto op = [&](const std::string &name) { return "  %r = " + name + " " + t.type + " %a, %b\n"; };
      const std::string what = t.type + " " + numericsText(profile);
      // An operand: tiny * 2 and tiny + smallest.
      EXPECT_EQ(result(t.type, op("fmul"), {t.tiny, t.two}, profile), flush ? 0 : t.smallest) << what;
      EXPECT_EQ(result(t.type, op("fadd"), {t.tiny, t.smallest}, profile),
                flush ? t.smallest : t.tiny + t.smallest)
          << what;
      // A result: smallest / 2.
      EXPECT_EQ(result(t.type, op("fdiv"), {t.smallest, t.two}, profile), flush ? 0 : t.tiny) << what;
      // A comparison.
      EXPECT_EQ(result(t.type,
                       "  %c = fcmp oeq " + t.type + " %a, 0.0\n  %r = select i1 %c, " + t.type + " %b, " +
                           t.type + " %a\n",
                       {t.tiny, t.two}, profile),
                flush ? t.two : t.tiny)
          << what;
      // A copy and a sign never.
      EXPECT_EQ(result(t.type, "  %r = fneg " + t.type + " %a\n", {t.tiny}, profile),
                t.tiny | (t.type == "float" ? 0x80000000u : 0x8000u))
          << what;
    }
  }
}

TEST(FlushField, KeepsTheSignOfZero) {
  for (const NumericsProfile &profile : {with(1, 0, 1), with(0, 1, 1), with(1, 1, 1)})
    for (const TypeCase &t : kTypes) {
      const uint32_t minus = t.type == "float" ? 0x80000000u : 0x8000u;
      const uint32_t kept = t.smallest | minus, flushed = minus;
      EXPECT_EQ(result(t.type, "  %r = fmul " + t.type + " %a, %b\n", {t.tiny | minus, t.two}, profile),
                profile.*t.field ? flushed : kept)
          << t.type << " " << numericsText(profile);
    }
}

TEST(FlushField, HoldsForFusedAndOtherFunctionsWithoutTheHardware) {
  const NumericsProfile profile = with(1, 0, 0);
  EXPECT_EQ(result("float", "  %r = call float @llvm.fma.f32(float %a, float %b, float %c)\n",
                   {0x00400000, 0x40000000, 0}, profile),
            0u);
  EXPECT_EQ(result("float", "  %r = call float @llvm.fma.f32(float %a, float %b, float %c)\n",
                   {0x00800000, 0x3f000000, 0}, profile),
            0u);
  EXPECT_EQ(result("float", "  %r = call float @llvm.floor.f32(float %a)\n", {0x80400000}, profile),
            0x80000000u);
  EXPECT_EQ(result("half", "  %r = call half @llvm.fma.f16(half %a, half %b, half %c)\n", {0x0200, 0x4000, 0},
                   with(0, 0, 1)),
            0u);
}

TEST(FlushToBfloat, IsAFieldOfItsOwn) {
  const auto convert = [](NumericsProfile profile, bool toBf16) {
    profile.flushToBf16 = toBf16;
    // 2^-127 is a subnormal of both; the float's bits come and the bfloat's bits go as integers.
    std::vector<uint32_t> data{0x00400000};
    Kernel k("define void @k() {\n  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
             "  %a = load float, ptr addrspace(5) %o\n  %t = fptrunc float %a to bfloat\n"
             "  %i = bitcast bfloat %t to i16\n  %r = zext i16 %i to i32\n"
             "  store i32 %r, ptr addrspace(5) %o\n  ret void\n}\n");
    k.options.numerics = profile;
    k.bind(0, data);
    EXPECT_TRUE(k.run());
    return data[0];
  };
  EXPECT_EQ(convert(kAppleNumerics, true), 0u);
  EXPECT_EQ(convert(kAppleNumerics, false), 0x40u);
  EXPECT_EQ(convert(kIeeeNumerics, true), 0u);
  EXPECT_EQ(convert(kIeeeNumerics, false), 0x40u);
}

TEST(NanField, IsTheCanonicalOneOrTheHosts) {
  NumericsProfile profile = kAppleNumerics;
  const std::string body = "  %r = fadd float %a, %b\n";
  EXPECT_EQ(result("float", body, {0xffc0dead, 0x3f800000}, profile), 0x7fc00000u);
  profile.nan = NanBits::Propagate;
  EXPECT_EQ(result("float", body, {0xffc0dead, 0x3f800000}, profile), 0xffc0deadu);
}

// (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24; the product alone rounds the 2^-24 away. In bfloat and half alike.
struct ContractCase {
  std::string type;
  uint32_t factor, minusOne, once, twice;
};
const ContractCase kContract[] = {
    {"float", 0x3f800800, 0xbf800000, std::bit_cast<uint32_t>(0x1p-11f + 0x1p-24f),
     std::bit_cast<uint32_t>(0x1p-11f)},
    {"half", 0x3c02, 0xbc00, 0x1c01, 0x1c00},    // 1 + 2^-9: 2^-8 + 2^-18 and 2^-8
    {"bfloat", 0x3f82, 0xbf80, 0x3d01, 0x3d00}}; // 1 + 2^-6: 2^-5 + 2^-12 and 2^-5

TEST(ContractField, CrossesStatementsWhereTheFrontEndMarkedThem) {
  for (const ContractCase &c : kContract) {
    const auto body = [&](const std::string &flag) {
      return "  %m = fmul " + flag + c.type + " %a, %a\n  store " + c.type + " %m, ptr %t\n  %n = load " +
             c.type + ", ptr %t\n  %r = fadd " + flag + c.type + " %n, %b\n";
    };
    NumericsProfile profile = kAppleNumerics;
    for (Contraction contract : {Contraction::On, Contraction::Fast}) {
      profile.contract = contract;
      EXPECT_EQ(result(c.type, body("contract "), {c.factor, c.minusOne}, profile), c.once) << c.type;
      EXPECT_EQ(result(c.type, body(""), {c.factor, c.minusOne}, profile), c.twice) << c.type;
    }
    profile.contract = Contraction::Off;
    EXPECT_EQ(result(c.type, body("contract "), {c.factor, c.minusOne}, profile), c.twice) << c.type;
  }
}

TEST(ContractField, FusesSumsAndDifferencesOnEitherSideAndThroughASign) {
  const uint32_t a = 0x3f800800, one = 0x3f800000, minusOne = 0xbf800000,
                 once = std::bit_cast<uint32_t>(0x1p-11f + 0x1p-24f), minus = 0x80000000;
  const std::string product = "  %m = fmul contract float %a, %a\n";
  const std::string negated = product + "  %g = fneg contract float %m\n";
  EXPECT_EQ(result("float", product + "  %r = fadd contract float %b, %m\n", {a, minusOne}, kAppleNumerics),
            once);
  EXPECT_EQ(result("float", product + "  %r = fsub contract float %m, %b\n", {a, one}, kAppleNumerics), once);
  EXPECT_EQ(result("float", product + "  %r = fsub contract float %b, %m\n", {a, one}, kAppleNumerics),
            once | minus);
  EXPECT_EQ(result("float", negated + "  %r = fadd contract float %g, %b\n", {a, one}, kAppleNumerics),
            once | minus);
  EXPECT_EQ(result("float", negated + "  %r = fsub contract float %b, %g\n", {a, minusOne}, kAppleNumerics),
            once);
}

TEST(ContractField, TakesItsFlagsAwaySoThatTheCodeGeneratorFusesNothing) {
  const auto lowered = Kernel(R"(
define void @k() {
  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %a = load float, ptr addrspace(5) %o
  %m = fmul contract float %a, %a
  %s = fdiv contract float %m, 3.0
  %r = fadd contract float %s, 1.0
  store float %r, ptr addrspace(5) %o
  ret void
}
)")
                           .lower();
  ASSERT_TRUE(lowered);
  EXPECT_THAT(disassemble(*lowered), testing::Not(testing::HasSubstr("vfm")));
}

// LLVM makes comparisons and signs of bfloat out of these, and would have them computed as floats that flush.
TEST(BfloatBits, AreWhatTheKernelsIntegersSay) {
  const auto bits = [](const std::string &body, uint16_t value, const NumericsProfile &numerics) {
    std::vector<uint16_t> data{value, 0x1234, 0x1234};
    Kernel k("define void @k() {\n  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
             "  %x = load bfloat, ptr addrspace(5) %o\n  %b = bitcast bfloat %x to i16\n" +
             body +
             "  %q = getelementptr i16, ptr addrspace(5) %o, i32 1\n  store bfloat %x, ptr addrspace(5) %q\n"
             "  %p = getelementptr i16, ptr addrspace(5) %o, i32 2\n  store i16 %r, ptr addrspace(5) %p\n"
             "  ret void\n}\n");
    k.options.numerics = numerics;
    k.bind(0, data);
    EXPECT_TRUE(k.run());
    EXPECT_EQ(data[1], value);
    return data[2];
  };
  const std::string magnitude = "  %m = and i16 %b, 32767\n";
  for (const NumericsProfile &numerics : {kAppleNumerics, kIeeeNumerics})
    for (uint32_t value :
         {0u, 0x8000u, 1u, 0x8001u, 0x7fu, 0x80u, 0x3f80u, 0xbf80u, 0x7f80u, 0x7f81u, 0xffc1u}) {
      const uint16_t v = uint16_t(value);
      EXPECT_EQ(bits(magnitude + "  %c = icmp eq i16 %m, 0\n  %r = zext i1 %c to i16\n", v, numerics),
                (v & 0x7fff) == 0);
      EXPECT_EQ(bits(magnitude + "  %c = icmp ugt i16 %m, 32640\n  %r = zext i1 %c to i16\n", v, numerics),
                (v & 0x7fff) > 0x7f80);
      EXPECT_EQ(
          bits("  %e = and i16 %b, 32640\n  %c = icmp eq i16 %e, 0\n  %r = zext i1 %c to i16\n", v, numerics),
          (v & 0x7f80) == 0);
      EXPECT_EQ(
          bits(magnitude + "  %f = bitcast i16 %m to bfloat\n  %r = bitcast bfloat %f to i16\n", v, numerics),
          v & 0x7fff);
    }
}

TEST(FastFunctionsField, AnswersTheShimAndDropsTheOtherBranch) {
  const std::string body = "  %f = call i1 @__assay_fast_recipes()\n  br i1 %f, label %yes, label %no\nyes:\n"
                           "  br label %end\nno:\n  br label %end\nend:\n"
                           "  %r = phi float [ 1.0, %yes ], [ 2.0, %no ]\n";
  NumericsProfile profile = kAppleNumerics;
  const auto run = [&] {
    std::vector<uint32_t> data{0};
    Kernel k("declare i1 @__assay_fast_recipes()\ndefine void @k() {\n"
             "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n" +
             body + "  store float %r, ptr addrspace(5) %o\n  ret void\n}\n");
    k.options.numerics = profile;
    k.bind(0, data);
    EXPECT_TRUE(k.run());
    return std::bit_cast<float>(data[0]);
  };
  EXPECT_EQ(run(), 1.0f);
  profile.fastFunctions = FastFunctions::Rounded;
  EXPECT_EQ(run(), 2.0f);
}

} // namespace
} // namespace assay::lowering::test
