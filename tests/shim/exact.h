// MPFR's functions where IEEE 754 and MPFR differ.
#pragma once

#include <mpfr.h>

/// 1 / sqrt(-0) is -infinity (IEEE 754-2019, 9.2.1); MPFR drops the sign.
inline int exactRsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  const int inexact = mpfr_rec_sqrt(result, x, rounding);
  if (mpfr_zero_p(x) && mpfr_signbit(x))
    mpfr_set_inf(result, -1);
  return inexact;
}
