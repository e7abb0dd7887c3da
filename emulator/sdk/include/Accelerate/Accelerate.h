// The part of Accelerate that there is: BLAS and LAPACK, which Debian has under the same names, vDSP, and
// vForce. vImage, BNNS, sparse matrices and the rest are missing.
#pragma once

#if !__has_include(<cblas.h>)
#error "BLAS is not installed: apt-get install libblas-dev"
#endif
#include <Accelerate/clapack.h>
#include <Accelerate/vDSP.h>
#include <Accelerate/vForce.h>
#include <cblas.h>
