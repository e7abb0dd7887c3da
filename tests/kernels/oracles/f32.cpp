// The exponential of the oracles: MPFR, so that it shares nothing with the one it judges.
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

} // namespace

float expCorrectlyRounded(float x, bool gradual) {
  mpfr_t value;
  mpfr_init2(value, 24);
  mpfr_set_flt(value, x, MPFR_RNDN);
  float result;
  if (gradual) {
    // MPFR's exponents are one above IEEE's; -148 is where the subnormal grid 2^-149 ends.
    ExponentRange range(-148, 128);
    const int inexact = mpfr_exp(value, value, MPFR_RNDN);
    mpfr_subnormalize(value, inexact, MPFR_RNDN);
    result = mpfr_get_flt(value, MPFR_RNDN);
  } else {
    mpfr_exp(value, value, MPFR_RNDN);
    const bool tiny = mpfr_zero_p(value) || (mpfr_number_p(value) && mpfr_get_exp(value) < -125);
    result = tiny ? 0.0f : mpfr_get_flt(value, MPFR_RNDN);
  }
  mpfr_clear(value);
  return result;
}

} // namespace assay::oracle
