// Which variables of a thread a pointer of unknown origin may point into.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

// Stores a word at an address that is kept as a number: of the variable %known, or of the buffer.
std::string storing(const std::string &which) {
  return R"(
define void @k() {
  %known = alloca [4 x i32], align 4
  %own = alloca [4 x i32], align 4
  %kept = alloca [2 x i64], align 8
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %index = zext i32 %i to i64
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %own
  %mine = load volatile i32, ptr %own
  %first = ptrtoint ptr %known to i64
  %second = ptrtoint ptr addrspace(5) %out to i64
  %kept1 = getelementptr i64, ptr %kept, i64 1
  store volatile i64 %first, ptr %kept
  store volatile i64 %second, ptr %kept1
  %number = load volatile i64, ptr )" +
         which + R"(
  %base = inttoptr i64 %number to ptr
  %p = getelementptr i32, ptr %base, i64 %index
  store volatile i32 5, ptr %p
  ret void
}
)";
}

//   known   what the runtime says of the address; if it is not known, the lane ends there
std::vector<std::string> callsOf(const std::string &which, uint32_t index, bool known) {
  Kernel k(storing(which));
  k.denyChecks = !known;
  std::vector<uint32_t> out(4);
  k.bind(2, out);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, index);
  k.run();
  return k.callNames();
}

TEST(EscapedVariables, AreComparedWithBeforeTheRuntimeIsAsked) {
  EXPECT_TRUE(callsOf("%kept", 3, false).empty());
  EXPECT_EQ(callsOf("%kept1", 3, true), std::vector<std::string>{"check_access"});
}

TEST(EscapedVariables, AreOnlyThoseWhoseAddressGetsAway) {
  // Beside %known may lie %own, into which no pointer of unknown origin points.
  for (uint32_t index : {4u, 7u, ~0u})
    EXPECT_EQ(callsOf("%kept", index, false), std::vector<std::string>{"check_access"}) << index;
}

} // namespace
} // namespace assay::lowering::test
