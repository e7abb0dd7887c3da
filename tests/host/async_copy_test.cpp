// Copies that a simdgroup starts and waits for (msl_shim/detail/async_copy.h), on every engine, against loops
// over rows and columns.
// source: metal-flash-attention, whose kernels rely on what a tile's edges become.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cstring>

namespace assay {
namespace {

using ::testing::HasSubstr;

constexpr const char *kDeclarations = R"(#include <metal_stdlib>
using namespace metal;
struct _simdgroup_event_t;
thread _simdgroup_event_t *copy(ulong, ulong, threadgroup void *, ulong, ulong, ulong2, const device void *,
                                ulong, ulong, ulong2, long2, int)
    __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
thread _simdgroup_event_t *copy(ulong, ulong, device void *, ulong, ulong, ulong2, const threadgroup void *,
                                ulong, ulong, ulong2, long2, int)
    __asm("\001air.simdgroup_async_copy_2d.p1i8.p3i8");
thread _simdgroup_event_t *copy(ulong, ulong, threadgroup void *, const device void *, ulong)
    __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");
thread _simdgroup_event_t *copy(ulong, ulong, device void *, const threadgroup void *, ulong)
    __asm("air.simdgroup_async_copy_1d.p1i8.p3i8");
void wait(int, thread _simdgroup_event_t **) __asm("air.wait_simdgroup_events");
)";

// `body` has device E *in, device E *out (both 512 elements of 16 bytes), constant uint *s (what is copied),
// threadgroup E *tile (8 KiB), uint t, threads, lane and group.
std::string kernelOf(const std::string &element, const std::string &body) {
  return kDeclarations + ("typedef " + element + " E;\n") +
         "kernel void k(device E *in [[buffer(0)]], device E *out [[buffer(1)]], constant uint *s "
         "[[buffer(2)]],\n"
         "  threadgroup E *tile [[threadgroup(0)]], uint t [[thread_index_in_threadgroup]],\n"
         "  uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],\n"
         "  uint group [[simdgroup_index_in_threadgroup]]) {\n" +
         body + "\n}\n";
}

constexpr size_t kBytes = 8192;
using Bytes = std::vector<uint8_t>;

Bytes pattern(uint32_t seed) {
  Bytes bytes(kBytes);
  for (size_t i = 0; i < kBytes; ++i)
    bytes[i] = uint8_t((i * 2654435761u + seed * 40503u) >> 13);
  return bytes;
}

struct Way {
  Engine engine;
  bool debug = false, checked = false;
};
constexpr Way kWays[] = {{Engine::Fiber},
                         {Engine::Vector},
                         {Engine::Reference},
                         {Engine::Fiber, true},
                         {Engine::Fiber, false, true}};

std::string nameOf(Way way) {
  return fmt::format("engine {}{}{}", int(way.engine), way.debug ? " debug" : "",
                     way.checked ? " checked" : "");
}

Result<ComputePipeline> pipelineOf(const std::string &source, Way way) {
  const Device device = Device::systemDefault();
  CompileOptions compile;
  compile.debug = way.debug;
  const Result<Library> library = device.newLibraryWithSource(source, compile);
  if (!library)
    return library.error();
  PipelineOptions options;
  options.engine = way.engine;
  options.debug = way.debug;
  return device.newComputePipelineState(*library->newFunction("k"), options);
}

Result<Bytes> run(const Result<ComputePipeline> &pipeline, Way way, const std::vector<uint32_t> &settings,
                  uint32_t threads) {
  if (!pipeline)
    return pipeline.error();
  if (way.engine == Engine::Vector) {
    EXPECT_TRUE(pipeline->isVectorised()) << pipeline->onFibers();
  }
  const Device device = Device::systemDefault();
  const Bytes from = pattern(1), to = pattern(2);
  const Buffer in = device.newBuffer(from.data(), kBytes), out = device.newBuffer(to.data(), kBytes);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(in, 0, 0);
  encoder.setBuffer(out, 0, 1);
  encoder.setBytes(settings.data(), settings.size() * 4, 2);
  encoder.setThreadgroupMemoryLength(kBytes, 0);
  DispatchOptions dispatch;
  dispatch.surplusBindings = true;
  if (way.checked)
    dispatch.checks = CheckRules::byDefault();
  encoder.setOptions(dispatch);
  const auto done = encoder.dispatchThreads({threads}, {threads});
  if (!done)
    return done.error();
  for (const Finding &finding : done->findings)
    ADD_FAILURE() << finding.warning.message;
  const auto stored = out.as<uint8_t>();
  return Bytes(stored.begin(), stored.end());
}
Result<Bytes> run(const std::string &source, Way way, const std::vector<uint32_t> &settings,
                  uint32_t threads) {
  return run(pipelineOf(source, way), way, settings, threads);
}

// ---- what must come out ----

struct Tile {
  uint32_t toRow, toColumns, toRows, fromRow, fromColumns, fromRows, toEdge;
  std::vector<uint32_t> settings() const {
    return {toRow, toColumns, toRows, fromRow, fromColumns, fromRows, toEdge};
  }
};

Bytes copied(const Bytes &from, Bytes to, const Tile &tile, size_t bytes) {
  for (uint32_t row = 0; row < tile.toRows; ++row)
    for (uint32_t column = 0; column < tile.toColumns; ++column) {
      uint8_t *target = &to[(row * tile.toRow + column) * bytes];
      uint32_t r = row, c = column;
      if (tile.toEdge) {
        r = std::min(r, tile.fromRows - 1);
        c = std::min(c, tile.fromColumns - 1);
      }
      if (r < tile.fromRows && c < tile.fromColumns)
        std::memcpy(target, &from[(r * tile.fromRow + c) * bytes], bytes);
      else
        std::memset(target, 0, bytes);
    }
  return to;
}

struct Element {
  const char *name;
  size_t bytes;
};
constexpr Element kElements[] = {{"uchar", 1}, {"ushort", 2}, {"uint", 4}, {"uint2", 8}, {"uint4", 16}};

const Tile kTiles[] = {
    {8, 8, 8, 20, 8, 8, 0},   // a block of a wider matrix
    {9, 7, 5, 13, 7, 5, 0},   // odd numbers
    {16, 16, 4, 11, 5, 3, 0}, // zeros on the right and below
    {16, 16, 4, 11, 5, 3, 1}, // the last column and row
    {12, 3, 9, 3, 1, 1, 1},   // one element everywhere
    {12, 4, 4, 30, 9, 9, 0},  // a source that is larger
    {32, 32, 16, 32, 32, 15, 0}, {8, 8, 4, 8, 0, 4, 0}, {8, 0, 4, 8, 8, 4, 0}, {8, 1, 1, 8, 1, 1, 0},
};

// The reference ends there, too, and does not say why.
void expectRefusal(const Result<Bytes> &out, Way way, const std::string &text) {
  SCOPED_TRACE(nameOf(way));
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().rule(), way.engine == Engine::Reference ? "unsupported" : "async-copy");
  EXPECT_THAT(out.error().message(), HasSubstr(way.engine == Engine::Reference ? "__assay_refuse" : text));
}

