// How rows of lanes are checked, loaded and stored.
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace assay::vector_test {

// The first lane of all that leaves the buffer, in whichever row it is, at either end of it, and where the
// index wraps.
TEST(VectorRunAccesses, FaultsAreThoseOfTheFirstLaneThatLeaves) {
  for (const char *index : {"y * n + x + 225", "y * n + x + 224", "y * n + x + 208", "y * n + x - 8",
                            "y * n - x", "(1 - y) * n + x + 224", "y * n + 240", "(y ^ 1) * n + x + 222"})
    for (const char *access : {"out[t] = in[{}];", "out[{}] = t;"}) {
      const std::string body = "const uint n = in[0] % 5 + 16 - in[0] % 5, x = t % 16, y = t / 16;\n" +
                               fmt::format(fmt::runtime(access), index);
      EXPECT_EQ(failure(body, Engine::Vector, {{32, 1, 1}, {32, 1, 1}}),
                failure(body, Engine::Fiber, {{32, 1, 1}, {32, 1, 1}}))
          << index;
    }
}

// Whoever is last in a place wins.
TEST(VectorRunAccesses, StoresOfRowsThatLieOverOneAnother) {
  for (const char *type : {"uchar", "ushort", "uint", "float", "ulong"})
    for (const char *index :
         {"y * n + x", "y * (n / 2) + x", "y * (n * 0) + x", "(3 - y) * n / 3 + x", "y * n"})
      run(fmt::format("const uint n = in[0] % 5 + 9, x = t % 16, y = t / 16;\n"
                      "((device {} *)out)[{}] = in[t] % 251;",
                      type, index));
}

// Rows of several indices in one block and in a loop: what a check has found is true of its own index alone.
TEST(VectorRunAccesses, EachOfItsOwnIndex) {
  const auto out =
      run("const uint n = in[0] % 5 + 16, m = in[1] % 3 + 17, x = t % 16, y = t / 16; uint v = 0;\n"
          "for (uint k = 0; k < 2; ++k) { const uint a = y * n + x + k, b = y * m + x;\n"
          "v = v * 3 + in[a] + in[b] * 5; out[b + 80 * k + 64] = v; v += in[a + 1]; }\n"
          "out[t] = v;",
          {{64, 1, 1}, {64, 1, 1}});
  const uint32_t n = input(0) % 5 + 16, m = input(1) % 3 + 17;
  for (uint32_t t = 0; t < 64; ++t) {
    const uint32_t x = t % 16, y = t / 16, b = y * m + x;
    uint32_t v = 0;
    for (uint32_t k = 0; k < 2; ++k) {
      v = v * 3 + input(y * n + x + k) + input(b) * 5;
      EXPECT_EQ(out[b + 80 * k + 64], v) << t;
      v += input(y * n + x + k + 1);
    }
    EXPECT_EQ(out[t], v) << t;
  }
}

} // namespace assay::vector_test
