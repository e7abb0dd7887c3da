// The elementary functions of the oracles: MPFR, so that they share nothing with those that they judge.
#include "f32.h"

#include <mpfr.h>

namespace assay::oracle {

namespace {

/// Sets MPFR's exponent range for its life time.
class ExponentRange {
public:
  ExponentRange(mpfr_exp_t min, mpfr_exp_t max) : min_(mpfr_get_emin()), max_(mpfr_get_emax()) {
    mpfr_set_emin(min);
    mpfr_set_emax(max);
  }
  ~ExponentRange() {
    mpfr_set_emin(min_);
    mpfr_set_emax(max_);
  }

private:
  mpfr_exp_t min_, max_;
};

int apply(Elementary f, mpfr_t x) {
  switch (f) {
  case Elementary::Exp: return mpfr_exp(x, x, MPFR_RNDN);
  case Elementary::Exp2: return mpfr_exp2(x, x, MPFR_RNDN);
  case Elementary::Log: return mpfr_log(x, x, MPFR_RNDN);
  case Elementary::Log2: return mpfr_log2(x, x, MPFR_RNDN);
  case Elementary::Sin: return mpfr_sin(x, x, MPFR_RNDN);
  case Elementary::Cos: return mpfr_cos(x, x, MPFR_RNDN);
  case Elementary::Rsqrt: return mpfr_rec_sqrt(x, x, MPFR_RNDN);
  }
  return 0;
}

} // namespace

float correctlyRounded(Elementary f, float x, bool gradual) {
  mpfr_t value;
  mpfr_init2(value, 24);
  mpfr_set_flt(value, x, MPFR_RNDN);
  float result;
  if (gradual) {
    // MPFR's exponents are one above IEEE's; -148 is where the subnormal grid 2^-149 ends.
    ExponentRange range(-148, 128);
    const int inexact = apply(f, value);
    mpfr_subnormalize(value, inexact, MPFR_RNDN);
    result = mpfr_get_flt(value, MPFR_RNDN);
  } else {
    apply(f, value);
    const bool tiny = mpfr_zero_p(value) || (mpfr_number_p(value) && mpfr_get_exp(value) < -125);
    result = tiny ? std::copysign(0.0f, mpfr_signbit(value) ? -1.0f : 1.0f) : mpfr_get_flt(value, MPFR_RNDN);
  }
  mpfr_clear(value);
  return result;
}

} // namespace assay::oracle