constexpr const char *kLoad = R"(
  const uint all = 8192 / sizeof(E);
  for (uint i = t; i < all; i += threads) tile[i] = out[i];
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
  if (group == 0) {
    thread _simdgroup_event_t *event =
        copy(sizeof(E), alignof(E), tile, s[0], 1, ulong2(s[1], s[2]), in, s[3], 1, ulong2(s[4], s[5]),
             long2(0), int(s[6]));
    wait(1, &event);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = t; i < all; i += threads) out[i] = tile[i];)";

// Each engine has each width of its accesses: 1, 2 and 4 bytes. The reference, which compiles nothing, has
// every element.
bool isWanted(Way way, const Element &element) {
  if (way.debug || way.checked)
    return element.bytes == 2;
  return way.engine == Engine::Reference || element.bytes == 1 || element.bytes == 2 || element.bytes == 16;
}

// With s[7] the event is waited for, else the copy ends with the kernel.
constexpr const char *kStore = R"(
  for (uint i = t; i < 8192 / sizeof(E); i += threads) tile[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (group == 0) {
    thread _simdgroup_event_t *event =
        copy(sizeof(E), alignof(E), out, s[0], 1, ulong2(s[1], s[2]), tile, s[3], 1, ulong2(s[4], s[5]),
             long2(0), int(s[6]));
    if (s[7]) wait(1, &event);
  })";

} // namespace

