// The order of sites and the counters of loops: the lane that has come the least far has the smaller key.
#include "kernel_runner.h"

#include "lowering/reconvergence.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace assay::lowering::test {
namespace {

// Sites are told apart by the operand of their simd operation: `S(n)` in a body is such a site.
std::string withSites(std::string body) {
  for (size_t at; (at = body.find("S(")) != std::string::npos;) {
    const size_t end = body.find(')', at);
    const std::string number = body.substr(at + 2, end - at - 2);
    body.replace(at, end - at + 1,
                 "call void @__assay_simd_op(i32 " + std::to_string(int(SimdOp::Broadcast)) +
                     ", i32 6, i32 1, ptr %in, ptr %out, i32 " + number + ")");
  }
  return "define void @k() {\n  %in = alloca i32\n  %out = alloca i32\n"
         "  %b = call ptr addrspace(5) @__assay_buffer_device(i32 0)\n"
         "  %n = call i32 @__assay_builtin(i32 0, i32 0)\n  %m = call i32 @__assay_builtin(i32 0, i32 1)\n" +
         body + "}\n";
}

/// A position as the runtime compares them.
using Key = std::vector<uint32_t>;

Key keyOf(const SiteInfo &site, const std::vector<uint32_t> &counters) {
  Key key;
  for (const SiteLoop &loop : site.loops) {
    key.push_back(loop.order);
    key.push_back(counters.at(loop.counter));
  }
  key.push_back(site.order);
  return key;
}

struct Step {
  uint32_t site;
  Key key;
};

// The simd operations of one lane with (n, m) = its builtins; predicates come from the buffer.
std::vector<Step> stepsOf(Kernel &k, uint32_t n, uint32_t m,
                          std::vector<uint32_t> data = std::vector<uint32_t>(64)) {
  k.bind(0, data);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 0, n);
  k.setBuiltin(Builtin::ThreadPositionInGrid, 1, m);
  EXPECT_TRUE(k.run());
  std::vector<Step> steps;
  for (const Call &call : k.calls)
    if (call.name == "simd_op")
      steps.push_back({call.operand, keyOf(k.siteOf(call), call.counters)});
  return steps;
}

std::vector<uint32_t> sitesOf(const std::vector<Step> &steps) {
  std::vector<uint32_t> sites;
  for (const Step &step : steps)
    sites.push_back(step.site);
  return sites;
}

// Runs lanes as the runtime does: whoever has the smallest key goes first, with all that have the same.
// Returns "site:lanes" in the order in which they happen.
std::vector<std::string> schedule(const std::vector<std::vector<Step>> &lanes) {
  std::vector<size_t> at(lanes.size());
  std::vector<std::string> events;
  for (;;) {
    const Key *smallest = nullptr;
    for (size_t i = 0; i < lanes.size(); ++i)
      if (at[i] < lanes[i].size() && (!smallest || lanes[i][at[i]].key < *smallest))
        smallest = &lanes[i][at[i]].key;
    if (!smallest)
      return events;
    const Key key = *smallest;
    std::string event;
    for (size_t i = 0; i < lanes.size(); ++i)
      if (at[i] < lanes[i].size() && lanes[i][at[i]].key == key) {
        if (event.empty())
          event = std::to_string(lanes[i][at[i]].site) + ":";
        event += std::to_string(i);
        ++at[i];
      }
    events.push_back(event);
  }
}

void expectAscending(const std::vector<Step> &steps) {
  for (size_t i = 1; i < steps.size(); ++i)
    EXPECT_LT(steps[i - 1].key, steps[i].key) << "step " << i;
}

TEST(Reconvergence, BranchesMeetAfterTheIf) {
  Kernel k(withSites(R"(
  %c = icmp eq i32 %n, 0
  br i1 %c, label %yes, label %no
yes:
  S(1)
  br label %join
no:
  S(2)
  br label %join
join:
  S(3)
  ret void
)"));
  const auto a = stepsOf(k, 0, 0), b = stepsOf(k, 1, 0);
  EXPECT_THAT(sitesOf(a), testing::ElementsAre(1, 3));
  EXPECT_THAT(sitesOf(b), testing::ElementsAre(2, 3));
  const auto events = schedule({a, b, a});
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events.back(), "3:012");
  EXPECT_THAT(events, testing::Contains("1:02"));
  EXPECT_THAT(events, testing::Contains("2:1"));
}

// Once, a count of the edges into a node was kept in eight bits.
TEST(Reconvergence, ALoopOfHundredsOfBranchesIsNumberedOnce) {
  std::string body = R"(
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  br label %at0
)";
  constexpr int kBranches = 300;
  for (int n = 0; n < kBranches; ++n) {
    const std::string number = std::to_string(n), next = std::to_string(n + 1);
    body += "at" + number + ":\n  %v" + number + " = load volatile i32, ptr addrspace(5) %q\n  %c" + number +
            " = icmp eq i32 %v" + number + ", " + number + "\n  br i1 %c" + number + ", label %do" + number +
            ", label %at" + next + "\ndo" + number + ":\n  store volatile i32 " + number +
            ", ptr addrspace(5) %q\n  br label %at" + next + "\n";
  }
  body += "at" + std::to_string(kBranches) + R"(:
  S(1)
  br label %latch
