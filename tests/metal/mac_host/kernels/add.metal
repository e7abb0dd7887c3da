#include "shared.h"

kernel void add(device float *values [[buffer(0)]], constant float &by [[buffer(1)]],
                uint i [[thread_position_in_grid]]) {
  values[i] = added(values[i], by) + float(i);
}