TEST(AsyncCopy, LoadsATile) {
  for (const Element &element : kElements) {
    const std::string source = kernelOf(element.name, kLoad);
    for (const Way way : kWays) {
      if (!isWanted(way, element))
        continue;
      const Result<ComputePipeline> pipeline = pipelineOf(source, way);
      for (const Tile &tile : kTiles) {
        SCOPED_TRACE(fmt::format("{} {} {}", element.name, nameOf(way), fmt::join(tile.settings(), " ")));
        const Result<Bytes> out = run(pipeline, way, tile.settings(), 64);
        ASSERT_TRUE(out) << renderDiagnostics(out.error().diagnostics);
        EXPECT_EQ(*out, copied(pattern(1), pattern(2), tile, element.bytes));
      }
    }
  }
}

TEST(AsyncCopy, StoresATileByTheEndOfTheKernel) {
  for (const Element &element : kElements) {
    const std::string source = kernelOf(element.name, kStore);
    for (const Way way : kWays) {
      if (!isWanted(way, element))
        continue;
      const Result<ComputePipeline> pipeline = pipelineOf(source, way);
      for (const Tile &tile : kTiles)
        for (const uint32_t waits : {0, 1}) {
          SCOPED_TRACE(fmt::format("{} {} {}", element.name, nameOf(way), fmt::join(tile.settings(), " ")));
          std::vector<uint32_t> settings = tile.settings();
          settings.push_back(waits);
          const Result<Bytes> out = run(pipeline, way, settings, 64);
          ASSERT_TRUE(out) << renderDiagnostics(out.error().diagnostics);
          EXPECT_EQ(*out, copied(pattern(1), pattern(2), tile, element.bytes));
        }
    }
  }
}

TEST(AsyncCopy, IsDoneByTheLanesThatAreThere) {
  const Tile tile = {9, 7, 5, 13, 7, 5, 0};
  for (const Way way : kWays) {
    const Result<ComputePipeline> pipeline = pipelineOf(kernelOf("ushort", kLoad), way);
    for (const uint32_t threads : {1, 7, 20, 45}) {
      SCOPED_TRACE(fmt::format("{} {}", nameOf(way), threads));
      const Result<Bytes> out = run(pipeline, way, tile.settings(), threads);
      ASSERT_TRUE(out) << renderDiagnostics(out.error().diagnostics);
      EXPECT_EQ(*out, copied(pattern(1), pattern(2), tile, 2));
    }
  }
  // Half of them start the copy, and the same half waits.
  const std::string some = kernelOf("uint", R"(
    for (uint i = t; i < 64; i += threads) tile[i] = 0;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    if (lane % 2) {
      thread _simdgroup_event_t *event = copy(4, 4, tile, in, 50);
      wait(1, &event);
    }
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[lane] = tile[lane], out[lane + 32] = tile[lane + 32];)");
  Bytes expected = pattern(2);
  std::memset(expected.data(), 0, 256);
  std::memcpy(expected.data(), pattern(1).data(), 200);
  for (const Way way : {kWays[0], kWays[1], kWays[2], kWays[3]}) { // it is a finding of the checkers
    const Result<Bytes> out = run(some, way, {0}, 32);
    ASSERT_TRUE(out) << nameOf(way) << renderDiagnostics(out.error().diagnostics);
    EXPECT_EQ(*out, expected) << nameOf(way);
  }
}

TEST(AsyncCopy, SeveralAreWaitedForAtOnceOrInAnyOrder) {
  const std::string source = kernelOf("uint", R"(
    thread _simdgroup_event_t *events[4];
    for (int round = 0; round < 12; ++round) { // more than a thread keeps in flight
      for (int i = 0; i < 4; ++i)
        events[i] = copy(4, 4, tile + 16 * i, in + 64 * round + 16 * i, 16);
      if (round % 3 == 0) {
        wait(4, events);
      } else if (round % 3 == 1) {
        for (int i = 3; i >= 0; --i)
          wait(1, events + i);
      } else {
        wait(2, events + 2);
        wait(2, events);
        wait(4, events); // again: nothing is left to do
      }
      for (int i = 0; i < 2; ++i)
        out[64 * round + 63 - lane - 32 * i] = tile[lane + 32 * i];
      simdgroup_barrier(mem_flags::mem_threadgroup);
    })");
  const Bytes from = pattern(1);
  Bytes expected = pattern(2);
  for (size_t round = 0; round < 12; ++round)
    for (size_t i = 0; i < 64; ++i)
      std::memcpy(&expected[(64 * round + 63 - i) * 4], &from[(64 * round + i) * 4], 4);
  for (const Way way : kWays) {
    const Result<Bytes> out = run(source, way, {0}, 32);
    ASSERT_TRUE(out) << nameOf(way) << renderDiagnostics(out.error().diagnostics);
    EXPECT_EQ(*out, expected) << nameOf(way);
  }
}

