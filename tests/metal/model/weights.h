// A llama with random weights: written to GGUF as llama.cpp names things,
// and read back into a back-end's memory.
#pragma once

#include <ggml-backend.h>
#include <ggml-cpp.h>
#include <ggml.h>
#include <gguf.h>

#include <cstdint>
#include <string>

struct Shape {
  int64_t vocabulary = 320, width = 256, heads = 4, headsOfKeys = 2, hidden = 512, layers = 2, context = 64;
  int64_t headWidth() const { return width / heads; }
  int64_t keyWidth() const { return headWidth() * headsOfKeys; }
};

/// Throws std::runtime_error if the file cannot be written. The same seed gives the same bytes everywhere.
void writeModel(const std::string &path, const Shape &shape, uint64_t seed);

/// The tensors of a file in the memory of one back-end.
class Weights {
public:
  /// Throws std::runtime_error with what is wrong with the file.
  Weights(const std::string &path, ggml_backend_t backend);

  const Shape &shape() const { return shape_; }
  /// "token_embd", or with a layer's number before it: "blk.1.attn_q". Throws if there is none.
  ggml_tensor *tensor(const std::string &name) const;
  ggml_tensor *tensor(int64_t layer, const std::string &name) const;

private:
  gguf_context_ptr file_;
  ggml_context_ptr context_;
  ggml_backend_buffer_ptr memory_;
  Shape shape_;
};
