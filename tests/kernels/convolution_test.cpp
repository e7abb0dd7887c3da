// kernels_msl/tensor/convolutions.metal: convolutions through the compiler, against sums over the window that
// are written out here. Integers give the same sum in every order; the order has a test of its own.
// source: the definition of a convolution with strides, dilations and padding.
#include "tests/kernels/number_formats.h"
#include "tests/support/kernel_bits.h"
#include "tests/support/kernel_files.h"
#include "tests/support/kernel_run.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace assay {
namespace {

using namespace testing_support;
using F = oracle::F32<oracle::Apple>;

const std::string kFile = ownKernel("tensor/convolutions.metal");

// As the kernel has it.
struct Sizes {
  int32_t channels, width, height, pixel;
  int32_t toChannels, toWidth, toHeight, toPixel;
  int32_t offsetX, offsetY;
};

struct Pair {
  int x, y;
};

// One instantiation of the kernel: tile of a threadgroup, images, window.
struct Shape {
  const char *kernel;
  int tileChannels;
  Pair tile;
  int images;
  Pair window, stride, dilation;
  bool accumulate;
  uint32_t simdgroups;
};

// A convolution of a source with zeros around it.
struct Problem {
  int channels, toChannels, width, height;
  Pair padding;
};

template <class T> struct WholeBits {
  using Bits = T;
  static float value(T x) { return float(x); }
  static T result(float x) { return T(x); }
  static T make(float x) { return T(x); }
};

int ceilOfHalf(int n) {
  return (n + 1) / 2;
}

Sizes sizesOf(const Shape &s, const Problem &p) {
  const auto length = [](int source, int padding, int window, int dilation, int stride) {
    return (source + 2 * padding - (window - 1) * dilation - 1) / stride + 1;
  };
  return {p.channels,
          p.width,
          p.height,
          p.channels + 3,
          p.toChannels,
          length(p.width, p.padding.x, s.window.x, s.dilation.x, s.stride.x),
          length(p.height, p.padding.y, s.window.y, s.dilation.y, s.stride.y),
          p.toChannels + 2,
          ceilOfHalf((s.window.x - 1) * s.dilation.x) - p.padding.x,
          ceilOfHalf((s.window.y - 1) * s.dilation.y) - p.padding.y};
}

// For every element of the destination, as visit(index, before the window, each product in the order of the
// window's rows, its columns, and the channels).
template <class Sum, class Begin, class Step, class End>
void forSums(const Shape &shape, const Problem &p, Begin begin, Step step, End end) {
  const Sizes s = sizesOf(shape, p);
  for (int n = 0; n < shape.images; ++n)
    for (int y = 0; y < s.toHeight; ++y)
      for (int x = 0; x < s.toWidth; ++x)
        for (int o = 0; o < s.toChannels; ++o) {
          const auto to = size_t(((n * s.toHeight + y) * s.toWidth + x) * s.toPixel + o);
          Sum sum = begin(to);
          for (int v = 0; v < shape.window.y; ++v)
            for (int u = 0; u < shape.window.x; ++u) {
              const int fromX = x * shape.stride.x + u * shape.dilation.x - p.padding.x;
              const int fromY = y * shape.stride.y + v * shape.dilation.y - p.padding.y;
              if (fromX < 0 || fromX >= s.width || fromY < 0 || fromY >= s.height)
                continue;
              for (int c = 0; c < s.channels; ++c)
                sum = step(sum, size_t(((n * s.height + fromY) * s.width + fromX) * s.pixel + c),
                           size_t(((v * shape.window.x + u) * s.channels + c) * s.toChannels + o));
            }
          end(to, sum);
        }
}

template <class Format>
std::vector<typename Format::Bits> wholeNumbers(size_t count, int seed, int low, int high) {
  std::vector<typename Format::Bits> bits;
  for (size_t i = 0; i < count; ++i)
    bits.push_back(
        Format::make(float(low + int((i * 7919 + size_t(seed) * 104729) % 9973) % (high - low + 1))));
  return bits;
}

template <class A, class W, class D> struct Data {
  std::vector<typename A::Bits> source;
  std::vector<typename W::Bits> weights;
  std::vector<typename D::Bits> before, expected;
};

template <class D, class Inputs>
void expectRun(const Shape &shape, const Problem &p, const Inputs &data,
               const std::vector<typename D::Bits> &expected) {
  SCOPED_TRACE(fmt::format("{}, {} x {} x {} to {} channels", shape.kernel, p.width, p.height, p.channels,
                           p.toChannels));
  const Sizes s = sizesOf(shape, p);
  const auto groups = [](int all, int tile) { return uint32_t((all + tile - 1) / tile); };
  KernelRun run(kFile, shape.kernel);
  run.input(0, data.source).input(1, data.weights).inout(2, data.before).bytes(3, s);
  inAllWays(
      false,
      [&](const DispatchOptions &o) {
        return run.dispatchThreadgroups({groups(s.toWidth, shape.tile.x), groups(s.toHeight, shape.tile.y),
                                         groups(s.toChannels, shape.tileChannels)},
                                        {shape.simdgroups * 32}, o);
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.template read<typename D::Bits>(2))); });
}

