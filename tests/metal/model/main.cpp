// Writes a model with random weights to a GGUF file and lets both back-ends of a ggml, Metal's and the CPU's,
// continue a prompt greedily: ggml_model FILE.gguf. They must choose the same tokens.
// Exit: 0 they do, 1 not, 2 it did not run.
//
// The logits differ: the CPU back-end rounds what a quantised matrix multiplies to 8 bits first, Metal's does
// not, but rounds tiles to half. Unless that is less than the lead of every token over the next best,
// the same ones are luck.
#include "llama.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr uint64_t kSeed = 4; // one whose choices are no near ties on the CPU back-end
constexpr int kPrompt = 24,
              kNew = 16; // a prompt as long as takes matrix kernels, single tokens take those of vectors

struct Text {
  std::vector<int32_t> tokens;
  std::vector<std::vector<float>> logits;
};

Text continuation(const std::string &file, ggml_backend_t backend) {
  Llama llama(file, backend);
  std::vector<int32_t> next;
  for (int32_t i = 0; i < kPrompt; ++i)
    next.push_back((i * 37 + 11) % int32_t(Shape().vocabulary));
  Text text;
  for (int i = 0; i < kNew; ++i) {
    text.logits.push_back(llama.decode(next));
    const auto &logits = text.logits.back();
    text.tokens.push_back(int32_t(std::max_element(logits.begin(), logits.end()) - logits.begin()));
    next = {text.tokens.back()};
  }
  return text;
}

ggml_backend_dev_t metalDevice() {
  for (size_t i = 0; i < ggml_backend_dev_count(); ++i) {
    const std::string name = ggml_backend_dev_name(ggml_backend_dev_get(i));
    if (name.rfind("MTL", 0) == 0 || name.rfind("Metal", 0) == 0)
      return ggml_backend_dev_get(i);
  }
  throw std::runtime_error("ggml has no Metal device here");
}

double spreadOf(const std::vector<float> &logits) {
  double sum = 0, squares = 0;
  for (const float logit : logits) {
    if (!std::isfinite(logit))
      throw std::runtime_error("a logit is not finite");
    sum += logit;
    squares += double(logit) * logit;
  }
  return std::sqrt(squares / logits.size() - sum / logits.size() * sum / logits.size());
}

double leadOf(std::vector<float> logits) {
  std::nth_element(logits.begin(), logits.begin() + 1, logits.end(), std::greater<>());
  return logits[0] - logits[1];
}

void show(const char *name, const Text &text) {
  std::printf("%-6s", name);
  for (const int32_t token : text.tokens)
    std::printf(" %d", token);
  std::printf("\n");
}

int run(const std::string &file) {
  writeModel(file, Shape(), kSeed);
  ggml_backend_dev_t device = metalDevice();
  const ggml_backend_ptr metal(ggml_backend_dev_init(device, nullptr));
  const ggml_backend_ptr cpu(ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, nullptr));
  if (!metal || !cpu)
    throw std::runtime_error("a back-end does not start");
  const Text ours = continuation(file, metal.get()), theirs = continuation(file, cpu.get());
  std::printf("%s, %s; %d tokens after a prompt of %d\n", ggml_backend_dev_name(device),
              ggml_backend_dev_description(device), kNew, kPrompt);
  show("metal", ours);
  show("cpu", theirs);
  double difference = 0, spread = INFINITY, lead = INFINITY;
  for (size_t step = 0; step < kNew; ++step) {
    for (size_t i = 0; i < ours.logits[step].size(); ++i)
      difference = std::max(difference, std::abs(double(ours.logits[step][i]) - theirs.logits[step][i]));
    spread = std::min({spread, spreadOf(ours.logits[step]), spreadOf(theirs.logits[step])});
    lead = std::min(lead, leadOf(theirs.logits[step]));
    if (ours.tokens[step] != theirs.tokens[step])
      break; // from here on they have read different texts
  }
  std::printf("largest difference of logits %.4f, their spread %.4f, smallest lead of a chosen one %.4f\n",
              difference, spread, lead);
  const bool same = ours.tokens == theirs.tokens, close = difference < lead;
  std::printf("%s\n", !same   ? "different tokens"
                      : close ? "the same tokens"
                              : "the same tokens, but by luck");
  return same && close ? 0 : 1;
}

} // namespace

int main(int count, char **words) {
  if (count != 2) {
    std::fprintf(stderr, "ggml_model FILE.gguf\n");
    return 2;
  }
  try {
    return run(words[1]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "ggml_model: %s\n", error.what());
    return 2;
  }
}