// Sixteen stores in flight, none of which is waited for.
TEST(AsyncCopy, WhatIsNotWaitedForIsDoneInTheEnd) {
  const auto source = [](int stores) {
    return kernelOf("uint", fmt::format(R"(
    for (uint i = t; i < 1280; i += threads) tile[i] = in[i] + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = 0; i < {}; ++i)
      copy(4, 4, out + 32 * i, tile + 32 * (39 - i), 32);
    if (lane > 5) return;)",
                                        stores));
  };
  const Bytes from = pattern(1);
  Bytes expected = pattern(2);
  for (size_t i = 0; i < 512; ++i) {
    uint32_t word;
    std::memcpy(&word, &from[(32 * (39 - i / 32) + i % 32) * 4], 4);
    ++word;
    std::memcpy(&expected[i * 4], &word, 4);
  }
  for (const Way way : kWays) {
    const Result<Bytes> out = run(source(16), way, {0}, 32);
    ASSERT_TRUE(out) << nameOf(way) << renderDiagnostics(out.error().diagnostics);
    EXPECT_EQ(*out, expected) << nameOf(way);
    const Result<Bytes> more = run(source(17), way, {0}, 32);
    expectRefusal(more, way, "the 17th in flight");
  }
}

// The kernel that is wrong on a GPU is wrong here: no bit of what it reads early is right.
TEST(AsyncCopy, WhatIsReadBeforeTheWaitIsWrong) {
  const Bytes from = pattern(1);
  for (const Way way : {kWays[0], kWays[1], kWays[2]}) {
    const Result<Bytes> early = run(kernelOf("uint", R"(
      thread _simdgroup_event_t *event = copy(4, 4, tile, in, 32);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      out[lane] = tile[lane];
      wait(1, &event);)"),
                                    way, {0}, 32);
    ASSERT_TRUE(early) << renderDiagnostics(early.error().diagnostics);
    for (size_t i = 0; i < 128; ++i)
      EXPECT_EQ((*early)[i], uint8_t(~from[i])) << nameOf(way);
    const Result<Bytes> changed = run(kernelOf("uint", R"(
      tile[lane] = in[lane];
      simdgroup_barrier(mem_flags::mem_threadgroup);
      thread _simdgroup_event_t *event = copy(4, 4, out, tile, 32);
      tile[lane] = 5;
      wait(1, &event);)"),
                                      way, {0}, 32);
    ASSERT_TRUE(changed) << renderDiagnostics(changed.error().diagnostics);
    for (size_t i = 0; i < 32; ++i)
      EXPECT_EQ((*changed)[4 * i], 5) << nameOf(way);
  }
}

TEST(AsyncCopy, WhatIsNotKnownEndsTheKernel) {
  struct Row {
    const char *body, *text;
  };
  const Row rows[] = {
      {"copy(4, 4, tile, 8, 2, ulong2(4), in, 8, 1, ulong2(4), long2(0), 0);", "is not 1"},
      {"copy(4, 4, tile, 8, 1, ulong2(4), in, 8, 3, ulong2(4), long2(0), 0);", "is not 1"},
      {"copy(4, 4, tile, 8, 1, ulong2(4), in, 8, 1, ulong2(4), long2(0, 1), 0);", "its origin is not zero"},
      {"copy(4, 4, tile, 8, 1, ulong2(4), in, 8, 1, ulong2(4), long2(0), 2);", "its clamp mode"},
      {"copy(4, 4, tile, 8, 1, ulong2(4), in, 8, 1, ulong2(0, 4), long2(0), 1);",
       "source tile without elements"},
      {"copy(12, 4, tile, in, 8);", "a size other than"},
      {"copy(0, 4, tile, in, 8);", "a size other than"},
      {"copy(32, 4, tile, in, 8);", "a size other than"},
      {"copy(4, 3, tile, in, 8);", "no power of two"},
      {"copy(4, 4, tile, in + lane, 8);", "differ between the lanes"},
      {"copy(4, 4, tile, in, lane < 31 ? 8 : 9);", "differ between the lanes"},
      {"thread _simdgroup_event_t *e = copy(4, 4, tile, in, 8); if (lane < 9) wait(1, &e);",
       "other lanes wait"},
      {"thread _simdgroup_event_t *e = nullptr; wait(1, &e);", "does not come from a copy"},
  };
  for (const Row &row : rows)
    for (const Way way : {kWays[0], kWays[1], kWays[2], kWays[3]}) {
      SCOPED_TRACE(row.body);
      expectRefusal(run(kernelOf("uint", row.body), way, {0}, 32), way, row.text);
    }
}

