// The softmax of each row, in three passes over it by a work-group: the largest element, the sum of the
// exponentials, the quotients. Local memory folds what the work-items have.
__kernel void row_softmax(__global const float *in, __global float *out, uint columns) {
  __local float partial[256];
  const uint item = get_local_id(0), items = get_local_size(0), row = get_group_id(0);
  __global const float *from = in + row * columns;
  __global float *to = out + row * columns;

  float largest = -INFINITY;
  for (uint i = item; i < columns; i += items)
    largest = fmax(largest, from[i]);
  partial[item] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint live = items / 2; live > 0; live /= 2) {
    if (item < live)
      partial[item] = fmax(partial[item], partial[item + live]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  largest = partial[0];
  barrier(CLK_LOCAL_MEM_FENCE);

  float sum = 0;
  for (uint i = item; i < columns; i += items) {
    const float e = exp(from[i] - largest);
    to[i] = e;
    sum += e;
  }
  partial[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint live = items / 2; live > 0; live /= 2) {
    if (item < live)
      partial[item] += partial[item + live];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const float scale = 1 / partial[0];

  for (uint i = item; i < columns; i += items)
    to[i] *= scale;
}
