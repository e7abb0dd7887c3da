// Loads and stores of shadows are no accesses of the kernel: nobody reports or checks them.
#include "lowering/shadow_accesses.h"

#include "tests/lowering/tracked_kernel.h"

namespace assay::lowering::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

size_t callsOf(const Kernel &k, const std::string &name) {
  return size_t(
      std::count_if(k.calls.begin(), k.calls.end(), [&](const Call &call) { return call.name == name; }));
}

TEST(ShadowAccesses, AreNeitherReportedNorChecked) {
  const std::string body = R"(
  %n = load i32, ptr addrspace(5) %in
  %p = getelementptr [16 x i32], ptr addrspace(3) @tile, i32 0, i32 %n
  store i32 3, ptr addrspace(3) %p
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
  store i32 %n, ptr %q
  %v = load i32, ptr %q
  %w = load i32, ptr addrspace(3) %p
  %s = add i32 %v, %w
  store i32 %s, ptr addrspace(5) %out
  ret void
)";
  for (const TrackUndefined track : {TrackUndefined::No, TrackUndefined::Local, TrackUndefined::WithDevice}) {
    Kernel k = tracked(body, track);
    k.options.observeMemory = true;
    const Reports reports = run(k);
    EXPECT_THAT(reports.what, IsEmpty());
    EXPECT_EQ(reports.out[0], 4u);
    EXPECT_EQ(callsOf(k, "observe_access"), 4u); // in, tile twice, out
    EXPECT_EQ(callsOf(k, "check_access"), 0u);
  }
}

} // namespace
} // namespace assay::lowering::test
