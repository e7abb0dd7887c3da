// mlx-native: rotary position embeddings. Every kernel rotates pairs of a row by an angle
// position / base^(2 p / denominator); they differ in which elements make a pair,
// and in p and the denominator.
// source: src/ops/{rope,rope_multi,vision_2d_rope,fused_head_norm_rope}.rs
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

constexpr float kBase = 10000;

/// The angle of pair `p`; positions are small, so that a float holds the angle well.
Real angle(double position, uint32_t p, uint32_t denominator, double base = kBase) {
  return Real(position) / pow(Real(base), Real(2.0 * p) / Real(denominator));
}

void rotate(Reals &out, const Reals &in, size_t first, size_t second, Real turn) {
  const Real c = cos(turn), s = sin(turn);
  out[first] = in[first] * c - in[second] * s;
  out[second] = in[first] * s + in[second] * c;
}

template <class T> void neighbours(KernelRun &run) {
  for (const auto &[tokens, dim] : {std::pair{3u, 8u}, {5u, 64u}}) {
    const auto x = uniform<T>(tokens * dim, 1);
    const auto positions = below(100, tokens, 2);
    Reals expected = reals(x);
    for (uint32_t t = 0; t < tokens; ++t)
      for (uint32_t p = 0; p < dim / 2; ++p)
        rotate(expected, reals(x), t * dim + 2 * p, t * dim + 2 * p + 1, angle(positions[t], p, dim));
    run.output<T>(1, x.size()).input(0, x).input(3, positions);
    run.input(2, std::vector<float>{kBase, float(dim), float(tokens), 0});
    ASSERT_TRUE(run.dispatchThreads({dim / 2, tokens}, {std::min(16u, dim / 2), 2}));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

struct Neox {
  uint32_t tokens, heads, dim, rotated;
};
constexpr Neox kNeox[] = {{3, 2, 16, 16}, {2, 3, 64, 32}};

template <class T> void neox(KernelRun &run) {
  for (const auto &[tokens, heads, dim, rotated] : kNeox)
    for (const bool factors : {false, true}) {
      if (factors && !std::is_same_v<T, float>)
        continue;
      const uint32_t rows = tokens * heads;
      const auto x = uniform<T>(rows * dim, 3);
      const auto positions = below(100, tokens, 4);
      const auto factor = uniform<float>(rotated / 2, 5, 1, 8);
      Reals expected = reals(x);
      for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t p = 0; p < rotated / 2; ++p) {
          const Real turn = angle(positions[r / heads], p, dim);
          rotate(expected, reals(x), r * dim + p, r * dim + p + dim / 2,
                 factors ? turn / Real(factor[p]) : turn);
        }
      run.output<T>(1, x.size()).input(0, x).input(3, positions);
      run.input(2, std::vector<float>{kBase, float(dim), float(rotated), 0});
      run.input(4, std::vector<uint32_t>{heads, factors});
      if (std::is_same_v<T, float>)
        run.input(5, factor);
      ASSERT_TRUE(run.dispatchThreads({rotated / 2, rows}, {8, 2}));
      EXPECT_TRUE(near(expected, run.read<T>(1)));
    }
}

enum Mode : uint32_t { kSections = 8, kVision = 24, kInterleaved = 40 };

// Which of the four positions turns pair p, and which power of the base it has.
std::pair<uint32_t, uint32_t> axisAndPower(Mode mode, uint32_t p, const std::vector<uint32_t> &s) {
  if (mode == kVision)
    return p < s[0] ? std::pair{0u, p} : std::pair{1u, p - s[0]};
  const uint32_t sector = p % (s[0] + s[1] + s[2] + s[3]);
  if (mode == kSections)
    return {sector < s[0] ? 0 : sector < s[0] + s[1] ? 1 : sector < s[0] + s[1] + s[2] ? 2 : 3, p};
  return {sector < 3 * s[sector % 3] ? sector % 3 : 3, p};
}

template <class T> void multi(KernelRun &run) {
  const uint32_t tokens = 3, heads = 2, dim = 32, rows = tokens * heads;
  struct Case {
    Mode mode;
    uint32_t rotated;
    std::vector<uint32_t> sections;
  };
  for (const Case &c :
       {Case{kSections, 24, {4, 3, 3, 2}}, {kInterleaved, 24, {4, 4, 3, 1}}, {kVision, 32, {8, 8, 0, 0}}}) {
    SCOPED_TRACE(uint32_t(c.mode));
    const auto x = uniform<T>(rows * dim, 6);
    const auto drawn = below(50, 4 * tokens, 7);
    const std::vector<int32_t> positions(drawn.begin(), drawn.end());
    Reals expected = reals(x);
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t p = 0; p < c.rotated / 2; ++p) {
        const auto [axis, power] = axisAndPower(c.mode, p, c.sections);
        rotate(expected, reals(x), r * dim + p, r * dim + p + dim / 2,
               angle(positions[axis * tokens + r / heads], power,
                     c.mode == kVision ? c.rotated / 2 : c.rotated));
      }
    run.output<T>(1, x.size()).input(0, x).input(3, positions).input(5, c.sections);
    run.input(2, std::vector<float>{kBase, float(dim), float(c.rotated), 0});
    run.input(4, std::vector<uint32_t>{heads, c.mode, tokens, 0});
    ASSERT_TRUE(run.dispatchThreads({dim / 2, rows}, {8, 2}));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

// The halves of a row turn by a position each.
template <class T> void vision(KernelRun &run) {
  const uint32_t tokens = 4, heads = 2, rows = tokens * heads;
  for (const uint32_t dim : {8u, 64u}) {
    const auto x = uniform<T>(rows * dim, 8);
    const auto px = below(30, tokens, 9), py = below(30, tokens, 10);
    Reals expected = reals(x);
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t p = 0; p < dim / 4; ++p) {
        rotate(expected, reals(x), r * dim + p, r * dim + p + dim / 4, angle(px[r / heads], p, dim / 2));
        const size_t second = r * dim + dim / 2 + p;
        rotate(expected, reals(x), second, second + dim / 4, angle(py[r / heads], p, dim / 2));
      }
    run.output<T>(1, x.size()).input(0, x).input(3, px).input(4, py);
    run.input(2, std::vector<float>{kBase, float(dim), float(heads), 0});
    ASSERT_TRUE(run.dispatchThreads({dim / 4, rows}, {2, 4}));
    EXPECT_TRUE(near(expected, run.read<T>(1)));
  }
}

struct HeadNormRope {
  uint32_t dim, heads, halfRotated;
  float eps;
  uint32_t hasWeight;
  float base;
  uint32_t hasFactors, hasBfloatOutput, permuted, tokens, hasPermutedFloat;
};

void headNormRope(KernelRun &run) {
  const float eps = 1e-6f;
  for (const auto &[tokens, heads, dim, rotated] : kNeox) {
    const uint32_t rows = tokens * heads;
    const auto x = uniform<float>(rows * dim, 11, -3, 3), w = uniform<float>(dim, 12, 0.5, 1.5);
    const auto positions = below(100, tokens, 13);
    const auto factor = uniform<float>(rotated / 2, 14, 1, 8);
    Reals normed;
    for (uint32_t r = 0; r < rows; ++r) {
      const Reals xr = row(reals(x), r, dim);
      const Real inverse = inverseRms(xr, eps);
      for (uint32_t i = 0; i < dim; ++i)
        normed.push_back(xr[i] * inverse * Real(w[i]));
    }
    Reals expected = normed;
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t p = 0; p < rotated / 2; ++p)
        rotate(expected, normed, r * dim + p, r * dim + p + dim / 2,
               angle(positions[r / heads], p, dim) / Real(factor[p]));
    Reals permuted(rows * dim); // [token, head, i] to [head, token, i]
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t i = 0; i < dim; ++i)
        permuted[((r % heads) * tokens + r / heads) * dim + i] = expected[r * dim + i];
    run.input(0, x).output<float>(1, x.size()).input(2, w).input(4, positions).input(5, factor);
    run.output<Bfloat>(6, x.size()).output<float>(7, x.size());
    run.bytes(3, HeadNormRope{dim, heads, rotated / 2, eps, 1, kBase, 1, 1, 1, tokens, 1});
    run.threadgroupMemory(0, std::max(16u, dim * 4));
    ASSERT_TRUE(run.dispatchThreadgroups({rows}, {nextPowerOfTwo(dim)}));
    EXPECT_TRUE(near(expected, run.read<float>(1)));
    EXPECT_TRUE(near(permuted, run.read<Bfloat>(6)));
    EXPECT_TRUE(near(permuted, run.read<float>(7)));
  }
}

ASSAY_ENTRY_POINTS(Rope, MlxNative,
                   ({{"rope.metal", "rope_f32", neighbours<float>},
                     {"rope.metal", "rope_f16", neighbours<Half>},
                     {"rope.metal", "rope_bf16", neighbours<Bfloat>},
                     {"rope.metal", "rope_neox_f32", neox<float>},
                     {"rope.metal", "rope_neox_bf16", neox<Bfloat>},
                     {"rope_multi.metal", "rope_multi_f32", multi<float>},
                     {"rope_multi.metal", "rope_multi_bf16", multi<Bfloat>},
                     {"vision_2d_rope.metal", "vision_2d_rope_f32", vision<float>},
                     {"vision_2d_rope.metal", "vision_2d_rope_bf16", vision<Bfloat>},
                     {"fused_head_norm_rope_f32.metal", "fused_head_norm_rope_f32", headNormRope}}));

} // namespace
} // namespace assay::projects
