// RopeStage: one row of a head, rotated by its position (RoPE). Metal; the one rotation of Foundry's kernels:
// decode takes its query from here (decode_query.h), and so does the preparation of queries, keys and values
// (kv_stages.h).
//
// Problem.  Decode rotates a query and needs it in threadgroup memory; a cache and a packed Q need rotated
//           rows in device memory. Two rotations would have to agree in every bit.
// Choice.   The stage reads a row of the device and leaves the rotated one in threadgroup memory. Whoever
//           comes after it waits at a barrier and takes it from there: as a query, or to store it.
// Rejected. A target in any memory, by a template parameter: stages that come after would differ, and text
//           that composes them would have to know how.
//
// Pairs are the halves of the leading rope_size elements (i with i + rope_size / 2, "NeoX"), or neighbours
// with rope_interleaved; elements after them stay. The tables hold cosines and sines, rope_size / 2 to a
// position, and `angles` is where those of this row's position begin.
//   a' = T(a c - [b s])     b' = T(a s + [b c])     the brackets are rounded first
//
// Function constant: 511 rope_interleaved.
#pragma once
#include <metal_stdlib>
using namespace metal;

constant bool rope_interleaved [[function_constant(511)]];

template <typename T>
METAL_FUNC void rope_stage(device const T *row, threadgroup T *rotated, device const float *cos_table,
                           device const float *sin_table, ulong angles, uint rope_size, uint head_dim,
                           uint thread_, uint threads) {
  const uint pairs = rope_size / 2;
  for (uint i = thread_; i < pairs; i += threads) {
    const uint first = rope_interleaved ? 2 * i : i;
    const uint second = rope_interleaved ? 2 * i + 1 : i + pairs;
    const float a = float(row[first]), b = float(row[second]);
    const float c = cos_table[angles + i], s = sin_table[angles + i];
    const float bs = b * s;
    const float bc = b * c;
    rotated[first] = T(a * c - bs);
    rotated[second] = T(a * s + bc);
  }
  for (uint element = rope_size + thread_; element < head_dim; element += threads)
    rotated[element] = row[element];
}
