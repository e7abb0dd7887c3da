#include "llama.h"

#include <cmath>
#include <stdexcept>

constexpr float kEpsilon = 1e-5f;

Llama::Llama(const std::string &path, ggml_backend_t backend)
    : backend_(backend), weights_(path, backend),
      cacheContext_(ggml_init({2 * size_t(weights_.shape().layers) * ggml_tensor_overhead(), nullptr, true})),
      allocator_(ggml_gallocr_new(ggml_backend_get_default_buffer_type(backend))) {
  const Shape &shape = weights_.shape();
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    keys_.push_back(ggml_new_tensor_2d(cacheContext_.get(), GGML_TYPE_F16, shape.keyWidth(), shape.context));
    values_.push_back(
        ggml_new_tensor_2d(cacheContext_.get(), GGML_TYPE_F16, shape.keyWidth(), shape.context));
  }
  cacheMemory_.reset(ggml_backend_alloc_ctx_tensors(cacheContext_.get(), backend));
  if (!cacheMemory_)
    throw std::runtime_error("no memory for the cache");
  ggml_backend_buffer_clear(cacheMemory_.get(), 0); // what is masked is still multiplied, by 0
}

ggml_tensor *Llama::attention(ggml_context *ctx, ggml_cgraph *graph, const Inputs &inputs, int64_t layer,
                              ggml_tensor *x) {
  const Shape &shape = weights_.shape();
  const int64_t d = shape.headWidth(), count = x->ne[1];
  const bool fused = layer % 2 == 0;
  const float scale = 1 / std::sqrt(float(d));
  const auto rotate = [&](ggml_tensor *a) {
    return ggml_rope_ext(ctx, a, inputs.positions, nullptr, int(d), fused ? 0 : GGML_ROPE_TYPE_NEOX, 0, 10000,
                         1, 0, 1, 32, 1);
  };
  ggml_tensor *q = ggml_mul_mat(ctx, weights_.tensor(layer, "attn_q"), x);
  ggml_tensor *k = ggml_mul_mat(ctx, weights_.tensor(layer, "attn_k"), x);
  ggml_tensor *v = ggml_mul_mat(ctx, weights_.tensor(layer, "attn_v"), x);
  q = rotate(ggml_reshape_3d(ctx, q, d, shape.heads, count));
  k = rotate(ggml_reshape_3d(ctx, k, d, shape.headsOfKeys, count));

  // The cache is written before it is read: the writes are in the graph first.
  ggml_tensor *keys = keys_[size_t(layer)], *values = values_[size_t(layer)];
  k = ggml_reshape_2d(ctx, k, shape.keyWidth(), count);
  ggml_build_forward_expand(graph, ggml_set_rows(ctx, keys, k, inputs.rows));
  ggml_build_forward_expand(graph, ggml_set_rows(ctx, values, v, inputs.rows));

  const auto byHead = [&](ggml_tensor *cache) { // d, position, head
    return ggml_permute(ctx, ggml_reshape_3d(ctx, cache, d, shape.headsOfKeys, shape.context), 0, 2, 1, 3);
  };
  q = ggml_permute(ctx, q, 0, 2, 1, 3); // d, token, head
  if (fused) {
    ggml_tensor *out = ggml_flash_attn_ext(ctx, q, byHead(keys), byHead(values), inputs.mask, scale, 0, 0);
    return ggml_reshape_2d(ctx, out, shape.width, count);
  }
  ggml_tensor *weights = ggml_soft_max_ext(ctx, ggml_mul_mat(ctx, byHead(keys), q), inputs.mask, scale, 0);
  ggml_tensor *transposed = ggml_cont(ctx, ggml_transpose(ctx, byHead(values))); // position, d, head
  ggml_tensor *out = ggml_mul_mat(ctx, transposed, weights);                     // d, token, head
  return ggml_cont_2d(ctx, ggml_permute(ctx, out, 0, 2, 1, 3), shape.width, count);
}

