// Of Accelerate: BLAS, which Debian has under the same names, vDSP without transforms, and vForce. LAPACK,
// transforms, vImage, BNNS and the rest are not here.
#pragma once

#if !__has_include(<cblas.h>)
#error "BLAS is not installed: apt-get install libblas-dev"
#endif
#include <Accelerate/vDSP.h>
#include <Accelerate/vForce.h>
#include <cblas.h>