struct Counts {
  size_t source, weights, to;
};
Counts countsOf(const Shape &shape, const Problem &p) {
  const Sizes s = sizesOf(shape, p);
  return {size_t(shape.images * s.height * s.width * s.pixel),
          size_t(shape.window.x * shape.window.y * s.channels * s.toChannels),
          size_t(shape.images * s.toHeight * s.toWidth * s.toPixel)};
}

// Integers from low to high of every format, so that sums are exact.
template <class A = FloatBits, class W = A, class D = A>
void expectExact(const Shape &shape, const Problem &p, int low = -4, int high = 5) {
  const Counts n = countsOf(shape, p);
  Data<A, W, D> data{wholeNumbers<A>(n.source, 1, low, high),
                     wholeNumbers<W>(n.weights, 2, low, high),
                     wholeNumbers<D>(n.to, 3, low, high),
                     {}};
  auto expected = data.before; // what lies between the pixels stays
  forSums<int64_t>(
      shape, p, [&](size_t to) { return shape.accumulate ? int64_t(D::value(data.before[to])) : 0; },
      [&](int64_t sum, size_t a, size_t w) {
        return sum + int64_t(A::value(data.source[a])) * int64_t(W::value(data.weights[w]));
      },
      [&](size_t to, int64_t sum) { expected[to] = D::make(float(sum)); });
  expectRun<D>(shape, p, data, expected);
}

const Shape kSame{"same", 16, {8, 4}, 1, {3, 3}, {1, 1}, {1, 1}, false, 1};

TEST(Convolution, OfAnOddWindowKeepsTheSize) {
  expectExact(kSame, {6, 16, 8, 4, {1, 1}});
  expectExact(kSame, {5, 32, 24, 8, {1, 1}});
  expectExact(kSame, {3, 21, 13, 7, {1, 1}}); // edges everywhere
  expectExact(kSame, {1, 1, 1, 1, {1, 1}});
}

TEST(Convolution, PaddingIsWhatTheOffsetsSay) {
  expectExact(kSame, {4, 16, 12, 9, {0, 0}});
  expectExact(kSame, {4, 16, 12, 9, {2, 0}});
  expectExact(kSame, {4, 16, 3, 5, {7, 4}}); // pixels that see nothing of the source
}

TEST(Convolution, OfOnePixelIsAProductOfMatrices) {
  const Shape shape{"pointwise", 32, {16, 1}, 1, {1, 1}, {1, 1}, {1, 1}, false, 1};
  expectExact(shape, {24, 64, 32, 3, {0, 0}});
  expectExact(shape, {24, 40, 19, 2, {0, 0}});
}

TEST(Convolution, TakesStrides) {
  const Shape shape{"strided", 16, {8, 8}, 1, {5, 3}, {2, 3}, {1, 1}, true, 2};
  expectExact(shape, {8, 16, 31, 40, {2, 1}});
  expectExact(shape, {8, 20, 22, 29, {0, 0}});
}

TEST(Convolution, TakesDilationsAndEvenWindows) {
  const Shape shape{"dilated", 32, {8, 8}, 1, {2, 4}, {1, 1}, {2, 3}, true, 4};
  expectExact(shape, {6, 32, 18, 20, {1, 4}});
  expectExact(shape, {9, 35, 11, 17, {0, 0}});
  const Shape all{"all", 16, {4, 4}, 1, {4, 2}, {3, 2}, {1, 5}, false, 4};
  expectExact(all, {5, 16, 20, 18, {2, 3}});
  expectExact(all, {4, 19, 13, 9, {0, 1}});
}

TEST(Convolution, TakesTilesOfAnySize) {
  for (const char *kernel : {"odd", "odd_in_memory"}) {
    const Shape shape{kernel, 11, {5, 3}, 1, {3, 3}, {1, 1}, {1, 1}, true, kernel[3] == 0 ? 4u : 2u};
    expectExact(shape, {7, 11, 5, 3, {1, 1}});
    expectExact(shape, {7, 25, 12, 8, {1, 1}});
  }
}

