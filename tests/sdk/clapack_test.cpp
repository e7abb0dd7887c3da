// LAPACK's functions as Accelerate declares them, against systems that are solved by hand.
#include <Accelerate/clapack.h>

#include <gmock/gmock.h>
#include <vector>

namespace {

using testing::FloatNear;
using testing::Pointwise;

TEST(Clapack, SolvesASystem) {
  // 2x + y = 5, x + 3y = 10, in columns.
  std::vector<float> a = {2, 1, 1, 3}, b = {5, 10};
  __CLPK_integer n = 2, one = 1, info = -1;
  std::vector<__CLPK_integer> pivots(2);
  sgesv_(&n, &one, a.data(), &n, pivots.data(), b.data(), &n, &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(b, Pointwise(FloatNear(1e-6f), {1.f, 3.f}));
}

TEST(Clapack, InvertsByFactors) {
  std::vector<double> a = {4, 2, 7, 6}, work(8);
  __CLPK_integer n = 2, lwork = 8, info = -1;
  std::vector<__CLPK_integer> pivots(2);
  dgetrf_(&n, &n, a.data(), &n, pivots.data(), &info);
  EXPECT_EQ(info, 0);
  dgetri_(&n, a.data(), &n, pivots.data(), work.data(), &lwork, &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(a, Pointwise(testing::DoubleNear(1e-14), {0.6, -0.2, -0.7, 0.4}));
}

TEST(Clapack, HasCholeskysFactorAndSaysWhereThereIsNone) {
  std::vector<float> a = {4, 2, 2, 5}, none = {1, 2, 2, 1};
  char lower = 'L';
  __CLPK_integer n = 2, info = -1;
  spotrf_(&lower, &n, a.data(), &n, &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(a, Pointwise(FloatNear(1e-6f), {2.f, 1.f, 2.f, 2.f}));
  spotrf_(&lower, &n, none.data(), &n, &info);
  EXPECT_EQ(info, 2);
}

TEST(Clapack, HasEigenvaluesAndSingularValues) {
  std::vector<float> a = {2, 1, 1, 2}, w(2), work(64);
  char values = 'N', upper = 'U';
  __CLPK_integer n = 2, lwork = 64, info = -1;
  ssyev_(&values, &upper, &n, a.data(), &n, w.data(), work.data(), &lwork, &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(w, Pointwise(FloatNear(1e-6f), {1.f, 3.f}));
  std::vector<float> d = {0, 3, -4, 0}, s(2), u(4), v(4);
  sgesvd_(&values, &values, &n, &n, d.data(), &n, s.data(), u.data(), &n, v.data(), &n, work.data(), &lwork,
          &info);
  EXPECT_EQ(info, 0);
  EXPECT_THAT(s, Pointwise(FloatNear(1e-6f), {4.f, 3.f}));
}

} // namespace
