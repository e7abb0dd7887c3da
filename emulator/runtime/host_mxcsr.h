// Observers are the host's code: while they run, the processor is in the host's floating-point mode, not the kernel's.
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