latch:
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %head, label %end
end:
  S(2)
  ret void
)";
  Kernel k(withSites(body));
  const auto steps = stepsOf(k, 2, 0);
  EXPECT_THAT(sitesOf(steps), testing::ElementsAre(1, 1, 2));
  expectAscending(steps);
}

constexpr const char *kLoop = R"(
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  S(1)
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  %skip = load volatile i32, ptr addrspace(5) %q
  %s = icmp eq i32 %skip, 1
  br i1 %s, label %latch, label %rest
rest:
  S(2)
  br label %latch
latch:
  %j = add i32 %i, 1
  br label %head
end:
  S(3)
  ret void
)";

TEST(Reconvergence, LanesWithFewerIterationsWaitAfterTheLoop) {
  Kernel k(withSites(kLoop));
  const auto two = stepsOf(k, 2, 0), three = stepsOf(k, 3, 0), none = stepsOf(k, 0, 0);
  EXPECT_THAT(sitesOf(two), testing::ElementsAre(1, 2, 1, 2, 3));
  EXPECT_THAT(schedule({two, three, none}),
              testing::ElementsAre("1:01", "2:01", "1:01", "2:01", "1:1", "2:1", "3:012"));
  EXPECT_EQ(k.code().loopCounters, 1u);
}

TEST(Reconvergence, ALaneThatContinuesWaitsForItsPeers) {
  Kernel k(withSites(kLoop));
  const auto all = stepsOf(k, 2, 0), skipsFirst = stepsOf(k, 2, 0, {1, 0, 0, 0});
  EXPECT_THAT(sitesOf(skipsFirst), testing::ElementsAre(1, 1, 2, 3));
  EXPECT_THAT(schedule({all, skipsFirst}), testing::ElementsAre("1:01", "2:0", "1:01", "2:01", "3:01"));
}

TEST(Reconvergence, CountersStartAgainInEachRunOfAnInnerLoop) {
  Kernel k(withSites(R"(
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i1, %outer.latch ]
  S(1)
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  %trips = load volatile i32, ptr addrspace(5) %q
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner.body ]
  %c = icmp ult i32 %j, %trips
  br i1 %c, label %inner.body, label %outer.latch
inner.body:
  S(2)
  %j1 = add i32 %j, 1
  br label %inner
outer.latch:
  S(3)
  %i1 = add i32 %i, 1
  %d = icmp ult i32 %i1, %n
  br i1 %d, label %outer, label %end
end:
  S(4)
  ret void
)"));
  const auto a = stepsOf(k, 2, 0, {2, 1}), b = stepsOf(k, 2, 0, {0, 3});
  expectAscending(a);
  expectAscending(b);
  EXPECT_THAT(schedule({a, b}), testing::ElementsAre("1:01", "2:0", "2:0", "3:01", "1:01", "2:01", "2:1",
                                                     "2:1", "3:01", "4:01"));
  EXPECT_EQ(k.code().loopCounters, 2u);
}

