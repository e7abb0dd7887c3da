// Of Accelerate the part that Debian has under the same names: BLAS. vDSP, vImage and the rest are not here.
#pragma once

#if !__has_include(<cblas.h>)
#error "BLAS is not installed: apt-get install libblas-dev"
#endif
#include <cblas.h>
