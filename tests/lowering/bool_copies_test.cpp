// A bool that is only copied keeps its byte; one that is used is its lowest bit.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// out[0] from in[0].
uint8_t run(const std::string &body, uint8_t byte, bool debug = false) {
  Kernel k("define internal i1 @same(i1 %x) {\n"
           "  %v = alloca i8\n  %s = zext i1 %x to i8\n  store i8 %s, ptr %v\n"
           "  %l = load i8, ptr %v\n  %b = trunc i8 %l to i1\n  ret i1 %b\n}\n"
           "define void @k() {\n"
           "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %p = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n"
           "  %v = alloca i8\n" +
           body + "  ret void\n}\n");
  k.options.debug = debug;
  std::vector<uint8_t> out(4), in{byte, 0, 0, 0};
  k.bind(0, out);
  k.bind(1, in);
  EXPECT_TRUE(k.run()) << body;
  return out[0];
}

const std::string kLoad = "  %i = load i8, ptr addrspace(5) %p\n  %b = trunc i8 %i to i1\n";
const std::string kStore = "  store i8 %r, ptr addrspace(5) %o\n";

TEST(BoolCopies, KeepTheByte) {
  for (const uint8_t byte : {0, 1, 2, 22, 23, 255})
    for (const bool debug : {false, true})
      EXPECT_EQ(run(kLoad + "  %r = zext i1 %b to i8\n" + kStore, byte, debug), byte);
}

TEST(BoolCopies, KeepTheByteThroughVariablesAndFunctions) {
  for (const uint8_t byte : {0, 1, 22, 23}) {
    EXPECT_EQ(run(kLoad +
                      "  %z = zext i1 %b to i8\n  store i8 %z, ptr %v\n  %w = load i8, ptr %v\n"
                      "  %c = trunc i8 %w to i1\n  %r = zext i1 %c to i8\n" +
                      kStore,
                  byte),
              byte);
    EXPECT_EQ(run(kLoad + "  %c = call i1 @same(i1 %b)\n  %r = zext i1 %c to i8\n" + kStore, byte), byte);
  }
}

TEST(BoolCopies, AConversionToANumberIsTheLowestBit) {
  for (const uint8_t byte : {0, 1, 22, 23})
    EXPECT_EQ(run(kLoad + "  %r = select i1 %b, i8 1, i8 0\n" + kStore, byte), byte & 1);
}

TEST(BoolCopies, ADecisionIsByTheLowestBit) {
  for (const uint8_t byte : {0, 1, 22, 23})
    EXPECT_EQ(run(kLoad +
                      "  %z = zext i1 %b to i8\n  store i8 %z, ptr %v\n  %w = load i8, ptr %v\n"
                      "  %c = trunc i8 %w to i1\n  %r = select i1 %c, i8 7, i8 9\n" +
                      kStore,
                  byte),
              byte & 1 ? 7 : 9);
}

} // namespace
} // namespace assay::lowering::test
