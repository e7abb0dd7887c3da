// The gated delta rule, one token after the other; see kernels_msl/recurrence/gated_delta_net.metal. A
// work-item keeps a row of its head's state from the first token to the last. shape: key size (at most 128),
// value size, key heads, value heads, tokens, sequences
__kernel void gated_delta_net_f32(__global const float *q, __global const float *k, __global const float *v,
                                  __global const float *g, __global const float *beta,
                                  __global const float *state_in, __global float *output,
                                  __global float *state_out, __global const uint *shape,
                                  __local float *staged) {
  const uint head = get_group_id(0), sequence = get_group_id(1), row = get_local_id(0);
  const uint items = get_local_size(0);
  const uint key_size = shape[0], value_size = shape[1], key_heads = shape[2], heads = shape[3];
  const uint tokens = shape[4];
  const bool owner = row < value_size;
  __local float *key = staged, *query = staged + key_size;

  const ulong state_row = (((ulong)sequence * heads + head) * value_size + row) * key_size;
  float state[128];
  if (owner)
    for (uint j = 0; j < key_size; ++j)
      state[j] = state_in[state_row + j];

  for (uint t = 0; t < tokens; ++t) {
    const ulong token = (ulong)sequence * tokens + t;
    const ulong key_row = (token * key_heads + head % key_heads) * key_size;
    const ulong gate = token * heads + head;
    for (uint j = row; j < key_size; j += items) {
      key[j] = k[key_row + j];
      query[j] = q[key_row + j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (owner) {
      const float alpha = exp(-g[gate]);
      float known = 0;
      for (uint j = 0; j < key_size; ++j) {
        state[j] *= alpha;
        known += state[j] * key[j];
      }
      const float step = beta[gate] * (v[gate * value_size + row] - known);
      float answer = 0;
      for (uint j = 0; j < key_size; ++j) {
        state[j] += step * key[j];
        answer += state[j] * query[j];
      }
      output[gate * value_size + row] = answer;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (owner)
    for (uint j = 0; j < key_size; ++j)
      state_out[state_row + j] = state[j];
}
