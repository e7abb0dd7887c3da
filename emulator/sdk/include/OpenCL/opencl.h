// OpenCL under macOS's name, with the headers and the loader of this system.
#pragma once

#if !__has_include(<CL/opencl.h>)
#error "OpenCL is not installed: apt-get install ocl-icd-opencl-dev pocl-opencl-icd"
#endif
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120 // the last version that Apple's framework knows
#endif
#include <CL/opencl.h>
