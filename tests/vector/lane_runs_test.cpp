// Rows of lanes at distances that are known when the kernel runs.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {

TEST(VectorLaneRuns, RowsOf16And8) {
  for (const uint32_t columns : {16u, 8u, 4u}) {
    const auto out =
        run(fmt::format("const uint n = in[0] % 5 + {0}, x = t % {0}, y = t / {0};\n"
                        "out[i] = in[y * n + x] + in[y * n + 3] * 3 + in[n + t] + in[x * n % 7 + y];",
                        columns));
    const uint32_t n = input(0) % 5 + columns;
    for (uint32_t i = 0; i < 64; ++i) {
      const uint32_t x = i % columns, y = i / columns;
      ASSERT_EQ(out[i], input(y * n + x) + input(y * n + 3) * 3 + input(n + i) + input(x * n % 7 + y)) << i;
    }
  }
}

TEST(VectorLaneRuns, OfEachTypeInSomeLanesAndInTiles) {
  for (const char *type : {"uchar", "half", "float", "ulong"})
    for (const char *index :
         {"local.y * n + local.x", "local.y * n", "n * 3 - local.y + local.x", "(local.y * n ^ 3) + local.x",
          "long(int(local.y * n) + int(local.x) - 3) + 3", "(local.x + 16) - local.x + local.y * n"})
      for (const char *condition : {"true", "in[t] % 3 != 0", "local.y != 1"})
        run(fmt::format(
                "const uint n = in[0] % 5 + 16; float v = 0; if ({2})\n"
                "for (uint k = 0; k < 3; ++k) v = v * 3 + float(((const device {0} *)in)[({1}) + k]);\n"
                "out[t] = as_type<uint>(v);",
                type, index, condition),
            {{16, 4, 1}, {16, 4, 1}});
}

TEST(VectorLaneRuns, FaultsNameTheThread) {
  const char *body = "const uint n = in[0] % 5 + 120; out[i] = in[t / 16 * n + t % 16];";
  EXPECT_EQ(failure(body, Engine::Vector), failure(body, Engine::Fiber));
}

TEST(VectorLaneRuns, LanesThatAreNotThereMayLieOutside) {
  for (const char *condition : {"x >= 8", "y == 0", "(t & 3) == 3", "t < 11"})
    run(fmt::format("const uint n = in[0] % 5 + 240, x = t % 16, y = t / 16; if ({}) {{\n"
                    "out[t] = in[(y * n + x - (y ? 0 : 3)) & 0xffff00ff]; out[(y * n + x) | y << 9] = t; }}",
                    condition),
        {{16, 1, 1}, {16, 1, 1}});
}

} // namespace assay::vector_test
