// One call for all simdgroups of a threadgroup, and for many threadgroups: what each thread is told of its
// place, that nothing is left of the simdgroup before, and who is named when some of them fail.
#include "both.h"

#include <gmock/gmock.h>

#include <functional>

namespace assay::vector_test {
namespace {

// Metal counts threads x fastest over the size that a threadgroup has. source: MSL specification, 5.2.3.6.
struct Place {
  uint32_t grid[3], local[3], group[3], extent[3];
  uint32_t index() const { return (local[2] * extent[1] + local[1]) * extent[0] + local[0]; }
};

void forEachPlace(Shape shape, const std::function<void(uint32_t self, const Place &)> &body) {
  const uint64_t size[3] = {shape.grid.width, shape.grid.height, shape.grid.depth},
                 full[3] = {shape.group.width, shape.group.height, shape.group.depth};
  for (uint32_t self = 0; self < size[0] * size[1] * size[2]; ++self) {
    const uint32_t grid[3] = {uint32_t(self % size[0]), uint32_t(self / size[0] % size[1]),
                              uint32_t(self / size[0] / size[1])};
    Place place;
    for (int axis = 0; axis < 3; ++axis) {
      place.grid[axis] = grid[axis];
      place.local[axis] = uint32_t(grid[axis] % full[axis]);
      place.group[axis] = uint32_t(grid[axis] / full[axis]);
      place.extent[axis] = uint32_t(std::min(full[axis], size[axis] - place.group[axis] * full[axis]));
    }
    body(self, place);
  }
}

const Shape kShapes[] = {{{256, 1, 1}, {96, 1, 1}}, {{64, 4, 1}, {32, 2, 1}}, {{70, 3, 1}, {64, 2, 1}},
                         {{16, 16, 1}, {16, 4, 1}}, {{15, 15, 1}, {8, 8, 1}}, {{7, 6, 5}, {4, 4, 4}},
                         {{8, 8, 4}, {2, 2, 4}},    {{13, 19, 1}, {5, 7, 1}}, {{33, 7, 1}, {33, 2, 1}},
                         {{1, 200, 1}, {1, 50, 1}}, {{250, 1, 1}, {3, 1, 1}}, {{6, 6, 7}, {3, 5, 3}}};

} // namespace

TEST(WholeGroups, TellEachThreadItsPlace) {
  constexpr const char *kBody =
      "uint self = (grid.z * size.y + grid.y) * size.x + grid.x, all = 1;\n"
      "for (uint axis = 0; axis < 3; ++axis)\n"
      "  all = (((all * 31 + grid[axis]) * 31 + local[axis]) * 31 + at[axis]) * 31 + extent[axis];\n"
      "out[self] = ((all * 31 + t) * 31 + sg) * 31 + quad;";
  for (const Shape &shape : kShapes) {
    const auto out = run(kBody, shape);
    forEachPlace(shape, [&](uint32_t self, const Place &p) {
      uint32_t all = 1;
      for (int axis = 0; axis < 3; ++axis)
        all = (((all * 31 + p.grid[axis]) * 31 + p.local[axis]) * 31 + p.group[axis]) * 31 + p.extent[axis];
      all = ((all * 31 + p.index()) * 31 + p.index() / 32) * 31 + p.index() / 4;
      EXPECT_EQ(out[self], all) << "thread " << self << " in threadgroups of " << shape.group.width << " x "
                                << shape.group.height << " x " << shape.group.depth;
    });
  }
}

// The lanes of a simdgroup are counted under a branch: what its neighbours left must not count.
TEST(WholeGroups, BeginEachSimdgroupAnew) {
  for (const Shape &shape : {Shape{{250, 1, 1}, {100, 1, 1}}, Shape{{250, 1, 1}, {32, 1, 1}}}) {
    const auto out =
        run("uint n = 0; uint kept[4] = {0, 0, 0, 0};\n"
            "for (uint k = 0; k < i % 7; ++k) { kept[(i + k) & 3] += k + 1; if (k == 3) break; }\n"
            "if (in[i] & 1) n = simd_sum(kept[i & 3] + 1);\n"
            "out[i] = n + kept[2] * 1000;",
            shape);
    const auto kept = [](uint32_t i, uint32_t which) {
      uint32_t sum = 0;
      for (uint32_t k = 0; k < i % 7 && k < 4; ++k)
        sum += ((i + k) & 3) == which ? k + 1 : 0;
      return sum;
    };
    const uint32_t full = uint32_t(shape.group.width);
    for (uint32_t i = 0; i < 250; ++i) {
      const uint32_t group = i / full * full, first = group + (i - group) / 32 * 32;
      uint32_t sum = 0;
      for (uint32_t other = first; other < std::min({first + 32, group + full, 250u}); ++other)
        sum += input(other) & 1 ? kept(other, other & 3) + 1 : 0;
      ASSERT_EQ(out[i], (input(i) & 1 ? sum : 0) + kept(i, 2) * 1000) << i;
    }
  }
}

TEST(WholeGroups, ReadWhatLanesPublishedInThisSimdgroupAlone) {
  // Lanes that take no part are read. In the second simdgroup lane 5 has computed nothing.
  const char *body = "uint v = 7;\n"
                     "if (sg == 0 || lane != 5) v = i + 1;\n"
                     "uint got = 0;\n"
                     "if (lane != 5) got = simd_shuffle(v, ushort(5));\n"
                     "out[i] = got;";
  run(body, {{64, 1, 1}, {64, 1, 1}}); // the same bytes as on fibers
}

TEST(WholeGroups, FailAsOnFibers) {
  const Shape many{{4096, 1, 1}, {96, 1, 1}}, flat{{40, 30, 1}, {16, 4, 1}};
  for (const Shape &shape : {many, flat})
    for (const char *body : {"out[g > 4 && sg == 1 && lane > 6 ? 1000u : i & 255] = 1;",
                             "if (g == 7) out[t * 9] = 1; if (g == 5 && t > 50) out[300 - t] = 1;",
                             "out[i & 255] = in[(g == 9 || g == 11) && (t & 31) > 20 ? 256 + t : 0];"}) {
      const std::string whole = std::string("const uint g = at.y * 3 + at.x;\n") + body;
      const std::string fibers = failure(whole, Engine::Fiber, shape);
      EXPECT_THAT(fibers, testing::HasSubstr("out-of-bounds")) << body;
      EXPECT_EQ(failure(whole, Engine::Vector, shape), fibers) << body;
    }
}

} // namespace assay::vector_test
