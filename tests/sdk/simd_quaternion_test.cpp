// Quaternions: Hamilton's rules exactly, and rotations against angles.
#include <cmath>
#include <gmock/gmock.h>
#include <simd/simd.h>

namespace {

const double kPi = std::acos(-1.0);

double difference(simd_quatd p, simd_quatd q) {
  return simd_norm_inf(p.vector - q.vector);
}
simd_quatd turn(double degrees, simd_double3 axis = {0, 0, 1}) {
  return simd_quaternion(degrees * kPi / 180, axis);
}

TEST(SimdQuaternion, MultipliesAsHamiltonSays) {
  const simd_quatf i = simd_quaternion(1.f, 0.f, 0.f, 0.f), j = simd_quaternion(0.f, 1.f, 0.f, 0.f);
  const float parts[4] = {0, 0, 1, 0};
  const simd_quatf k = simd_quaternion(parts), one = simd_quaternion(simd_float4{0, 0, 0, 1});
  const auto expect = [](simd_quatf p, simd_quatf q) { EXPECT_TRUE(simd_equal(p.vector, q.vector)); };
  expect(simd_mul(i, j), k);
  expect(simd_mul(j, k), i);
  expect(simd_mul(k, i), j);
  expect(simd_mul(j, i), simd_negate(k));
  expect(simd_mul(simd_mul(i, j), k), simd_negate(one));
  const simd_quatf q = simd_quaternion(1.f, 2.f, 3.f, 4.f);
  expect(simd_mul(q, simd_conjugate(q)), simd_mul(30, one));
  expect(simd_inverse(simd_mul(i, 2)), simd_mul(i, -0.5f));
  EXPECT_EQ(simd_dot(q, simd_add(q, one)), 34);
  EXPECT_EQ(simd_length(simd_sub(q, simd_quaternion(0.f, 0.f, 1.f, 5.f))), std::sqrt(10.0f));
  EXPECT_EQ(simd_real(q), 4);
  EXPECT_TRUE(simd_equal(simd_imag(q), (simd_float3){1, 2, 3}));
}

TEST(SimdQuaternion, RotatesAboutItsAxisByItsAngle) {
  const simd_double3 axis = simd_normalize(simd_double3{1, 1, 1});
  const simd_quatd third = turn(120, axis); // x to y, y to z, z to x
  EXPECT_LT(simd_distance(simd_act(third, simd_double3{1, 2, 3}), simd_double3{3, 1, 2}), 1e-14);
  EXPECT_NEAR(simd_angle(third), 2 * kPi / 3, 1e-15);
  EXPECT_LT(simd_distance(simd_axis(third), axis), 1e-15);
  const simd_double3x3 matrix = simd_matrix3x3(third);
  EXPECT_LT(simd_distance(simd_mul(matrix, simd_double3{1, 2, 3}), simd_double3{3, 1, 2}), 1e-14);
  EXPECT_EQ(simd_matrix4x4(third).columns[3].w, 1);
  EXPECT_TRUE(simd::double3x3(third) == simd::double3x3(matrix));
}

TEST(SimdQuaternion, ComesBackFromItsMatrix) {
  // Each of the four components is the greatest once, and some angles are near a half turn.
  for (const simd_double3 axis :
       {simd_double3{1, 0, 0}, simd_double3{0, 1, 0}, simd_double3{0, 0, 1}, simd_double3{3, -4, 12} / 13})
    for (const double degrees : {1e-6, 30.0, 90.0, 119.0, 170.0, 179.9999}) {
      const simd_quatd q = turn(degrees, axis);
      EXPECT_LT(difference(simd_quaternion(simd_matrix3x3(q)), q), 1e-14) << degrees;
      EXPECT_LT(difference(simd_quaternion(simd_matrix4x4(q)), q), 1e-14) << degrees;
    }
}

TEST(SimdQuaternion, TurnsOneVectorToAnother) {
  const simd_double3 x = {1, 0, 0}, y = {0, 1, 0}, some = simd_double3{2, -3, 6} / 7;
  EXPECT_LT(difference(simd_quaternion(x, y), turn(90)), 1e-15);
  EXPECT_LT(simd_distance(simd_act(simd_quaternion(some, y), some), y), 1e-15);
  EXPECT_LT(difference(simd_quaternion(some, some), turn(0)), 1e-15);
  for (const simd_double3 v : {x, y, some}) { // any axis that is perpendicular
    const simd_quatd half = simd_quaternion(v, -v);
    EXPECT_LT(simd_distance(simd_act(half, v), -v), 1e-14);
    EXPECT_NEAR(simd_angle(half), kPi, 1e-15);
  }
}

TEST(SimdQuaternion, LogarithmAndExponentialAreInverse) {
  const simd_double3 axis = simd_double3{2, 3, 6} / 7;
  const simd_quatd log = simd::log(turn(80, axis));
  EXPECT_LT(difference(log, simd_quaternion(simd_make_double4(axis * (40 * kPi / 180), 0))), 1e-15);
  EXPECT_LT(difference(simd::exp(log), turn(80, axis)), 1e-15);
  EXPECT_LT(difference(simd::log(simd_mul(std::exp(2.0), turn(0))), simd_quaternion(0., 0., 0., 2.)), 1e-15);
}

TEST(SimdQuaternion, InterpolatesWithConstantSpeed) {
  EXPECT_LT(difference(simd_slerp(turn(10), turn(90), 0.25), turn(30)), 1e-15);
  EXPECT_LT(difference(simd_slerp(turn(10), simd_negate(turn(90)), 0.25), turn(30)),
            1e-15); // the same rotation
  EXPECT_LT(difference(simd_slerp(turn(10), turn(10), 0.5), turn(10)), 1e-15);
  // the other way round: from 10 backwards to 90 - 360
  EXPECT_LT(difference(simd_slerp_longest(turn(10), turn(90), 0.25), turn(-60)), 1e-15);
  // control points at equal distances on one arc: the curve has constant speed there, too
  EXPECT_LT(difference(simd_spline(turn(0), turn(20), turn(40), turn(60), 0.3), turn(26)), 1e-14);
  EXPECT_LT(difference(simd_bezier(turn(0), turn(20), turn(40), turn(60), 0.3), turn(18)), 1e-14);
  // On one axis, Shoemake's formula is one of numbers: the inner points are 15 and 65; then 30 and 27.5 are
  // mixed by 2 t (1 - t).
  EXPECT_LT(difference(simd_spline(turn(0), turn(20), turn(60), turn(80), 0.25), turn(29.0625)), 1e-14);
  const simd_double3 x = {1, 0, 0};
  const simd_quatd q1 = turn(20, x), q2 = turn(70);
  EXPECT_LT(difference(simd_spline(turn(5), q1, q2, turn(9, x), 0), q1), 1e-14);
  EXPECT_LT(difference(simd_spline(turn(5), q1, q2, turn(9, x), 1), q2), 1e-14);
  EXPECT_LT(difference(simd_bezier(q1, turn(5), turn(9, x), q2, 1), q2), 1e-14);
}

TEST(SimdQuaternion, HasOperatorsInTheNamespace) {
  using simd::quatd;
  const quatd quarter(kPi / 2, simd_double3{0, 0, 1}), one;
  EXPECT_LT(difference(quarter * quarter, turn(180)), 1e-15);
  EXPECT_LT(difference(quarter / quarter, one), 1e-15);
  EXPECT_LT(simd_distance(quarter(simd_double3{1, 0, 0}), simd_double3{0, 1, 0}), 1e-15);
  EXPECT_NEAR(quarter.angle(), kPi / 2, 1e-15);
  EXPECT_EQ(quarter.axis().z, 1);
  quatd q = one + one;
  q *= 3;
  q -= one;
  q /= one;
  EXPECT_TRUE(simd_equal(q.vector, (simd_double4){0, 0, 0, 5}));
  EXPECT_EQ(simd::dot(-q, one), -5);
  EXPECT_EQ(simd::normalize(q).real(), 1);
  EXPECT_LT(difference(simd::conjugate(quarter), simd::inverse(quarter)), 1e-15);
  EXPECT_LT(difference(simd::slerp(one, quarter, 0.5), turn(45)), 1e-15);
  const simd::quatf floats(simd_float3{0, 0, 1}, simd_float3{1, 0, 0});
  EXPECT_NEAR(floats(simd_float3{0, 0, 2}).x, 2, 1e-6f);
  const simd::quath halves(simd::half3x3(1));
  EXPECT_EQ(halves.length(), 1);
}

} // namespace
