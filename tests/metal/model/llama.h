// A decoder-only transformer as llama.cpp builds it, on one back-end: RMS norm, rotary positions, grouped
// heads, SwiGLU, a cache of keys and values in half. Layers take turns between ggml's fused attention with
// adjacent rotary pairs, and attention of single operations with split pairs: both ways are in use.
#pragma once

#include "weights.h"

#include <ggml-alloc.h>

#include <vector>

class Llama {
public:
  Llama(const std::string &path, ggml_backend_t backend);

  /// Takes further tokens and returns what follows the last one: a logit for each word.
  /// Throws std::runtime_error if the back-end does not have an operation, or fails.
  std::vector<float> decode(const std::vector<int32_t> &tokens);

private:
  struct Inputs {
    ggml_tensor *tokens, *positions, *rows, *mask, *last;
  };
  ggml_tensor *attention(ggml_context *ctx, ggml_cgraph *graph, const Inputs &inputs, int64_t layer,
                         ggml_tensor *x);
  void fill(const Inputs &inputs, const std::vector<int32_t> &tokens);

  ggml_backend_t backend_;
  Weights weights_;
  ggml_context_ptr cacheContext_;
  ggml_backend_buffer_ptr cacheMemory_;
  std::vector<ggml_tensor *> keys_, values_; ///< of each layer: a row for each position
  ggml_gallocr_ptr allocator_;
  int64_t position_ = 0;
};
