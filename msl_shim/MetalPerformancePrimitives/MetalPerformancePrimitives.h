// The umbrella of the tensor operations.
#pragma once
#pragma clang system_header

#include "MPPTensorOpsConvolution2d.h"
#include "MPPTensorOpsMatMul2d.h"