TEST(AsyncCopy, AFaultIsAtTheUsersLineWithTheBuffersName) {
  for (const Way way : kWays) {
    const Result<Bytes> out = run(kernelOf("uint", R"(
      thread _simdgroup_event_t *event =
          copy(4, 4, tile, 8, 1, ulong2(8, 4), in + 2040, 8, 1, ulong2(8, 4), long2(0), 0); // past 'in'
      wait(1, &event);)"),
                                  way, {0}, 32);
    ASSERT_FALSE(out) << nameOf(way);
    EXPECT_EQ(out.error().rule(), "out-of-bounds");
    EXPECT_EQ(out.error().diagnostics.front().where.line, 22u) << nameOf(way);
    if (way.engine == Engine::Reference) // it names no buffers
      continue;
    EXPECT_THAT(out.error().message(), HasSubstr("read of 4 bytes")) << nameOf(way);
    // Without optimisation the pointer comes from anywhere.
    EXPECT_THAT(out.error().message(),
                HasSubstr(way.debug ? "byte 8192 of buffer(0)" : "buffer(0) 'in', which has 8192 bytes"))
        << nameOf(way);
  }
}

// The other symbols: each has the value of the function that it is.
TEST(AirSymbols, AreTheShimsOwnFunctions) {
  const std::string source = std::string("#include <metal_stdlib>\nusing namespace metal;\n") + R"(
float total(float) __asm("air.simd_sum.f32");
int least(int) __attribute__((convergent)) asm("air.simd_min.s.i32");
uint taken(uint, ushort) __asm("\001air.simd_shuffle_xor.u.i32");
ulong votes(bool) __asm("air.simd_ballot.i64");
void meet(int, int) __asm("air.wg.barrier");
float root(float) __asm("air.fast_sqrt.f32");
uint bits(uint) __asm("air.popcount.i32");
float never(float) __asm("air.never_heard_of"); // and never called
kernel void k(device uint *in [[buffer(0)]], device uint *out [[buffer(1)]], constant uint *s [[buffer(2)]],
              uint lane [[thread_index_in_simdgroup]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint shared[64];
  shared[63 - t] = t;
  meet(2, 1);
  out[t] = as_type<uint>(total(float(lane))) + shared[t];
  out[64 + t] = uint(least(5 - int(lane)));
  out[128 + t] = taken(lane, 3);
  out[192 + t] = uint(votes(lane % 3 == 0)) + bits(lane) + uint(root(float(lane * lane)));
})";
  for (const Way way : kWays) {
    const Result<Bytes> out = run(source, way, {0}, 64);
    ASSERT_TRUE(out) << nameOf(way) << renderDiagnostics(out.error().diagnostics);
    for (uint32_t t = 0; t < 64; ++t) {
      uint32_t words[4];
      for (uint32_t i = 0; i < 4; ++i)
        std::memcpy(&words[i], &(*out)[(64 * i + t) * 4], 4);
      const uint32_t lane = t % 32;
      EXPECT_EQ(words[0], 0x43f80000u + 63 - t) << nameOf(way); // 496.0f
      EXPECT_EQ(words[1], uint32_t(-26)) << nameOf(way);
      EXPECT_EQ(words[2], lane ^ 3) << nameOf(way);
      EXPECT_EQ(words[3], 0x49249249u + uint32_t(__builtin_popcount(lane)) + lane) << nameOf(way);
    }
  }
}

} // namespace assay
