// Calls through pointers: which function each number calls, and what is no function.
#include "kernel_runner.h"

namespace assay::lowering::test {
namespace {

const std::string kOneAndTen = R"(
define i32 @_Z3onei(i32 %x) {
  %r = add i32 %x, 1
  ret i32 %r
}
define i32 @_Z3teni(i32 %x) {
  %r = add i32 %x, 10
  ret i32 %r
}
)";

// What the kernel reads is the pointer that it calls; the result is the next word.
const std::string kFunctions = kOneAndTen + R"(
define i32 @_Z4pairii(i32 %x, i32 %y) {
  ret i32 %x
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %f = load ptr, ptr addrspace(5) %b
  %r = call i32 %f(i32 5)
  %o = getelementptr i8, ptr addrspace(5) %b, i64 8
  store i32 %r, ptr addrspace(5) %o
  ret void
}
)";

struct Pointers : Kernel {
  explicit Pointers(std::string text, std::vector<uint32_t> linked) : Kernel(std::move(text)) {
    for (const char *symbol : {"_Z3onei", "_Z3teni", "_Z4pairii"})
      module.otherFunctions.push_back({symbol + 3, "visible", {}, "int (int)", symbol, {}});
    options.linkedFunctions = std::move(linked);
    ArgumentInfo table;
    table.kind = ArgumentKind::FunctionTable;
    table.index = 1;
    info.arguments.push_back(table);
  }
  /// The word that follows the pointer after the kernel has run.
  uint32_t call(uint64_t pointer) {
    std::vector<uint64_t> data{pointer, 0};
    bind(0, data);
    calls.clear();
    return run() ? uint32_t(data[1]) : ~0u;
  }
};

} // namespace

TEST(FunctionTables, ANumberCallsItsFunctionAndNoOther) {
  for (const bool debug : {false, true}) {
    Pointers k(kFunctions, {1, 2, 3});
    k.options.debug = debug;
    EXPECT_EQ(k.call(1), 6u);
    EXPECT_EQ(k.call(2), 15u);
    for (const uint64_t none : {uint64_t(0), uint64_t(3), uint64_t(4), uint64_t(1) << 32 | 1}) {
      k.call(none);
      ASSERT_EQ(k.calls.size(), 1u) << none;
      EXPECT_EQ(k.calls[0].name, "no_function");
      EXPECT_EQ(k.calls[0].address, none);
      EXPECT_EQ(k.siteOf(k.calls[0]).kind, SiteKind::PointerCall);
    }
    EXPECT_EQ(k.code().pointedFunctions.size(), 3u);
  }
}

TEST(FunctionTables, AFunctionThatIsNotLinkedIsNotCalled) {
  Pointers k(kFunctions, {2});
  EXPECT_EQ(k.call(2), 15u);
  k.call(1);
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "no_function");
}

TEST(FunctionTables, AKernelWithATableNeedsNoLinkedFunction) {
  Pointers k(kFunctions, {});
  k.call(1);
  ASSERT_EQ(k.calls.size(), 1u);
  EXPECT_EQ(k.calls[0].name, "no_function");
}

TEST(FunctionTables, LinkedFunctionsLeaveNothing) {
  Pointers k(R"(
declare void @_Z7nowherev()
define i32 @_Z3onei(i32 %x) {
  call void @_Z7nowherev()
  ret i32 %x
}
define void @k() {
  ret void
}
)",
             {1});
  EXPECT_TRUE(k.lower()) << "nothing calls it";
}

// Addresses that the kernel takes itself have the numbers after those of the module's visible functions.
TEST(FunctionTables, AddressesOfOtherFunctionsAreNumbersToo) {
  for (const bool debug : {false, true}) {
    Pointers k(kOneAndTen + R"(
@table = internal addrspace(6) constant [2 x ptr] [ptr @hidden, ptr @_Z3teni]
define internal i32 @hidden(i32 %x) {
  %r = add i32 %x, 100
  ret i32 %r
}
define internal i32 @apply(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %i = load i64, ptr addrspace(5) %b
  %e = getelementptr [2 x ptr], ptr addrspace(6) @table, i64 0, i64 %i
  %f = load ptr, ptr addrspace(6) %e
  %r = call i32 @apply(ptr %f, i32 5)
  %same = icmp eq ptr %f, @hidden
  %s = select i1 %same, i32 1000, i32 0
  %t = add i32 %r, %s
  %o = getelementptr i8, ptr addrspace(5) %b, i64 8
  store i32 %t, ptr addrspace(5) %o
  ret void
}
)",
               {1});
    k.options.debug = debug;
    EXPECT_EQ(k.call(0), 1105u);
    EXPECT_EQ(k.call(1), 15u);
    ASSERT_GE(k.code().pointedFunctions.size(), 4u);
    EXPECT_EQ(k.code().pointedFunctions.back().name, "hidden");
  }
}

TEST(FunctionTables, AFunctionThatIsPassedToAHelperIsNoChoice) {
  // f and g are both passed to `apply`, and f itself calls it: no recursion, since each is known.
  Kernel k(R"(
define internal i32 @apply(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define internal i32 @g(i32 %x) {
  %r = add i32 %x, 7
  ret i32 %r
}
define internal i32 @f(i32 %x) {
  %r = call i32 @apply(ptr @g, i32 %x)
  ret i32 %r
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %v = load i32, ptr addrspace(5) %b
  %r = call i32 @apply(ptr @f, i32 %v)
  store i32 %r, ptr addrspace(5) %b
  ret void
}
)");
  std::vector<uint32_t> data{1};
  k.bind(0, data);
  ASSERT_TRUE(k.run());
  EXPECT_EQ(data[0], 8u);
}

TEST(FunctionTables, RecursionThroughAPointerIsNamed) {
  const auto lowered = Pointers(R"(
define i32 @_Z3onei(i32 %x) {
  %p = call ptr addrspace(5) @__assay_buffer_device(i32 2)
  %f = load ptr, ptr addrspace(5) %p
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define i32 @_Z3teni(i32 %x) {
  ret i32 %x
}
define void @k() {
  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %f = load ptr, ptr addrspace(5) %b
  %r = call i32 %f(i32 5)
  ret void
}
)",
                                {1, 2})
                           .lower();
  ASSERT_FALSE(lowered);
  EXPECT_EQ(lowered.error().rule(), "unsupported");
  EXPECT_EQ(lowered.error().message(), "recursion: one may call itself through a function pointer");
}

} // namespace assay::lowering::test
