// What the loops over threadgroups and simdgroups are spared. tests/vector/whole_groups_test.cpp has the
// results.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// out[i] = n, and n is a parameter in constant memory.
const std::string kFill = R"(
define void @k() {
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %n = call ptr addrspace(6) @__assay_buffer_constant(i32 1)
  %i = call i32 @__assay_builtin(i32 0, i32 0)
  %v = load i32, ptr addrspace(6) %n
  %x = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(5) %out, i64 %x
  store i32 %v, ptr addrspace(5) %p
  ret void
}
)";

TEST(WholeGroups, ReadBoundsBeforeTheLoops) {
  Kernel kernel(kFill);
  const std::string code = kernel.vectorCodeAfter("optimize-code");
  const size_t loops = code.find("\nthreadgroup:");
  ASSERT_NE(loops, std::string::npos) << code;
  EXPECT_THAT(code.substr(loops), Not(HasSubstr("load i64")));
}

TEST(WholeGroups, ReadParametersBeforeTheLoopsIfAllLanesAreThere) {
  Kernel kernel(kFill);
  kernel.options.group.full = true;
  const std::string code = kernel.vectorCodeAfter("optimize-code");
  const size_t loops = code.find("\nthreadgroup:");
  ASSERT_NE(loops, std::string::npos) << code;
  EXPECT_THAT(code.substr(0, loops), HasSubstr("load i32, ptr addrspace(6)"));
  EXPECT_THAT(code.substr(loops), Not(HasSubstr("load i32, ptr addrspace(6)")));
}

} // namespace
} // namespace assay::lowering::test
