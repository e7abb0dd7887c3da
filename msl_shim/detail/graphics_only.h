// What belongs to the graphics pipeline: declared but not defined, so that a file of kernels and graphics
// functions compiles as a whole. A kernel that reaches one of these functions is refused by its name.
#pragma once
#pragma clang system_header

// A method or function without a body here.
#define __ASSAY_GRAPHICS __attribute__((error("functions of the graphics pipeline are not supported")))