void Llama::fill(const Inputs &inputs, const std::vector<int32_t> &tokens) {
  const int64_t count = int64_t(tokens.size()), context = weights_.shape().context;
  std::vector<int32_t> positions(tokens.size());
  std::vector<int64_t> rows(tokens.size());
  std::vector<ggml_fp16_t> mask(ggml_nelements(inputs.mask), ggml_fp32_to_fp16(-INFINITY));
  for (int64_t i = 0; i < count; ++i) {
    rows[size_t(i)] = positions[size_t(i)] = int32_t(position_ + i);
    for (int64_t seen = 0; seen <= position_ + i; ++seen)
      mask[size_t(i * context + seen)] = ggml_fp32_to_fp16(0);
  }
  const int32_t last = int32_t(count - 1);
  const auto set = [](ggml_tensor *tensor, const void *data) {
    ggml_backend_tensor_set(tensor, data, 0, ggml_nbytes(tensor));
  };
  set(inputs.tokens, tokens.data());
  set(inputs.positions, positions.data());
  set(inputs.rows, rows.data());
  set(inputs.mask, mask.data());
  set(inputs.last, &last);
}

std::vector<float> Llama::decode(const std::vector<int32_t> &tokens) {
  const Shape &shape = weights_.shape();
  const int64_t count = int64_t(tokens.size());
  if (position_ + count > shape.context)
    throw std::runtime_error("the context is full");
  const ggml_context_ptr memory(
      ggml_init({256 * ggml_tensor_overhead() + ggml_graph_overhead(), nullptr, true}));
  ggml_context *ctx = memory.get();
  ggml_cgraph *graph = ggml_new_graph(ctx);
  const Inputs inputs = {ggml_new_tensor_1d(ctx, GGML_TYPE_I32, count),
                         ggml_new_tensor_1d(ctx, GGML_TYPE_I32, count),
                         ggml_new_tensor_1d(ctx, GGML_TYPE_I64, count),
                         ggml_new_tensor_2d(ctx, GGML_TYPE_F16, shape.context, (count + 63) / 64 * 64),
                         ggml_new_tensor_1d(ctx, GGML_TYPE_I32, 1)};
  for (ggml_tensor *input : {inputs.tokens, inputs.positions, inputs.rows, inputs.mask, inputs.last})
    ggml_set_input(input);
  const auto norm = [&](ggml_tensor *a, ggml_tensor *weight) {
    return ggml_mul(ctx, ggml_rms_norm(ctx, a, kEpsilon), weight);
  };

  ggml_tensor *x = ggml_get_rows(ctx, weights_.tensor("token_embd"), inputs.tokens);
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    ggml_tensor *seen = attention(ctx, graph, inputs, layer, norm(x, weights_.tensor(layer, "attn_norm")));
    x = ggml_add(ctx, x, ggml_mul_mat(ctx, weights_.tensor(layer, "attn_output"), seen));
    ggml_tensor *y = norm(x, weights_.tensor(layer, "ffn_norm"));
    y = ggml_swiglu_split(ctx, ggml_mul_mat(ctx, weights_.tensor(layer, "ffn_gate"), y),
                          ggml_mul_mat(ctx, weights_.tensor(layer, "ffn_up"), y));
    x = ggml_add(ctx, x, ggml_mul_mat(ctx, weights_.tensor(layer, "ffn_down"), y));
  }
  x = norm(ggml_get_rows(ctx, x, inputs.last), weights_.tensor("output_norm"));
  ggml_tensor *logits = ggml_mul_mat(ctx, weights_.tensor("output"), x);
  ggml_set_output(logits);
  ggml_build_forward_expand(graph, logits);

  for (int i = 0; i < ggml_graph_n_nodes(graph); ++i)
    if (ggml_tensor *node = ggml_graph_node(graph, i); !ggml_backend_supports_op(backend_, node))
      throw std::runtime_error(std::string(ggml_backend_name(backend_)) + " does not have " +
                               ggml_op_desc(node));
  if (!ggml_gallocr_alloc_graph(allocator_.get(), graph))
    throw std::runtime_error("no memory for the graph");
  fill(inputs, tokens);
  if (ggml_backend_graph_compute(backend_, graph) != GGML_STATUS_SUCCESS)
    throw std::runtime_error(std::string(ggml_backend_name(backend_)) + " failed");
  position_ += count;
  std::vector<float> result(size_t(shape.vocabulary));
  ggml_backend_tensor_get(logits, result.data(), 0, ggml_nbytes(logits));
  return result;
}
