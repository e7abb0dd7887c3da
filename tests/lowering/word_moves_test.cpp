// A bfloat that only moves keeps every bit, whatever CPU the code is for: subnormals, signalling NaNs.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

constexpr uint16_t kSubnormal = 0x0040, kSignalling = 0x7f81, kOther = 0x3f80;

// out[0..3] from in[0], in[1]; n is 3.
std::vector<uint16_t> run(const std::string &body, uint16_t first, uint16_t second) {
  Kernel k("define void @k() {\n"
           "  %o = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
           "  %pa = call ptr addrspace(5) @__assay_buffer_device(i32 1)\n"
           "  %pb = getelementptr bfloat, ptr addrspace(5) %pa, i32 1\n"
           "  %n = call i32 @__assay_builtin(i32 0, i32 0)\n" +
           body + "}\n");
  std::vector<uint16_t> out(4), in{first, second, 0, 0};
  k.bind(0, out);
  k.bind(1, in);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, 3);
  EXPECT_TRUE(k.run()) << body;
  return out;
}

void expectFirst(const std::string &body) {
  for (const uint16_t bits : {kSubnormal, uint16_t(kSubnormal | 0x8000), kSignalling})
    EXPECT_EQ(run(body, bits, kOther)[0], bits) << body;
}

const std::string kLoads =
    "  %a = load bfloat, ptr addrspace(5) %pa\n  %b = load bfloat, ptr addrspace(5) %pb\n";

TEST(WordMoves, KeepBitsFromBlockToBlock) {
  expectFirst(kLoads + "  %c = icmp eq i32 %n, 3\n  br i1 %c, label %yes, label %no\n"
                       "yes:\n  store bfloat %a, ptr addrspace(5) %o\n  ret void\n"
                       "no:\n  store bfloat %b, ptr addrspace(5) %o\n  ret void\n");
}

TEST(WordMoves, KeepBitsThroughSelectsAndPhis) {
  expectFirst(kLoads + "  %c = icmp eq i32 %n, 3\n  %r = select i1 %c, bfloat %a, bfloat %b\n"
                       "  store bfloat %r, ptr addrspace(5) %o\n  ret void\n");
  expectFirst(
      kLoads +
      "  br label %loop\n"
      "loop:\n  %i = phi i32 [ 0, %0 ], [ %next, %loop ]\n  %x = phi bfloat [ %b, %0 ], [ %y, %loop ]\n"
      "  %y = phi bfloat [ %a, %0 ], [ %x, %loop ]\n  %next = add i32 %i, 1\n"
      "  %c = icmp ult i32 %next, %n\n  br i1 %c, label %loop, label %end\n" // two turns: %x is %b again
      "end:\n  %d = icmp eq i32 %n, 3\n  %r = select i1 %d, bfloat %y, bfloat %x\n"
      "  store bfloat %r, ptr addrspace(5) %o\n  ret void\n");
}

// Vector code's accesses, here of two lanes.
TEST(WordMoves, KeepBitsInMaskedAccesses) {
  const std::string mask = "<2 x i1> <i1 1, i1 0>";
  expectFirst("  %v = call <2 x bfloat> @llvm.masked.load.v2bf16.p5(ptr addrspace(5) %pa, i32 2, " + mask +
              ", <2 x bfloat> zeroinitializer)\n"
              "  call void @llvm.masked.store.v2bf16.p5(<2 x bfloat> %v, ptr addrspace(5) %o, i32 2, " +
              mask + ")\n  ret void\n");
  const std::string places = "getelementptr bfloat, ptr addrspace(5) ";
  expectFirst(
      "  %from = " + places + "%pa, <2 x i64> <i64 0, i64 1>\n  %to = " + places +
      "%o, <2 x i64> <i64 0, i64 1>\n"
      "  %v = call <2 x bfloat> @llvm.masked.gather.v2bf16.v2p5(<2 x ptr addrspace(5)> %from, i32 2, " +
      mask +
      ", <2 x bfloat> zeroinitializer)\n"
      "  call void @llvm.masked.scatter.v2bf16.v2p5(<2 x bfloat> %v, <2 x ptr addrspace(5)> %to, "
      "i32 2, " +
      mask + ")\n  ret void\n");
}

// A scatter of halves by way of floats would make a signalling NaN quiet.
TEST(WordMoves, KeepBitsInAScatterOfHalves) {
  const std::string body = "  %v = load <2 x half>, ptr addrspace(5) %pa\n"
                           "  %to = getelementptr half, ptr addrspace(5) %o, <2 x i64> <i64 1, i64 0>\n"
                           "  call void @llvm.masked.scatter.v2f16.v2p5(<2 x half> %v, "
                           "<2 x ptr addrspace(5)> %to, i32 2, <2 x i1> <i1 1, i1 1>)\n  ret void\n";
  EXPECT_EQ(run(body, 0x7c01, 0x0001), (std::vector<uint16_t>{0x0001, 0x7c01, 0, 0}));
}

TEST(WordMoves, KeepBitsInVectors) {
  const std::string body =
      "  %v = load <2 x bfloat>, ptr addrspace(5) %pa\n"
      "  %s = shufflevector <2 x bfloat> %v, <2 x bfloat> poison, <2 x i32> <i32 1, i32 0>\n"
      "  %e = extractelement <2 x bfloat> %s, i32 1\n"
      "  %w = insertelement <2 x bfloat> %s, bfloat %e, i32 0\n"
      "  %c = icmp eq i32 %n, 3\n"
      "  %r = select i1 %c, <2 x bfloat> %w, <2 x bfloat> <bfloat 1.0, bfloat 2.0>\n"
      "  store <2 x bfloat> %r, ptr addrspace(5) %o\n  ret void\n";
  expectFirst(body);
}

TEST(WordMoves, MeetConstantsAndBitsOfIntegers) {
  const std::string body = kLoads +
                           "  %c = icmp eq i32 %n, 4\n  %s = select i1 %c, bfloat %b, bfloat 0xR4049\n"
                           "  store bfloat %s, ptr addrspace(5) %o\n"
                           "  %i = bitcast bfloat %a to i16\n  %j = add i16 %i, 1\n"
                           "  %k = bitcast i16 %j to bfloat\n  %d = icmp eq i32 %n, 3\n"
                           "  %t = select i1 %d, bfloat %k, bfloat %a\n"
                           "  %o1 = getelementptr bfloat, ptr addrspace(5) %o, i32 1\n"
                           "  store bfloat %t, ptr addrspace(5) %o1\n  ret void\n";
  const auto out = run(body, kSubnormal, kOther);
  EXPECT_EQ(out[0], 0x4049);
  EXPECT_EQ(out[1], kSubnormal + 1);
}

} // namespace
} // namespace assay::lowering::test
