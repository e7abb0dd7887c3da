// Quadgroup functions, as metal_simdgroup_test.cpp for four threads.
// source: MSL specification, section 6.9.3.
#include "engine.h"
#include "signatures.h"

#include <gmock/gmock.h>

using namespace assay::test;

extern "C" {
unsigned shim_quad_prefix(unsigned);
}

namespace {

TEST(QuadFunctions, HaveTheirOwnNumbers) {
  calls.clear();
  answerWith({6u});
  EXPECT_EQ(shim_quad_prefix(1), 6u);
  EXPECT_EQ(calls[0].operation, kQuadPrefixExclusiveSum);
}

TEST(QuadgroupHeader, DeclaresEveryFunctionForEveryType) {
  expectSignatures(
      "metal_quadgroup",
      {
          {kSimdTypes,
           "T",
           {"quad_broadcast(x, 1)",
            "quad_broadcast_first(x)",
            "quad_max(x)",
            "quad_min(x)",
            "quad_prefix_exclusive_product(x)",
            "quad_prefix_exclusive_sum(x)",
            "quad_prefix_inclusive_product(x)",
            "quad_prefix_inclusive_sum(x)",
            "quad_product(x)",
            "quad_shuffle(x, 1)",
            "quad_shuffle_and_fill_down(x, y, 1)",
            "quad_shuffle_and_fill_down(x, y, 1, 4)",
            "quad_shuffle_and_fill_up(x, y, 1)",
            "quad_shuffle_and_fill_up(x, y, 1, 4)",
            "quad_shuffle_down(x, 1)",
            "quad_shuffle_rotate_down(x, 1)",
            "quad_shuffle_rotate_up(x, 1)",
            "quad_shuffle_up(x, 1)",
            "quad_shuffle_xor(x, 1)",
            "quad_sum(x)"}},
          {kSimdIntegers, "T", {"quad_and(x)", "quad_or(x)", "quad_xor(x)"}},
          {kOnce,
           "bool",
           {"quad_all(true)", "quad_any(true)", "quad_is_first()", "quad_is_helper_thread()",
            "quad_ballot(true).all()", "quad_ballot(true).any()"}},
          {kOnce,
           "quad_vote",
           {"quad_ballot(true)", "quad_active_threads_mask()", "quad_vote(quad_vote::vote_t(1))"}},
          {kOnce, "quad_vote::vote_t", {"static_cast<quad_vote::vote_t>(quad_ballot(true))"}},
      });
}

} // namespace