TEST(Convolution, OfSeveralImages) {
  expectExact({"images", 8, {4, 3}, 3, {3, 3}, {1, 1}, {1, 1}, true, 2}, {5, 8, 9, 5, {1, 1}});
  expectExact({"images_in_memory", 8, {4, 3}, 3, {3, 3}, {1, 1}, {1, 1}, false, 1}, {5, 11, 8, 6, {1, 1}});
}

TEST(Convolution, TakesTheSourcesDimensionsWhenItRuns) {
  const Shape shape{"by_size", 8, {4, 4}, 1, {3, 2}, {2, 1}, {1, 2}, true, 2};
  expectExact(shape, {6, 16, 20, 9, {1, 1}});
  expectExact(shape, {3, 11, 7, 5, {0, 1}});
}

template <class A, class W, class D> void expectTypes(const char *kernel, int low, int high) {
  const Shape shape{kernel, 16, {4, 4}, 1, {3, 2}, {1, 1}, {1, 1}, true, 1};
  expectExact<A, W, D>(shape, {6, 16, 8, 4, {1, 0}}, low, high);
  expectExact<A, W, D>(shape, {5, 19, 5, 6, {1, 1}}, low, high);
}

TEST(Convolution, TakesTheTypesOfTheTable) {
  expectTypes<HalfBits, HalfBits, HalfBits>("half_to_half", -4, 5);
  expectTypes<HalfBits, HalfBits, FloatBits>("half_to_float", -40, 50);
  expectTypes<BfloatBits, BfloatBits, BfloatBits>("bfloat_to_bfloat", -2, 2);
  expectTypes<BfloatBits, BfloatBits, FloatBits>("bfloat_to_float", -40, 50);
  expectTypes<WholeBits<int8_t>, WholeBits<int8_t>, WholeBits<int32_t>>("char_to_int", -128, 127);
  expectTypes<WholeBits<int8_t>, WholeBits<uint8_t>, FloatBits>("char_uchar_to_float", 0, 127);
  expectTypes<WholeBits<uint8_t>, WholeBits<int8_t>, HalfBits>("uchar_char_to_half", 0, 8);
  expectTypes<WholeBits<uint8_t>, WholeBits<uint8_t>, WholeBits<int32_t>>("uchar_to_int", 0, 255);
}

template <class A, class W, class D> void expectOrder(const Shape &shape, const Problem &p) {
  const Counts n = countsOf(shape, p);
  Data<A, W, D> data{numbers<A>(n.source, 1), numbers<W>(n.weights, 2), numbers<D>(n.to, 3), {}};
  auto expected = data.before;
  forSums<float>(
      shape, p, [&](size_t to) { return shape.accumulate ? D::value(data.before[to]) : 0.0f; },
      [&](float sum, size_t a, size_t w) {
        return F::fma(A::value(data.source[a]), W::value(data.weights[w]), sum);
      },
      [&](size_t to, float sum) { expected[to] = D::result(sum); });
  expectRun<D>(shape, p, data, expected);
}

// detail/convolution.h says that it is so; nothing is published.
TEST(Convolution, SumsThroughTheWindowAndThenTheChannelsAndRoundsOnce) {
  expectOrder<FloatBits, FloatBits, FloatBits>(kSame, {7, 20, 11, 6, {1, 1}});
  expectOrder<FloatBits, FloatBits, FloatBits>({"dilated", 32, {8, 8}, 1, {2, 4}, {1, 1}, {2, 3}, true, 4},
                                               {6, 32, 18, 11, {1, 4}});
  const auto typed = [](const char *kernel) {
    return Shape{kernel, 16, {4, 4}, 1, {3, 2}, {1, 1}, {1, 1}, true, 1};
  };
  expectOrder<HalfBits, HalfBits, HalfBits>(typed("half_to_half"), {9, 16, 7, 5, {1, 1}});
  expectOrder<HalfBits, HalfBits, FloatBits>(typed("half_to_float"), {9, 16, 7, 5, {1, 1}});
  expectOrder<BfloatBits, BfloatBits, BfloatBits>(typed("bfloat_to_bfloat"), {9, 16, 7, 5, {1, 1}});
  expectOrder<BfloatBits, BfloatBits, FloatBits>(typed("bfloat_to_float"), {9, 16, 7, 5, {1, 1}});
}

