// Atomics: their results, and the IR that lowering builds upon. source: MSL specification, section 6.15.
#include "clang_run.h"

#include <gmock/gmock.h>

#include <cstdint>

extern "C" {
float shim_float_add(float *, float);
int shim_threadgroup_max(int *, int);
uint32_t shim_atomic_uint_min(uint32_t *, uint32_t);
uint32_t shim_atomic_bits(uint32_t *, uint32_t);
float shim_exchange(float *, float);
bool shim_compare_exchange(float *, float *, float);
void shim_store(int *, bool *);
void shim_atomic_ulong_min(uint64_t *, uint64_t);
float shim_float_sub(float *, float);
}

namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Atomics, FetchReturnsTheValueBefore) {
  float f = 1.5f;
  EXPECT_EQ(shim_float_add(&f, 2), 1.5f);
  EXPECT_EQ(shim_float_sub(&f, 1), 3.5f);
  EXPECT_EQ(f, 2.5f);
  int i = -5;
  EXPECT_EQ(shim_threadgroup_max(&i, 3), -5);
  EXPECT_EQ(i, 3);
  uint32_t u = 0x80000000u;
  EXPECT_EQ(shim_atomic_uint_min(&u, 1), 0x80000000u) << "unsigned";
  EXPECT_EQ(u, 1u);
  u = 0xabcd1234u;
  EXPECT_EQ(shim_atomic_bits(&u, 0x10000), 0x11234u);
  EXPECT_EQ(u, 0x11235u);
  uint64_t big = ~0ull;
  shim_atomic_ulong_min(&big, 1ull << 63);
  EXPECT_EQ(big, 1ull << 63);
}

TEST(Atomics, ExchangeAndCompareExchangeCarryFloats) {
  float f = 1;
  EXPECT_EQ(shim_exchange(&f, 2), 1.0f);
  float expected = 7;
  EXPECT_FALSE(shim_compare_exchange(&f, &expected, 9));
  EXPECT_EQ(expected, 2.0f) << "what was there";
  EXPECT_TRUE(shim_compare_exchange(&f, &expected, 9));
  EXPECT_EQ(f, 9.0f);
}

TEST(Atomics, LoadAndStore) {
  int i = 3;
  bool flag = false;
  shim_store(&i, &flag);
  EXPECT_EQ(i, 7);
  EXPECT_TRUE(flag);
}

TEST(Atomics, AreSingleInstructionsOnTheElementTypeInItsAddressSpace) {
  const auto run = assay::test::runClang("-O1 -S -emit-llvm -o - " ASSAY_SHIM_TESTS "/atomic_functions.cpp");
  ASSERT_EQ(run.status, 0) << run.text;
  EXPECT_THAT(run.text,
              ContainsRegex("atomicrmw fadd ptr addrspace\\(5\\) %[0-9]+, float %[0-9]+ monotonic"));
  EXPECT_THAT(run.text, ContainsRegex("atomicrmw fsub ptr addrspace\\(5\\) %[0-9]+, float"));
  EXPECT_THAT(run.text, ContainsRegex("atomicrmw max ptr addrspace\\(3\\) %[0-9]+, i32 %[0-9]+ monotonic"));
  EXPECT_THAT(run.text, ContainsRegex("atomicrmw umin ptr addrspace\\(5\\) %[0-9]+, i32"));
  EXPECT_THAT(run.text, ContainsRegex("atomicrmw umin ptr addrspace\\(5\\) %[0-9]+, i64"));
  EXPECT_THAT(run.text, ContainsRegex("cmpxchg weak ptr addrspace\\(5\\) %[0-9]+, i32"));
  EXPECT_THAT(run.text, ContainsRegex("load atomic i32, ptr addrspace\\(5\\)"));
  EXPECT_THAT(run.text, ContainsRegex("store atomic i8 .*, ptr addrspace\\(3\\)"));
  EXPECT_THAT(run.text, HasSubstr("fence seq_cst"));
  EXPECT_THAT(run.text, Not(HasSubstr("atomicrmw volatile")));
}

} // namespace
