// Kernels in GoogleTest: compile one, run it, and inspect it lane by lane. Include this one header;
// docs/testing.md shows how.
#pragma once

#include "check_matchers.h"
#include "kernel.h"
#include "lane_run.h"
#include "matchers.h"
#include "numbers.h"

#include "../host/assay.h"