TEST(Convolution, OfIntegersWraps) {
  const Shape shape{"char_to_int", 16, {4, 4}, 1, {3, 2}, {1, 1}, {1, 1}, true, 1};
  const Problem p{3, 16, 4, 4, {1, 0}};
  const Counts n = countsOf(shape, p);
  using I8 = WholeBits<int8_t>;
  Data<I8, I8, WholeBits<int32_t>> data{std::vector<int8_t>(n.source, 127),
                                        std::vector<int8_t>(n.weights, 127),
                                        std::vector<int32_t>(n.to, INT32_MAX - 1000),
                                        {}};
  auto expected = data.before;
  forSums<uint32_t>(
      shape, p, [&](size_t to) { return uint32_t(data.before[to]); },
      [](uint32_t sum, size_t, size_t) { return sum + 127 * 127; },
      [&](size_t to, uint32_t sum) { expected[to] = int32_t(sum); });
  EXPECT_LT(expected[0], 0);
  expectRun<WholeBits<int32_t>>(shape, p, data, expected);
}

// A fixed number of channels is not cut at the extents, as a fixed depth of matmul2d is not.
TEST(Convolution, ReadsAllOfAFixedNumberOfChannelsWhateverTheExtents) {
  const Shape shape{"pointwise", 32, {16, 1}, 1, {1, 1}, {1, 1}, {1, 1}, false, 1};
  const Problem p{24, 32, 16, 1, {0, 0}};
  Sizes s = sizesOf(shape, p);
  s.channels = 10;
  const Counts n = countsOf(shape, p);
  const auto source = wholeNumbers<FloatBits>(n.source, 1, -4, 5),
             weights = wholeNumbers<FloatBits>(n.weights, 2, -4, 5);
  std::vector<float> expected(n.to);
  forSums<float>(
      shape, p, [](size_t) { return 0.0f; },
      [&](float sum, size_t a, size_t w) { return sum + source[a] * weights[w]; },
      [&](size_t to, float sum) { expected[to] = sum; });
  KernelRun run(kFile, shape.kernel);
  run.input(0, source).input(1, weights).accumulator<float>(2, n.to).bytes(3, s);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
  EXPECT_TRUE(bitsEqual(expected, run.read<float>(2)));

  run.input(0, std::vector<float>(source.begin(), source.end() - 5)); // the last pixel ends after 22 channels
  const auto result = run.dispatchThreadgroups({1}, {32});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), ::testing::HasSubstr("out-of-bounds"));
}

TEST(Convolution, ACooperativeTensorTakesBiasesOfChannelsAndRows) {
  const auto source = wholeNumbers<HalfBits>(4 * 4 * 8, 1, -3, 3);
  const auto weights = wholeNumbers<HalfBits>(3 * 3 * 8 * 12, 2, -3, 3);
  const auto bias = wholeNumbers<HalfBits>(10, 3, -30, 30), ofRows = wholeNumbers<HalfBits>(4, 4, -30, 30);
  std::vector<uint16_t> expected(4 * 4 * 12);
  for (int to = 0; to < 4 * 4 * 12; ++to) {
    const int o = to % 12, x = to / 12 % 4, y = to / 48;
    float sum = HalfBits::value(ofRows[size_t(y)]) + (o < 10 ? HalfBits::value(bias[size_t(o)]) : 0);
    for (int tap = 0; tap < 9; ++tap) {
      const int u = x + tap % 3 - 1, v = y + tap / 3 - 1;
      for (int c = 0; c < 8 && u >= 0 && u < 4 && v >= 0 && v < 4; ++c)
        sum += HalfBits::value(source[size_t((v * 4 + u) * 8 + c)]) *
               HalfBits::value(weights[size_t((tap * 8 + c) * 12 + o)]);
    }
    expected[size_t(to)] = HalfBits::make(std::max(sum, 0.0f));
  }
  KernelRun run(kFile, "bias_and_limit");
  run.input(0, source).input(1, weights).output<uint16_t>(2, expected.size()).input(3, bias).input(4, ofRows);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {64}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<uint16_t>(2))); });
}

TEST(Convolution, OfThreadgroupMemory) {
  const auto source = wholeNumbers<FloatBits>(6 * 6 * 4, 1, -9, 9);
  const auto weights = wholeNumbers<FloatBits>(3 * 3 * 4 * 8, 2, -9, 9);
  std::vector<float> expected(4 * 4 * 8);
  for (int to = 0; to < 4 * 4 * 8; ++to)
    for (int k = 0; k < 3 * 3 * 4; ++k) {
      const int pixel = (to / 32 + k / 12) * 6 + to / 8 % 4 + k / 4 % 3;
      expected[size_t(to)] += source[size_t(pixel * 4 + k % 4)] * weights[size_t(k * 8 + to % 8)];
    }
  KernelRun run(kFile, "in_threadgroup");
  run.input(0, source).input(1, weights).output<float>(2, expected.size());
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {64}, o); },
      [&] { EXPECT_TRUE(bitsEqual(expected, run.read<float>(2))); });
}

