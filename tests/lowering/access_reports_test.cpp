// Reports of atomic operations and of constant memory, at the operation. Plain accesses are in
// access_marks_test.cpp.
#include "tests/lowering/kernel_runner.h"

namespace assay::lowering::test {
namespace {

Kernel run(const std::string &body, std::vector<uint32_t> &data) {
  Kernel k("define void @k() {\n  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n" + body +
           "  ret void\n}\n");
  k.options.observeMemory = true;
  k.bind(0, data);
  EXPECT_TRUE(k.run());
  std::erase_if(k.calls, [](const Call &call) { return call.name != "observe_access"; }); // lanes may meet
  return k;
}

TEST(AccessReports, SayWhatAnAtomicOperationDoes) {
  std::vector<uint32_t> data{5};
  Kernel k = run("  %a = load atomic i32, ptr addrspace(5) %d monotonic, align 4\n"
                 "  store atomic i32 %a, ptr addrspace(5) %d monotonic, align 4\n"
                 "  %b = atomicrmw add ptr addrspace(5) %d, i32 1 monotonic\n",
                 data);
  ASSERT_EQ(k.calls.size(), 3u);
  const AtomicKind expected[] = {AtomicKind::Load, AtomicKind::Store, AtomicKind::Update};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(k.siteOf(k.calls[i]).access, AccessKind::Atomic);
    EXPECT_EQ(k.siteOf(k.calls[i]).atomic, expected[i]);
    EXPECT_EQ(k.calls[i].address, reinterpret_cast<uint64_t>(data.data()));
  }
  EXPECT_EQ(data[0], 6u);
}

TEST(AccessReports, ACompareAndExchangeThatFailsIsARead) {
  for (const uint32_t expected : {5u, 4u}) {
    std::vector<uint32_t> data{5};
    Kernel k = run("  %a = cmpxchg ptr addrspace(5) %d, i32 " + std::to_string(expected) +
                       ", i32 9 monotonic monotonic\n",
                   data);
    ASSERT_EQ(k.calls.size(), 1u);
    EXPECT_EQ(k.siteOf(k.calls[0]).atomic, expected == 5 ? AtomicKind::Update : AtomicKind::Load);
    EXPECT_EQ(data[0], expected == 5 ? 9u : 5u);
  }
}

TEST(AccessReports, ReadsOfConstantBuffersAreReported) {
  std::vector<uint32_t> data{0}, parameters{3};
  Kernel k(R"(
define void @k() {
  %d = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %c = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %x = load i32, ptr addrspace(6) %c
  store i32 %x, ptr addrspace(5) %d
  ret void
}
)");
  k.options.observeMemory = true;
  k.bind(0, data);
  k.bind(1, parameters);
  ASSERT_TRUE(k.run());
  ASSERT_EQ(k.calls.size(), 2u);
  EXPECT_EQ(k.siteOf(k.calls[0]).slot, 1u);
  EXPECT_EQ(k.siteOf(k.calls[1]).slot, 0u);
}

} // namespace
} // namespace assay::lowering::test
