// Quaternions: simd_quatf of floats, simd_quatd of doubles, simd_quath of halves, and simd::quatf and its
// like. Those of length 1 are rotations: q rotates v to simd_act(q, v).
#pragma once

#include <simd/geometry.h>
#include <simd/math.h>
#include <simd/matrix.h>

// Functions of quaternions Q of vectors V3 and V4 of elements E, in one macro for all that they call.
#define __ASSAY_SIMD_MAKE_QUATERNION(Q, E, V3, V4, M3, M4)                                                   \
  static inline SIMD_CFUNC Q simd_quaternion(V4 xyzr) {                                                      \
    const Q result = {xyzr};                                                                                 \
    return result;                                                                                           \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_quaternion(E ix, E iy, E iz, E r) {                                        \
    const V4 xyzr = {ix, iy, iz, r};                                                                         \
    return simd_quaternion(xyzr);                                                                            \
  }                                                                                                          \
  static inline SIMD_NONCONST Q simd_quaternion(const E xyzr[4]) {                                           \
    return simd_quaternion(xyzr[0], xyzr[1], xyzr[2], xyzr[3]);                                              \
  }                                                                                                          \
  static inline SIMD_CFUNC Q __assay_simd_of_parts(V3 imaginary, E real) {                                   \
    return simd_quaternion(imaginary.x, imaginary.y, imaginary.z, real);                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC E simd_real(Q q) {                                                                \
    return q.vector.w;                                                                                       \
  }                                                                                                          \
  static inline SIMD_CFUNC V3 simd_imag(Q q) {                                                               \
    return q.vector.xyz;                                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_add(Q p, Q q) {                                                            \
    return simd_quaternion(p.vector + q.vector);                                                             \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_sub(Q p, Q q) {                                                            \
    return simd_quaternion(p.vector - q.vector);                                                             \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_mul(Q q, E a) {                                                            \
    return simd_quaternion(q.vector * a);                                                                    \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_mul(E a, Q q) {                                                            \
    return simd_quaternion(a * q.vector);                                                                    \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_mul(Q p, Q q) {                                                            \
    const V3 a = simd_imag(p), b = simd_imag(q);                                                             \
    const E r = simd_real(p), s = simd_real(q);                                                              \
    return __assay_simd_of_parts(r * b + s * a + simd_cross(a, b), r * s - simd_dot(a, b));                  \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_negate(Q q) {                                                              \
    return simd_quaternion(-q.vector);                                                                       \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_conjugate(Q q) {                                                           \
    return __assay_simd_of_parts(-simd_imag(q), simd_real(q));                                               \
  }                                                                                                          \
  static inline SIMD_CFUNC E simd_dot(Q p, Q q) {                                                            \
    return simd_dot(p.vector, q.vector);                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC E simd_length(Q q) {                                                              \
    return simd_length(q.vector);                                                                            \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_normalize(Q q) {                                                           \
    return simd_quaternion(simd_normalize(q.vector));                                                        \
  }                                                                                                          \
  static inline SIMD_CFUNC Q simd_inverse(Q q) {                                                             \
    return simd_quaternion(simd_conjugate(q).vector / simd_length_squared(q.vector));                        \
  }                                                                                                          \
  static inline SIMD_CFUNC E simd_angle(Q q) {                                                               \
    return 2 * __assay_simd_atan2(simd_length(simd_imag(q)), simd_real(q));                                  \
  }                                                                                                          \
  static inline SIMD_CFUNC V3 simd_axis(Q q) {                                                               \
    return simd_normalize(simd_imag(q));                                                                     \
  }                                                                                                          \
  static inline SIMD_CFUNC V3 simd_act(Q q, V3 v) {                                                          \
    const V3 t = 2 * simd_cross(simd_imag(q), v);                                                            \
    return v + simd_real(q) * t + simd_cross(simd_imag(q), t);                                               \
  }

// From rotations. The matrix's greatest diagonal element says by which component to divide, so that nothing
// small is divided by. Vectors that are opposite have no half between them: then the axis is any that is
// perpendicular.
#define __ASSAY_SIMD_ROTATE(Q, E, V3, V4, M3, M4)                                                            \
  static inline SIMD_CFUNC Q simd_quaternion(E angle, V3 axis) {                                             \
    return __assay_simd_of_parts(__assay_simd_sin(angle / 2) * axis, __assay_simd_cos(angle / 2));           \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_quaternion(V3 from, V3 to) {                                            \
    const V3 sum = from + to;                                                                                \
    if (simd_length_squared(sum) > __ASSAY_SIMD_OPPOSITE(E)) {                                               \
      const V3 half = simd_normalize(sum);                                                                   \
      return __assay_simd_of_parts(simd_cross(from, half), simd_dot(from, half));                            \
    }                                                                                                        \
    const V3 size = simd_abs(from);                                                                          \
    V3 other = 0;                                                                                            \
    other[size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2] = 1;                          \
    return __assay_simd_of_parts(simd_normalize(simd_cross(from, other)), 0);                                \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_quaternion(M3 m) {                                                      \
    const E x = m.columns[0][0], y = m.columns[1][1], z = m.columns[2][2];                                   \
    const E yz = m.columns[1][2] - m.columns[2][1], zx = m.columns[2][0] - m.columns[0][2];                  \
    const E xy = m.columns[0][1] - m.columns[1][0];                                                          \
    const E yplusz = m.columns[1][2] + m.columns[2][1], zplusx = m.columns[2][0] + m.columns[0][2];          \
    const E xplusy = m.columns[0][1] + m.columns[1][0];                                                      \
    V4 q;                                                                                                    \
    if (x + y + z >= 0) {                                                                                    \
      const V4 large = {yz, zx, xy, 1 + x + y + z};                                                          \
      q = large;                                                                                             \
    } else if (x >= y && x >= z) {                                                                           \
      const V4 large = {1 + x - y - z, xplusy, zplusx, yz};                                                  \
      q = large;                                                                                             \
    } else if (y >= z) {                                                                                     \
      const V4 large = {xplusy, 1 - x + y - z, yplusz, zx};                                                  \
      q = large;                                                                                             \
    } else {                                                                                                 \
      const V4 large = {zplusx, yplusz, 1 - x - y + z, xy};                                                  \
      q = large;                                                                                             \
    }                                                                                                        \
    return simd_quaternion(simd_normalize(q));                                                               \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_quaternion(M4 m) {                                                      \
    const M3 upper = {{m.columns[0].xyz, m.columns[1].xyz, m.columns[2].xyz}};                               \
    return simd_quaternion(upper);                                                                           \
  }
/// The squared length of a sum of two unit vectors that is nothing but rounding.
#define __ASSAY_SIMD_OPPOSITE(E) (sizeof(E) == 8 ? 0x1p-100 : sizeof(E) == 4 ? 0x1p-44 : 0x1p-18)

// Logarithm and exponential, and interpolation: slerp goes along the arc with constant speed. The spline
// between q1 and q2 has at both the tangent that their neighbours give; bezier is de Casteljau's algorithm
// with slerp. source: K. Shoemake, Quaternion calculus and fast animation, 1987.
#define __ASSAY_SIMD_INTERPOLATE(Q, E, V3, V4, M3, M4)                                                       \
  static inline SIMD_CFUNC E __assay_simd_sinc(E x) {                                                        \
    return x == 0 ? (E)1 : __assay_simd_sin(x) / x;                                                          \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q __tg_log(Q q) {                                                              \
    const E length = simd_length(simd_imag(q));                                                              \
    const V3 none = 0;                                                                                       \
    const V3 v = length == 0 ? none : simd_imag(q) / length * __assay_simd_atan2(length, simd_real(q));      \
    return __assay_simd_of_parts(v, __assay_simd_log(simd_length(q)));                                       \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q __tg_exp(Q q) {                                                              \
    const E angle = simd_length(simd_imag(q));                                                               \
    return simd_mul(                                                                                         \
        __assay_simd_exp(simd_real(q)),                                                                      \
        __assay_simd_of_parts(__assay_simd_sinc(angle) * simd_imag(q), __assay_simd_cos(angle)));            \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q __assay_simd_arc(Q q0, Q q1, E t) {                                          \
    const E angle =                                                                                          \
        2 * __assay_simd_atan2(simd_length(q0.vector - q1.vector), simd_length(q0.vector + q1.vector));      \
    const E s = 1 - t, whole = __assay_simd_sinc(angle);                                                     \
    const E a = __assay_simd_sinc(s * angle) / whole * s, b = __assay_simd_sinc(t * angle) / whole * t;      \
    return simd_normalize(simd_quaternion(a * q0.vector + b * q1.vector));                                   \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_slerp(Q q0, Q q1, E t) {                                                \
    return __assay_simd_arc(q0, simd_dot(q0, q1) >= 0 ? q1 : simd_negate(q1), t);                            \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_slerp_longest(Q q0, Q q1, E t) {                                        \
    return __assay_simd_arc(q0, simd_dot(q0, q1) >= 0 ? simd_negate(q1) : q1, t);                            \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q __assay_simd_tangent(Q before, Q q, Q after) {                               \
    const Q l = __tg_log(simd_mul(simd_inverse(q), before)), r = __tg_log(simd_mul(simd_inverse(q), after)); \
    return simd_mul(q, __tg_exp(simd_quaternion((l.vector + r.vector) / -4)));                               \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_spline(Q q0, Q q1, Q q2, Q q3, E t) {                                   \
    const Q a = __assay_simd_tangent(q0, q1, q2), b = __assay_simd_tangent(q1, q2, q3);                      \
    return __assay_simd_arc(__assay_simd_arc(q1, q2, t), __assay_simd_arc(a, b, t), 2 * t * (1 - t));        \
  }                                                                                                          \
  static inline SIMD_NOINLINE Q simd_bezier(Q q0, Q q1, Q q2, Q q3, E t) {                                   \
    const Q a = __assay_simd_arc(q0, q1, t), b = __assay_simd_arc(q1, q2, t);                                \
    const Q c = __assay_simd_arc(q2, q3, t);                                                                 \
    return __assay_simd_arc(__assay_simd_arc(a, b, t), __assay_simd_arc(b, c, t), t);                        \
  }
#define __ASSAY_SIMD_QUATERNION_WITH(M, suffix, name)                                                        \
  M(simd_quat##suffix, __ASSAY_SIMD_E(name), simd_##name##3, simd_##name##4, simd_##name##3x3,               \
    simd_##name##4x4)
#define __ASSAY_SIMD_QUATERNION(suffix, name)                                                                \
  __ASSAY_SIMD_QUATERNION_WITH(__ASSAY_SIMD_MAKE_QUATERNION, suffix, name)                                   \
  __ASSAY_SIMD_QUATERNION_WITH(__ASSAY_SIMD_ROTATE, suffix, name)                                            \
  __ASSAY_SIMD_QUATERNION_WITH(__ASSAY_SIMD_INTERPOLATE, suffix, name)
__ASSAY_SIMD_QUATERNIONS(__ASSAY_SIMD_QUATERNION)
#undef __ASSAY_SIMD_QUATERNION

#ifdef __cplusplus
// C++: simd::Q with constructors, and operators and functions of C's Q.
#define __ASSAY_SIMD_CPP_QUATERNION(Q, name)                                                                 \
  struct Q : ::simd_##Q {                                                                                    \
    Q() : ::simd_##Q(::simd_quaternion((name##4){0, 0, 0, 1})) {}                                            \
    Q(::simd_##Q q) : ::simd_##Q(q) {}                                                                       \
    Q(__ASSAY_SIMD_E(name) ix, __ASSAY_SIMD_E(name) iy, __ASSAY_SIMD_E(name) iz, __ASSAY_SIMD_E(name) r)     \
        : ::simd_##Q(::simd_quaternion(ix, iy, iz, r)) {}                                                    \
    Q(const __ASSAY_SIMD_E(name) xyzr[4]) : ::simd_##Q(::simd_quaternion(xyzr)) {}                           \
    Q(name##4 xyzr) : ::simd_##Q(::simd_quaternion(xyzr)) {}                                                 \
    Q(__ASSAY_SIMD_E(name) angle, name##3 axis) : ::simd_##Q(::simd_quaternion(angle, axis)) {}              \
    Q(name##3 from, name##3 to) : ::simd_##Q(::simd_quaternion(from, to)) {}                                 \
    Q(::simd_##name##3x3 matrix) : ::simd_##Q(::simd_quaternion(matrix)) {}                                  \
    Q(::simd_##name##4x4 matrix) : ::simd_##Q(::simd_quaternion(matrix)) {}                                  \
    __ASSAY_SIMD_E(name) real() const {                                                                      \
      return ::simd_real(*this);                                                                             \
    }                                                                                                        \
    name##3 imag() const {                                                                                   \
      return ::simd_imag(*this);                                                                             \
    }                                                                                                        \
    __ASSAY_SIMD_E(name) angle() const {                                                                     \
      return ::simd_angle(*this);                                                                            \
    }                                                                                                        \
    name##3 axis() const {                                                                                   \
      return ::simd_axis(*this);                                                                             \
    }                                                                                                        \
    __ASSAY_SIMD_E(name) length() const {                                                                    \
      return ::simd_length(*this);                                                                           \
    }                                                                                                        \
    name##3 operator()(const ::simd_##name##3 v) const {                                                     \
      return ::simd_act(*this, v);                                                                           \
    }                                                                                                        \
  };                                                                                                         \
  static SIMD_CPPFUNC Q operator+(const ::simd_##Q p, const ::simd_##Q q) {                                  \
    return ::simd_add(p, q);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator-(const ::simd_##Q p, const ::simd_##Q q) {                                  \
    return ::simd_sub(p, q);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator-(const ::simd_##Q p) {                                                      \
    return ::simd_negate(p);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator*(const __ASSAY_SIMD_E(name) r, const ::simd_##Q p) {                        \
    return ::simd_mul(r, p);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator*(const ::simd_##Q p, const __ASSAY_SIMD_E(name) r) {                        \
    return ::simd_mul(p, r);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator*(const ::simd_##Q p, const ::simd_##Q q) {                                  \
    return ::simd_mul(p, q);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator/(const ::simd_##Q p, const ::simd_##Q q) {                                  \
    return ::simd_mul(p, ::simd_inverse(q));                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator+=(Q &p, const ::simd_##Q q) {                                               \
    return p = p + q;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator-=(Q &p, const ::simd_##Q q) {                                               \
    return p = p - q;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator*=(Q &p, const __ASSAY_SIMD_E(name) r) {                                     \
    return p = p * r;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator*=(Q &p, const ::simd_##Q q) {                                               \
    return p = p * q;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC Q operator/=(Q &p, const ::simd_##Q q) {                                               \
    return p = p / q;                                                                                        \
  }                                                                                                          \
  static SIMD_CPPFUNC Q conjugate(const ::simd_##Q q) {                                                      \
    return ::simd_conjugate(q);                                                                              \
  }                                                                                                          \
  static SIMD_CPPFUNC Q inverse(const ::simd_##Q q) {                                                        \
    return ::simd_inverse(q);                                                                                \
  }                                                                                                          \
  static SIMD_CPPFUNC __ASSAY_SIMD_E(name) dot(const ::simd_##Q p, const ::simd_##Q q) {                     \
    return ::simd_dot(p, q);                                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q normalize(const ::simd_##Q q) {                                                      \
    return ::simd_normalize(q);                                                                              \
  }                                                                                                          \
  static SIMD_CPPFUNC Q log(const ::simd_##Q q) {                                                            \
    return ::__tg_log(q);                                                                                    \
  }                                                                                                          \
  static SIMD_CPPFUNC Q exp(const ::simd_##Q q) {                                                            \
    return ::__tg_exp(q);                                                                                    \
  }                                                                                                          \
  static SIMD_CPPFUNC Q slerp(const ::simd_##Q p, const ::simd_##Q q, __ASSAY_SIMD_E(name) t) {              \
    return ::simd_slerp(p, q, t);                                                                            \
  }                                                                                                          \
  static SIMD_CPPFUNC Q slerp_longest(const ::simd_##Q p, const ::simd_##Q q, __ASSAY_SIMD_E(name) t) {      \
    return ::simd_slerp_longest(p, q, t);                                                                    \
  }                                                                                                          \
  static SIMD_CPPFUNC Q spline(const ::simd_##Q q0, const ::simd_##Q q1, const ::simd_##Q q2,                \
                               const ::simd_##Q q3, __ASSAY_SIMD_E(name) t) {                                \
    return ::simd_spline(q0, q1, q2, q3, t);                                                                 \
  }                                                                                                          \
  static SIMD_CPPFUNC Q bezier(const ::simd_##Q q0, const ::simd_##Q q1, const ::simd_##Q q2,                \
                               const ::simd_##Q q3, __ASSAY_SIMD_E(name) t) {                                \
    return ::simd_bezier(q0, q1, q2, q3, t);                                                                 \
  }
namespace simd {
__ASSAY_SIMD_CPP_QUATERNION(quath, half)
__ASSAY_SIMD_CPP_QUATERNION(quatf, float)
__ASSAY_SIMD_CPP_QUATERNION(quatd, double)
} // namespace simd
#else
#define __ASSAY_SIMD_PROMOTE_QUATERNION(suffix, name)                                                        \
  __ASSAY_SIMD_UNUSED static simd_quat##suffix SIMD_NOINLINE __tg_promote(simd_quat##suffix);
__ASSAY_SIMD_QUATERNIONS(__ASSAY_SIMD_PROMOTE_QUATERNION)
#undef __ASSAY_SIMD_PROMOTE_QUATERNION
#endif
