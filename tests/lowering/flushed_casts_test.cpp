// Conversions between float and double flush, whoever folds them. The operands are 2^-127 and 2^-63.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// The bits that `body` leaves in %r, a float, with optimisation and without. %x is the float in memory.
uint32_t resultOf(const std::string &body, uint32_t bits) {
  std::vector<uint32_t> results;
  for (bool debug : {false, true}) {
    Kernel k("define void @k() {\n"
             "  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
             "  %x = load float, ptr addrspace(5) %b\n" +
             body +
             "  store float %r, ptr addrspace(5) %b\n"
             "  ret void\n"
             "}\n");
    k.options.debug = debug;
    std::vector<uint32_t> data{bits};
    k.bind(0, data);
    EXPECT_TRUE(k.run());
    results.push_back(data[0]);
  }
  EXPECT_EQ(results[0], results[1]);
  return results[0];
}

constexpr uint32_t kSubnormal = 0x80400000, kRootOfSubnormal = 0x20000000, kOne = 0x3f800000;

const std::string kDoubled = "  %s = fmul double %d, 0x47D0000000000000\n" // 2^126
                             "  %r = fptrunc double %s to float\n";

TEST(FlushedCasts, AnExtendedSubnormalIsZero) {
  EXPECT_EQ(resultOf("  %d = fpext float %x to double\n" + kDoubled, kSubnormal), 0x80000000u);
  EXPECT_EQ(resultOf("  %d = fpext float 0xB800000000000000 to double\n" + kDoubled, kOne), 0x80000000u);
  // The constant comes into sight only when the code is optimised.
  EXPECT_EQ(resultOf("  %v = alloca float\n  store float 0xB800000000000000, ptr %v\n"
                     "  %y = load float, ptr %v\n  %d = fpext float %y to double\n" +
                         kDoubled,
                     kOne),
            0x80000000u);
}

TEST(FlushedCasts, ATruncatedSubnormalIsZero) {
  const std::string squared = "  %s = fmul double %d, %d\n  %n = fneg double %s\n"
                              "  %r = fptrunc double %n to float\n";
  EXPECT_EQ(resultOf("  %d = fpext float %x to double\n" + squared, kRootOfSubnormal - 0x400000),
            0x80000000u);
  EXPECT_EQ(resultOf("  %d = fpext float 0x3BF0000000000000 to double\n" + squared, kOne), 0x80000000u);
}

// LLVM takes both conversions out, and the flush stays.
TEST(FlushedCasts, AFloatThatIsExtendedAndTruncatedIsFlushed) {
  const std::string both = "  %d = fpext float %x to double\n  %r = fptrunc double %d to float\n";
  EXPECT_EQ(resultOf(both, kSubnormal), 0x80000000u);
  EXPECT_EQ(resultOf(both, kOne), kOne);
  EXPECT_EQ(resultOf(both, 0x7f800000u), 0x7f800000u);
}

// The processor flushes: no instruction is left of the marks.
TEST(FlushedCasts, AConversionIsOneInstruction) {
  const auto lowered = Kernel("define void @k() {\n"
                              "  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
                              "  %x = load float, ptr addrspace(5) %b\n"
                              "  %d = fpext float %x to double\n"
                              "  %s = fmul double %d, %d\n"
                              "  %t = fmul double %s, %d\n" // no float could hold it
                              "  %r = fptrunc double %t to float\n"
                              "  store float %r, ptr addrspace(5) %b\n"
                              "  ret void\n"
                              "}\n")
                           .lower();
  ASSERT_TRUE(lowered);
  const std::string code = disassemble(*lowered);
  EXPECT_NE(code.find("cvtss2sd"), std::string::npos) << code;
  EXPECT_EQ(code.find("2139095040"), std::string::npos) << code; // 0x7f800000, of a test of the exponent
}

} // namespace
} // namespace assay::lowering::test
