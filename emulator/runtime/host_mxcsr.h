// Runs observers in the host's floating-point mode instead of the kernel's, because they are the host's code.
#pragma once

#include <xmmintrin.h>

namespace assay::runtime {

class HostMxcsr {
public:
  HostMxcsr() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); } // nearest even, no flush, exceptions masked
  ~HostMxcsr() { _mm_setcsr(saved_); }
  HostMxcsr(const HostMxcsr &) = delete;

private:
  const unsigned saved_;
};

} // namespace assay::runtime
