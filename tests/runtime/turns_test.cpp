// Code that lets the simdgroups of a threadgroup take turns at barriers: their order, what they keep, and who
// is named when some of them do not come.
#include "tests/runtime/test_kernel.h"

#include "runtime/statistics.h"

#include <chrono>
#include <set>

namespace assay::runtime::test {
namespace {

using namespace std::chrono_literals;

// What lowering makes around the pieces of a program. `piece(lane, from)` runs one, and gives where the
// simdgroup goes on.
template <class Piece> [[gnu::always_inline]] inline void takeTurns(LaneAbi *first, Piece piece) {
  do {
    LaneAbi *lane = first, *last = first;
    bool waiting = true;
    while (waiting) {
      waiting = false;
      for (; lane; last = lane, lane = lane->next) {
        *const_cast<LaneAbi *volatile *>(&lane->group->running) = lane;
        if (lane->resume == kResumeNever)
          continue;
        lane->resume = piece(lane, lane->resume);
        waiting |= lane->resume != kResumeNever;
      }
      if (waiting)
        lane = assay_rt_open_barrier(last);
    }
  } while (assay_rt_next_threadgroup(first));
}

TestKernel &turns(TestKernel &kernel, uint32_t frameBytes = 0) {
  kernel.info().threadsPerCall = kSimdWidth;
  kernel.info().wholeThreadgroups = kernel.info().takesTurns = true;
  kernel.info().frameBytes = frameBytes;
  return kernel;
}

uint32_t simdgroupOf(const LaneAbi *lane) {
  return builtin(lane, Builtin::SimdgroupIndexInThreadgroup);
}

// Each simdgroup writes its number and the piece. Simdgroup 1 has no second piece.
ASSAY_TEST_KERNEL notesItsTurn(LaneAbi *lane) {
  takeTurns(lane, [](LaneAbi *of, uint32_t from) {
    uint32_t *const notes = buffer<uint32_t>(of, 0) + groupX(of) * 16;
    notes[1 + notes[0]++] = simdgroupOf(of) * 10 + from;
    of->waitsAt = from;
    if (from == 0) {
      std::memcpy(of->frame, &notes[0], 4);
      notes[10] += of->lanes;
    } else {
      notes[11] = notes[11] * 10 + *reinterpret_cast<const uint32_t *>(of->frame);
    }
    return from == 2 || (from == 0 && simdgroupOf(of) == 1) ? kResumeNever : from + 1;
  });
}

TEST(Turns, GoUpwardsFromBarrierToBarrierInEachThreadgroup) {
  TestKernel kernel(notesItsTurn);
  kernel.barrier(1).barrier(2);
  std::vector<uint32_t> out(16 * 5);
  DispatchRequest request = turns(kernel, 4).request(5 * 80 - 10, 80); // the last one has 70 threads
  request.buffers[0] = bind(out);
  request.workers = 1;
  const uint64_t fibers = statistics().fibersStarted;
  runWell(request);
  EXPECT_LE(statistics().fibersStarted - fibers, 1u) << "the worker's own";
  for (uint32_t group = 0; group < 5; ++group) {
    const std::vector<uint32_t> notes(out.begin() + group * 16, out.begin() + group * 16 + 12);
    EXPECT_THAT(notes, testing::ElementsAre(7, 0, 10, 20, 1, 21, 2, 22, 0, 0, group < 4 ? 80 : 70, 1313))
        << group;
  }
}

TEST(Turns, AreInTheOrderOfTheSchedule) {
  TestKernel kernel(notesItsTurn);
  kernel.barrier(1).barrier(2);
  turns(kernel, 4);
  std::set<std::vector<uint32_t>> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<uint32_t> out(16);
    DispatchRequest request = kernel.request(96, 96);
    request.buffers[0] = bind(out);
    request.schedule = {ScheduleKind::Shuffle, seed};
    runWell(request);
    EXPECT_EQ(out[0], 7u);
    EXPECT_EQ(out[1] % 10 + out[2] % 10 + out[3] % 10, 0u);
    orders.insert({out[1], out[2], out[3]});
  }
  EXPECT_EQ(orders.size(), 6u);
}

// A context that has served another kind of code serves this one as if it were new.
ASSAY_TEST_KERNEL storesPlaces(LaneAbi *lane) {
  for (uint32_t i = 0; i < lane->lanes; ++i)
    buffer<uint32_t>(lane, 0)[gridX(lane) + i] = threadIndex(lane) + i;
}

ASSAY_TEST_KERNEL storesPlacesInTurns(LaneAbi *lane) {
  takeTurns(lane, [](LaneAbi *of, uint32_t from) {
    if (from == 1)
      storesPlaces(of);
    of->waitsAt = 0;
    return from == 0 ? 1u : kResumeNever;
  });
}

TEST(Turns, FindTheirPlacesAfterKernelsWithoutBarriers) {
  TestKernel plain(storesPlaces), kernel(storesPlacesInTurns);
  plain.info().threadsPerCall = kSimdWidth;
  kernel.barrier(1);
  turns(kernel);
  for (uint32_t round = 0; round < 2; ++round)
    for (TestKernel *of : {&plain, &kernel}) {
      std::vector<uint32_t> out(200);
      DispatchRequest request = of->request(200, 100);
      request.buffers[0] = bind(out);
      request.workers = 1;
      runWell(request);
      for (uint32_t i = 0; i < 200; ++i)
        ASSERT_EQ(out[i], i % 100);
    }
}

ASSAY_TEST_KERNEL failsAfterBarrier(LaneAbi *lane) {
  takeTurns(lane, [](LaneAbi *of, uint32_t from) {
    of->waitsAt = 0;
    if (from == 1 && simdgroupOf(of) != 0) {
      of->current = 5;
      assay_rt_out_of_bounds(of, 1, 16, 4);
    }
    ++buffer<uint32_t>(of, 0)[simdgroupOf(of)];
    return from == 0 ? 1u : kResumeNever;
  });
}

TEST(Turns, FailInTheFirstSimdgroupThatDoes) {
  TestKernel kernel(failsAfterBarrier);
  kernel.barrier(1).access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  std::vector<uint32_t> out(3);
  DispatchRequest request = turns(kernel).request(96, 96);
  request.buffers[0] = bind(out);
  EXPECT_THAT(failure(request), testing::HasSubstr("thread (37,0,0)"));
  EXPECT_THAT(out, testing::ElementsAre(2, 1, 1));
}

// ---- kernels that do not end ----

const char *const kHint =
    "  make the loop end, or let every thread that has not ended reach the barrier; a kernel that "
    "needs longer needs a longer limit\n";
const std::string kFirst =
    "test.metal:99:9: error: threadgroup (0,0,0) has not ended after 100 ms [no-progress]\n";

// Simdgroups of buffer 0's mask never come to the barrier; those of the second mask end before it.
ASSAY_TEST_KERNEL someNeverCome(LaneAbi *lane) {
  takeTurns(lane, [](LaneAbi *of, uint32_t from) __attribute__((always_inline)) {
    const uint32_t *const masks = buffer<uint32_t>(of, 0), own = simdgroupOf(of);
    while (masks[0] >> own & 1)
      asm volatile("");
    of->waitsAt = 0;
    return from == 1 || (masks[1] >> own & 1) ? kResumeNever : 1;
  });
}

std::string whoDoesNotCome(std::vector<uint32_t> masks, uint32_t threads) {
  TestKernel kernel(someNeverCome);
  kernel.barrier(1);
  DispatchRequest request = turns(kernel).request(threads, threads);
  request.buffers[0] = bind(masks);
  request.groupTimeout = 100ms;
  const std::string text = failure(request);
  EXPECT_EQ(text.substr(0, kFirst.size() + std::strlen(kHint)), kFirst + kHint);
  return text.substr(std::min(text.size(), kFirst.size() + std::strlen(kHint)));
}

TEST(Turns, OfThoseThatAreNotStuckAreTakenUntilAllWait) {
  ASSAY_NEEDS_SIGNALS();
  EXPECT_EQ(whoDoesNotCome({2, 0}, 96),
            "test.metal:10:5: note: threads 0-31, 64-95 wait at threadgroup_barrier\n"
            "test.metal:99:9: note: threads 32-63 run\n"
            "note: kernel test\n");
}

TEST(Turns, OfSeveralThatAreStuck) {
  ASSAY_NEEDS_SIGNALS();
  EXPECT_EQ(whoDoesNotCome({1 | 4, 8}, 128),
            "test.metal:99:9: note: threads 0-31, 64-95 run\n"
            "test.metal:10:5: note: threads 32-63 wait at threadgroup_barrier\n"
            "note: threads 96-127 have ended\n"
            "note: kernel test\n");
}

TEST(Turns, OfTheLastOneThatIsStuck) {
  ASSAY_NEEDS_SIGNALS();
  EXPECT_EQ(whoDoesNotCome({2, 1}, 64), "note: threads 0-31 have ended\n"
                                        "test.metal:99:9: note: threads 32-63 run\n"
                                        "note: kernel test\n");
}

TEST(Turns, OfOneThatIsAlone) {
  ASSAY_NEEDS_SIGNALS();
  EXPECT_EQ(whoDoesNotCome({1, 0}, 32), "test.metal:99:9: note: threads 0-31 run\n"
                                        "note: kernel test\n");
}

ASSAY_TEST_KERNEL goesRoundForEver(LaneAbi *lane) {
  takeTurns(lane, [](LaneAbi *of, uint32_t) {
    of->waitsAt = 0;
    return 1u;
  });
}

TEST(Turns, ThatGoRoundForEverAreEnded) {
  ASSAY_NEEDS_SIGNALS();
  TestKernel kernel(goesRoundForEver);
  kernel.barrier(1);
  DispatchRequest request = turns(kernel).request(64, 64);
  request.groupTimeout = 100ms;
  EXPECT_THAT(failure(request), testing::AllOf(testing::HasSubstr("has not ended after 100 ms [no-progress]"),
                                               testing::HasSubstr("test.metal:10:5: note: threads ")));
}

} // namespace
} // namespace assay::runtime::test
