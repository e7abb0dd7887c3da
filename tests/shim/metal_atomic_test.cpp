// Atomics: their results, and the IR that lowering builds upon. source: MSL specification, section 6.15.
#include "clang_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

using uint = uint32_t;

extern "C" {
#define ATOMIC_FETCH(op, T, space) void shim_matrix_##op##_##T##_##space(T *, T, T *);
#define ATOMIC_OBJECT(T, space) bool shim_object_##T##_##space(T *, T, T, T *);
#include "atomic_matrix.def"
void shim_atomic_ulong_max(uint64_t *, uint64_t);
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

// What each operation is, in C++.
template <class T> T add(T a, T b) {
  return T(std::conditional_t<std::is_same_v<T, float>, float, uint32_t>(a) +
           std::conditional_t<std::is_same_v<T, float>, float, uint32_t>(b));
}
template <class T> T sub(T a, T b) {
  return T(std::conditional_t<std::is_same_v<T, float>, float, uint32_t>(a) -
           std::conditional_t<std::is_same_v<T, float>, float, uint32_t>(b));
}
template <class T> T min(T a, T b) {
  return b < a ? b : a;
}
template <class T> T max(T a, T b) {
  return a < b ? b : a;
}
template <class T> T and_(T a, T b) {
  return a & b;
}
template <class T> T or_(T a, T b) {
  return a | b;
}
template <class T> T xor_(T a, T b) {
  return a ^ b;
}

template <class T> void checkFetch(const char *name, void (*atomic)(T *, T, T *), T (*expected)(T, T)) {
  const T values[] = {
      T(0), T(1), T(7), T(-3), T(1 << 20), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  for (T start : values)
    for (T operand : values) {
      T object = start, before[2];
      atomic(&object, operand, before);
      const T once = expected(start, operand), twice = expected(once, operand);
      EXPECT_EQ(before[0], start) << name;
      EXPECT_EQ(before[1], once) << name << "(" << start << ", " << operand << ")";
      EXPECT_EQ(object, twice) << name << "(" << start << ", " << operand << ") twice";
    }
}

TEST(Atomics, EveryFetchOperationAtEveryTypeInEveryMemory) {
#define EXPECTED_add add
#define EXPECTED_sub sub
#define EXPECTED_min min
#define EXPECTED_max max
#define EXPECTED_and and_
#define EXPECTED_or or_
#define EXPECTED_xor xor_
#define ATOMIC_FETCH(op, T, space)                                                                           \
  checkFetch<T>(#op " " #T " " #space, shim_matrix_##op##_##T##_##space, EXPECTED_##op);
#define ATOMIC_OBJECT(T, space)
#include "atomic_matrix.def"
}

template <class T> void checkObject(const char *name, bool (*atomic)(T *, T, T, T *), T first, T x, T y) {
  T object = first, seen[4];
  EXPECT_TRUE(atomic(&object, x, y, seen)) << name;
  EXPECT_EQ(seen[0], first) << name << ": load";
  EXPECT_EQ(seen[1], x) << name << ": store";
  EXPECT_EQ(seen[2], x) << name << ": exchange";
  EXPECT_EQ(seen[3], y) << name << ": what a failed compare and exchange saw";
  EXPECT_EQ(object, x) << name;
}

TEST(Atomics, LoadStoreExchangeAndCompareAtEveryTypeInEveryMemory) {
#define ATOMIC_FETCH(op, T, space)
#define ATOMIC_OBJECT(T, space) checkObject<T>(#T " " #space, shim_object_##T##_##space, T(1), T(0), T(1));
#include "atomic_matrix.def"
}

TEST(Atomics, UlongMaximumIsUnsigned) {
  uint64_t big = 5;
  shim_atomic_ulong_max(&big, 1ull << 63);
  EXPECT_EQ(big, 1ull << 63);
  shim_atomic_ulong_max(&big, 1);
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

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Atomics, AreSingleInstructionsOnTheElementTypeInItsAddressSpace) {
  const auto run =
      assay::test::runClang("-O1 -S -emit-llvm -o - " ASSAY_SHIM_TESTS "/metal_atomic_functions.cpp");
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
  for (const std::string order : {"seq_cst", "acquire", "release", "acq_rel"})
    EXPECT_THAT(run.text, ContainsRegex("@shim_fence_" + order +
                                        "\\(\\) local_unnamed_addr #[0-9]+ \\{\n"
                                        "  (tail )?call void @__assay_fence\\([^\n]*\n  fence " +
                                        order + "\n"));
  EXPECT_FALSE(contains(run.text, "fence relaxed"));
  EXPECT_THAT(run.text, Not(HasSubstr("atomicrmw volatile")));
}

} // namespace
