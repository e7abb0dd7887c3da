// Where a tensor's elements lie, and a product of one thread. What types alone decide is in
// metal_tensor_functions.cpp; products of simdgroups are in tests/kernels/tensor_test.cpp.
// source: MSL 4 specification, section 2.20.2.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <vector>

extern "C" {
int shim_tensor_packed(int *, int, int, int);
int shim_tensor_strided(int *, int, int);
void shim_tensor_sizes(int *, int, int, int *);
int shim_tensor_slice_of_slice(int *, int, int);
void shim_tensor_write(int *, int, int);
int shim_tensor_subscript(int *, int, short);
int shim_tensor_repeated(int *, int, int);
int shim_tensor_load(int *, int, long);
int shim_tensor_get(int *, int, long);
void shim_tensor_store(int *, unsigned, int, int);
void shim_matmul_thread(float *, float *, float *);
}

namespace {

std::vector<int> counting() {
  std::vector<int> data(256);
  std::iota(data.begin(), data.end(), 0);
  return data;
}

TEST(Tensor, DimensionZeroIsTheInnermost) {
  auto data = counting();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(shim_tensor_packed(data.data(), i, j, k), i + 5 * j + 20 * k);
      EXPECT_EQ(shim_tensor_strided(data.data(), i, j), 2 * i + 11 * j);
    }
}

TEST(Tensor, ASliceHasWhatIsLeftOfTheExtentsUnlessTheyAreFixed) {
  auto data = counting();
  const auto sizes = [&](int i, int j) {
    std::vector<int> out(6);
    shim_tensor_sizes(data.data(), i, j, out.data());
    return out;
  };
  EXPECT_THAT(sizes(0, 0), testing::ElementsAre(5, 4, 1, 7, 2, 4));
  EXPECT_THAT(sizes(2, 3), testing::ElementsAre(3, 1, 1, 7, 2, 1));
  EXPECT_THAT(sizes(4, 9), testing::ElementsAre(1, 0, 1, 7, 2, 0)); // beyond the end: nothing is left
}

TEST(Tensor, SlicesAddUpAndElementsCanBeWritten) {
  auto data = counting();
  EXPECT_EQ(shim_tensor_slice_of_slice(data.data(), 0, 0), 3 + 1 + 20 * (2 + 5));
  EXPECT_EQ(shim_tensor_slice_of_slice(data.data(), 2, 1), 3 + 1 + 2 + 20 * (2 + 5 + 1));
  shim_tensor_write(data.data(), 4, 99);
  EXPECT_THAT(std::vector<int>(data.begin() + 3, data.begin() + 7), testing::ElementsAre(3, 99, -99, 6));
}

TEST(Tensor, GetRepeatsTheOnlyElementOfADimension) {
  std::vector<int> data{4, 5, 6, 7};
  for (int j = 0; j < 4; ++j)
    for (int i : {0, 1, 100})
      EXPECT_EQ(shim_tensor_repeated(data.data(), i, j), 1001 * data[j]);
  EXPECT_EQ(shim_tensor_repeated(data.data(), 0, 4), 0) << "beyond the end";
  EXPECT_EQ(shim_tensor_repeated(data.data(), -1, 1), 0) << "before the beginning";
}

// Of 5 x 4 elements with the strides 2 and 11.
TEST(Tensor, ALoadBeyondTheExtentsIsZero) {
  auto data = counting();
  data[0] = 1000;
  for (long j = -2; j < 6; ++j)
    for (int i = -2; i < 7; ++i) {
      const bool inside = i >= 0 && i < 5 && j >= 0 && j < 4;
      const int element = data[size_t(inside ? 2 * i + 11 * j : 0)];
      EXPECT_EQ(shim_tensor_load(data.data(), i, j), inside ? element : 0) << i << ' ' << j;
      if (inside)
        EXPECT_EQ(shim_tensor_subscript(data.data(), i, short(j)), element);
    }
  EXPECT_EQ(shim_tensor_load(data.data(), 0, 1l << 32), 0); // not 0 after it is cut to 32 bits
}

// "If the index at i is greater than zero and the extent is 1, the effective index is 0": section 2.21.2.
TEST(Tensor, AGetHasTheOnlyElementOfADimensionForEveryIndex) {
  auto data = counting();
  data[0] = 1000;
  for (long j = -2; j < 6; ++j)
    for (int i = -2; i < 7; ++i)
      EXPECT_EQ(shim_tensor_get(data.data(), i, j), i >= 0 && i < 5 && j >= 0 ? data[size_t(2 * i)] : 0);
}

// The slice begins at element (1, 0), so it has 4 x 4 elements.
TEST(Tensor, AStoreBeyondTheExtentsIsDropped) {
  auto data = counting(), expected = data;
  shim_tensor_store(data.data(), 2, 3, 500);
  expected[2 * 3 + 11 * 3] = 500;
  expected[2 * 4 + 11 * 3] = -500;
  EXPECT_EQ(data, expected);
  shim_tensor_store(data.data(), 3, 1, 600); // the second is beyond
  expected[2 * 4 + 11] = 600;
  EXPECT_EQ(data, expected);
  shim_tensor_store(data.data(), 4, 1, 700);
  shim_tensor_store(data.data(), 0, -1, 700);
  shim_tensor_store(data.data(), 0, 4, 700);
  shim_tensor_store(data.data(), 0xfffffffe, 0, 700);
  EXPECT_EQ(data, expected);
}

TEST(Matmul, OfOneThreadIsAChainOfFusedSteps) {
  std::vector<float> a(12), b(20), c(15);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = 1.0f / float(i + 1);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = std::sqrt(float(i + 2));
  for (size_t i = 0; i < c.size(); ++i)
    c[i] = float(i) * 0.3f;
  std::vector<float> expected = c;
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 5; ++j)
      for (size_t k = 0; k < 4; ++k)
        expected[i * 5 + j] = std::fma(a[i * 4 + k], b[j * 4 + k], expected[i * 5 + j]);
  shim_matmul_thread(a.data(), b.data(), c.data());
  EXPECT_EQ(c, expected);
}

} // namespace
