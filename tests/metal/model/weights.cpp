#include "weights.h"

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace {

// splitmix64: a few lines, and the same on every machine, which <random>'s distributions are not.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  /// The sum of four uniform numbers, nearly normal, of deviation 1.
  float normal() {
    float sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += float(next() >> 40) / float(1 << 24) - 0.5f;
    return sum * std::sqrt(3.0f);
  }

private:
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

struct Writer {
  gguf_context *file;
  ggml_context *context;
  Random random;

  /// columns   what a row multiplies; weights of deviation 1/sqrt(columns) keep a product as large as its
  ///           input
  void matrix(const std::string &name, ggml_type type, int64_t columns, int64_t rows, float scale = 1) {
    ggml_tensor *tensor = ggml_new_tensor_2d(context, type, columns, rows);
    std::vector<float> values(size_t(columns * rows));
    for (float &value : values)
      value = random.normal() * scale / std::sqrt(float(columns));
    if (type == GGML_TYPE_F32)
      std::copy(values.begin(), values.end(), static_cast<float *>(tensor->data));
    else
      ggml_quantize_chunk(type, values.data(), tensor->data, 0, rows, columns, nullptr);
    add(tensor, name);
  }
  void norm(const std::string &name, int64_t columns) {
    ggml_tensor *tensor = ggml_new_tensor_1d(context, GGML_TYPE_F32, columns);
    for (int64_t i = 0; i < columns; ++i)
      static_cast<float *>(tensor->data)[i] = 1 + random.normal() / 8;
    add(tensor, name);
  }
  void add(ggml_tensor *tensor, const std::string &name) {
    ggml_set_name(tensor, (name + ".weight").c_str());
    gguf_add_tensor(file, tensor);
  }
};

struct Key {
  const char *name;
  int64_t Shape::*value;
};
constexpr Key kKeys[] = {
    {"llama.vocab_size", &Shape::vocabulary},      {"llama.embedding_length", &Shape::width},
    {"llama.attention.head_count", &Shape::heads}, {"llama.attention.head_count_kv", &Shape::headsOfKeys},
    {"llama.feed_forward_length", &Shape::hidden}, {"llama.block_count", &Shape::layers},
    {"llama.context_length", &Shape::context}};

} // namespace

void writeModel(const std::string &path, const Shape &shape, uint64_t seed) {
  const gguf_context_ptr file(gguf_init_empty());
  const ggml_context_ptr context(ggml_init({size_t(64) << 20, nullptr, false}));
  gguf_set_val_str(file.get(), "general.architecture", "llama");
  for (const Key &key : kKeys)
    gguf_set_val_u32(file.get(), key.name, uint32_t(shape.*key.value));
  Writer writer{file.get(), context.get(), Random(seed)};
  // Every way of storing numbers has kernels of its own; a model has several.
  writer.matrix("token_embd", GGML_TYPE_Q8_0, shape.width, shape.vocabulary, std::sqrt(float(shape.width)));
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    writer.norm(block + "attn_norm", shape.width);
    writer.matrix(block + "attn_q", GGML_TYPE_Q4_0, shape.width, shape.width);
    writer.matrix(block + "attn_k", GGML_TYPE_Q8_0, shape.width, shape.keyWidth());
    writer.matrix(block + "attn_v", GGML_TYPE_F16, shape.width, shape.keyWidth());
    writer.matrix(block + "attn_output", GGML_TYPE_Q4_0, shape.width, shape.width);
    writer.norm(block + "ffn_norm", shape.width);
    writer.matrix(block + "ffn_gate", GGML_TYPE_Q4_0, shape.width, shape.hidden);
    writer.matrix(block + "ffn_up", GGML_TYPE_Q8_0, shape.width, shape.hidden);
    writer.matrix(block + "ffn_down", GGML_TYPE_Q4_0, shape.hidden, shape.width);
  }
  writer.norm("output_norm", shape.width);
  writer.matrix("output", GGML_TYPE_Q8_0, shape.width, shape.vocabulary, 4); // a greedy choice with some lead
  if (!gguf_write_to_file(file.get(), path.c_str(), false))
    throw std::runtime_error("cannot write '" + path + "'");
}

Weights::Weights(const std::string &path, ggml_backend_t backend) {
  ggml_context *context = nullptr;
  file_.reset(gguf_init_from_file(path.c_str(), {/*no_alloc=*/true, &context}));
  context_.reset(context);
  if (!file_)
    throw std::runtime_error("cannot read '" + path + "'");
  for (const Key &key : kKeys) {
    const int64_t at = gguf_find_key(file_.get(), key.name);
    if (at < 0)
      throw std::runtime_error(path + " has no " + key.name);
    shape_.*key.value = gguf_get_val_u32(file_.get(), at);
  }
  memory_.reset(ggml_backend_alloc_ctx_tensors(context, backend));
  if (!memory_)
    throw std::runtime_error("no memory for the weights");
  ggml_backend_buffer_set_usage(memory_.get(), GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
  std::ifstream stream(path, std::ios::binary);
  for (int64_t i = 0; i < gguf_get_n_tensors(file_.get()); ++i) {
    ggml_tensor *tensor = ggml_get_tensor(context, gguf_get_tensor_name(file_.get(), i));
    std::vector<char> bytes(ggml_nbytes(tensor));
    stream.seekg(std::streamoff(gguf_get_data_offset(file_.get()) + gguf_get_tensor_offset(file_.get(), i)));
    if (!stream.read(bytes.data(), std::streamsize(bytes.size())))
      throw std::runtime_error(path + " ends within " + ggml_get_name(tensor));
    ggml_backend_tensor_set(tensor, bytes.data(), 0, bytes.size());
  }
}

ggml_tensor *Weights::tensor(const std::string &name) const {
  ggml_tensor *tensor = ggml_get_tensor(context_.get(), (name + ".weight").c_str());
  if (!tensor)
    throw std::runtime_error("the model has no " + name);
  return tensor;
}

ggml_tensor *Weights::tensor(int64_t layer, const std::string &name) const {
  return tensor("blk." + std::to_string(layer) + "." + name);
}
