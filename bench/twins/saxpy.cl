// y := a x + y
__kernel void saxpy(float a, uint count, __global const float *x, __global float *y) {
  const uint i = get_global_id(0);
  if (i < count)
    y[i] += a * x[i];
}