// The window adds up pixels x - 2 to x + 2 of a row: those that are there.
TEST(Convolution, ThePixelsOutsideAreZerosWhateverMakesTheEdge) {
  std::vector<float> source(64);
  for (size_t i = 0; i < 64; ++i)
    source[i] = float(i + 1);
  const auto sums = [&](int first, int end) {
    std::vector<float> expected(64);
    for (int i = 0; i < 64; ++i)
      for (int x = i % 8 + first - 2; x <= i % 8 + first + 2; ++x)
        expected[size_t(i)] += x >= first && x < end ? source[size_t(i / 8 * 8 + x)] : 0;
    return expected;
  };
  KernelRun run(kFile, "edges");
  run.input(0, source).input(1, std::vector<float>(5, 1));
  for (uint32_t i = 2; i < 5; ++i)
    run.output<float>(i, 64);
  inAllWays(
      false, [&](const DispatchOptions &o) { return run.dispatchThreadgroups({1}, {32}, o); },
      [&] {
        EXPECT_TRUE(bitsEqual(sums(0, 8), run.read<float>(2)));
        EXPECT_TRUE(bitsEqual(sums(2, 8), run.read<float>(3))); // not the two pixels before the slice
        EXPECT_TRUE(bitsEqual(sums(0, 5), run.read<float>(4)));
      });

  // A zero is multiplied: 0 * infinity.
  run.input(1, std::vector<float>{std::numeric_limits<float>::infinity(), 1, 1, 1, 1});
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {32}));
  const auto whole = run.read<float>(2);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(std::isnan(whole[i]), i % 8 < 2) << i;
}

// Of four simdgroups, with two or five of them.
TEST(Convolution, AnotherNumberOfSimdgroupsThanTheScopeHasIsAnError) {
  const Shape shape{"dilated", 32, {8, 8}, 1, {2, 4}, {1, 1}, {2, 3}, true, 4};
  const Problem p{6, 32, 18, 20, {1, 4}};
  const Counts n = countsOf(shape, p);
  for (const uint32_t simdgroups : {2u, 5u}) {
    KernelRun run(kFile, shape.kernel);
    run.input(0, std::vector<float>(n.source)).input(1, std::vector<float>(n.weights));
    run.accumulator<float>(2, n.to).bytes(3, sizesOf(shape, p));
    for (const Way &way : allWays(false)) {
      const auto result = run.dispatchThreadgroups({1}, {simdgroups * 32}, way.options);
      EXPECT_FALSE(result) << way.name;
      EXPECT_THAT(result.message(),
                  ::testing::HasSubstr(fmt::format(
                      "error: convolution2d has a scope of 4 simdgroups, and the threadgroup has {} "
                      "[execution-scope]",
                      simdgroups)));
      EXPECT_THAT(result.message(), ::testing::HasSubstr("dispatch threadgroups of 128 threads"));
    }
  }
}

void expectPlaces(const char *kernel, uint32_t threads, uint32_t capacity,
                  std::tuple<int, int, int, int> extents) {
  KernelRun run(kFile, kernel);
  run.output<int32_t>(0, threads * capacity * 5);
  ASSERT_TRUE(run.dispatchThreadgroups({1}, {threads}));
  const auto out = run.read<int32_t>(0);
  const auto [channels, width, height, images] = extents;
  std::set<std::tuple<int, int, int, int>> seen;
  for (size_t i = 0; i < out.size(); i += 5) {
    const bool inside = out[i] < channels && out[i + 1] < width && out[i + 2] < height && out[i + 3] < images;
    EXPECT_EQ(out[i + 4] != 0, inside) << i;
    if (inside)
      EXPECT_TRUE(seen.insert({out[i], out[i + 1], out[i + 2], out[i + 3]}).second) << i;
  }
  EXPECT_EQ(seen.size(), size_t(channels * width * height * images));
}

TEST(Convolution, EachElementOfACooperativeTensorHasOnePlace) {
  expectPlaces("places_of_an_image", 64, 16, {32, 8, 4, 1}); // four fragments for two simdgroups
  expectPlaces("places_of_images", 96, 8, {11, 5, 3, 2});    // 30 pixels: two for three
}

} // namespace
} // namespace assay
