// The sum of each row: a work-group for a row; work-items add every 256th element, and a tree over local
// memory folds what they have.
__kernel void row_sums(__global const float *in, __global float *sums, uint columns) {
  __local float partial[256];
  const uint item = get_local_id(0), items = get_local_size(0), row = get_group_id(0);
  __global const float *from = in + row * columns;
  float sum = 0;
  for (uint i = item; i < columns; i += items)
    sum += from[i];

  partial[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint live = items / 2; live > 0; live /= 2) {
    if (item < live)
      partial[item] += partial[item + live];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0)
    sums[row] = partial[0];
}