TEST(Reconvergence, OnlyLoopsWithSitesAreCounted) {
  Kernel k(withSites(R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  store volatile i32 %i, ptr addrspace(5) %q
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  S(1)
  ret void
)"));
  k.build();
  EXPECT_EQ(k.code().loopCounters, 0u);
}

TEST(Reconvergence, TheBodyOfABreakRunsOncePerIteration) {
  // for (...) { S1; if (data[i] == lane's m) { S2; break; } } S3
  Kernel k(withSites(R"(
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  S(1)
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  %v = load volatile i32, ptr addrspace(5) %q
  %found = icmp eq i32 %v, %m
  br i1 %found, label %break, label %latch
break:
  S(2)
  br label %end
latch:
  %j = add i32 %i, 1
  br label %head
end:
  S(3)
  ret void
)"));
  const std::vector<uint32_t> data{7, 8, 9, 10};
  const auto first = stepsOf(k, 4, 7, data), second = stepsOf(k, 4, 8, data), never = stepsOf(k, 4, 99, data);
  EXPECT_THAT(sitesOf(second), testing::ElementsAre(1, 1, 2, 3));
  for (const auto &steps : {first, second, never})
    expectAscending(steps);
  EXPECT_THAT(schedule({first, second, never, first}),
              testing::ElementsAre("1:0123", "2:03", "1:12", "2:1", "1:2", "1:2", "3:0123"));
}

TEST(Reconvergence, LanesThatFoundSomethingMeetAfterTheLoop) {
  // bool found = false; for (...) { S1; if (data[i] == m) { found = true; break; } } if (found) S2; S3
  Kernel k(withSites(R"(
  %flag = alloca i1
  store i1 false, ptr %flag
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  S(1)
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  %v = load volatile i32, ptr addrspace(5) %q
  %found = icmp eq i32 %v, %m
  br i1 %found, label %break, label %latch
break:
  store i1 true, ptr %flag
  br label %end
latch:
  %j = add i32 %i, 1
  br label %head
end:
  %f = load i1, ptr %flag
  br i1 %f, label %yes, label %rest
yes:
  S(2)
  br label %rest
rest:
  S(3)
  ret void
)"));
  const std::vector<uint32_t> data{7, 8, 9, 10};
  const auto first = stepsOf(k, 4, 7, data), second = stepsOf(k, 4, 8, data), never = stepsOf(k, 4, 99, data);
  EXPECT_THAT(schedule({first, second, never, first}),
              testing::ElementsAre("1:0123", "1:12", "1:2", "1:2", "2:013", "3:0123"));
}

TEST(Reconvergence, AnEarlyReturnDoesNotKeepTheOthersApart) {
  // for (...) { S1; if (data[i] == m) { S2; return; } } S3
  Kernel k(withSites(R"(
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %more = icmp ult i32 %i, %n
  br i1 %more, label %body, label %end
body:
  S(1)
  %q = getelementptr i32, ptr addrspace(5) %b, i32 %i
  %v = load volatile i32, ptr addrspace(5) %q
  %found = icmp eq i32 %v, %m
  br i1 %found, label %leave, label %latch
leave:
  S(2)
  br label %return
latch:
  %j = add i32 %i, 1
  br label %head
end:
  S(3)
  br label %return
return:
  ret void
)"));
  const std::vector<uint32_t> data{7, 8, 9, 10};
  const auto leaves = stepsOf(k, 3, 7, data), two = stepsOf(k, 2, 99, data), three = stepsOf(k, 3, 99, data);
  EXPECT_THAT(schedule({leaves, two, three}), testing::ElementsAre("1:012", "2:0", "1:12", "1:2", "3:12"));
}

// `next` goes round the outer loop or leaves both loops by `out`. It is no body of a break of the inner loop,
// so `out` is none either.
TEST(Reconvergence, WhatComesAfterTheOuterLoopsLatchIsInTheOrder) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString("define void @f(i1 %a, i1 %b, i1 %c, i1 %d) {\n"
                                                "entry:\n  br label %outer\n"
                                                "outer:\n  br label %inner\n"
                                                "inner:\n  br i1 %a, label %body, label %next\n"
                                                "body:\n  br i1 %b, label %inner, label %end\n"
                                                "next:\n  br i1 %c, label %outer, label %out\n"
                                                "out:\n  br label %end\n"
                                                "end:\n  br i1 %d, label %more, label %last\n"
                                                "more:\n  br label %last\n"
                                                "last:\n  ret void\n}\n",
                                                problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  llvm::Function &function = *module->getFunction("f");
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::string order;
  for (const llvm::BasicBlock *block : numberSites(function, loops, dominators, {}).blocks)
    order += block->getName().str() + " ";
  EXPECT_EQ(order, "entry outer inner body next out end more last ");
}

TEST(Reconvergence, IrreducibleFlowIsNumberedToo) {
  Kernel k(withSites(R"(
  %c = icmp eq i32 %m, 0
  br i1 %c, label %a, label %b1
a:
  %ia = phi i32 [ 0, %0 ], [ %i1, %b1 ]
  S(1)
  br label %b1
b1:
  %ib = phi i32 [ 0, %0 ], [ %ia, %a ]
  S(2)
  %i1 = add i32 %ib, 1
  %d = icmp ult i32 %i1, %n
  br i1 %d, label %a, label %end
end:
  S(3)
  ret void
)"));
  const auto x = stepsOf(k, 3, 0), y = stepsOf(k, 3, 1);
  EXPECT_THAT(sitesOf(x), testing::ElementsAre(1, 2, 1, 2, 1, 2, 3));
  EXPECT_THAT(sitesOf(y), testing::ElementsAre(2, 1, 2, 1, 2, 3));
  expectAscending(x);
  expectAscending(y);
  EXPECT_EQ(schedule({x, y}).back(), "3:01");
}

TEST(Reconvergence, NeitherOptimisationNorDebugChangesWhoMeets) {
  Kernel optimised(withSites(kLoop)), debug(withSites(kLoop));
  debug.options.debug = true;
  const std::vector<uint32_t> data{1, 0, 1, 0};
  const auto events = [&](Kernel &k) {
    return schedule({stepsOf(k, 4, 0, data), stepsOf(k, 2, 0), stepsOf(k, 3, 0, {0, 1, 1, 1})});
  };
  EXPECT_EQ(events(optimised), events(debug));
}

} // namespace
} // namespace assay::lowering::test
