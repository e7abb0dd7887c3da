// The gated delta rule, token after token: the project's own kernel, and as a variant the one it is modelled
// on.
#include "by_hand.h"
#include "twin.h"

#include "tests/support/kernel_data.h"
#include "tests/support/kernel_files.h"

#include <cmath>

namespace assay::twins {

using testing_support::uniformFloats;

namespace {

constexpr const char *kOriginal = "gated_delta_net.metal";

struct Case {
  uint32_t size, heads, tokens;
  std::vector<float> q = {}, k = {}, v = {}, g = {}, beta = {}, state = {};
};

Case makeCase(Scale scale) {
  const bool full = scale == Scale::Full;
  Case c{.size = full ? 128u : 32u, .heads = full ? 8u : 2u, .tokens = full ? 64u : 3u};
  const size_t gates = size_t(c.heads) * c.tokens;
  const float bound = std::sqrt(3.0f / float(c.size)); // keys of length near one: the state stays as it is
  c.q = uniformFloats(gates * c.size, 10, -bound, bound);
  c.k = uniformFloats(gates * c.size, 11, -bound, bound);
  c.v = uniformFloats(gates * c.size, 12);
  c.g = uniformFloats(gates, 13, 0, 0.2f);
  c.beta = uniformFloats(gates, 14, 0.1f, 1);
  c.state = uniformFloats(size_t(c.heads) * c.size * c.size, 15, -0.5f, 0.5f);
  return c;
}

std::vector<double> reference(const Case &c) {
  std::vector<double> answers(c.v.size());
  for (uint32_t head = 0; head < c.heads; ++head)
    for (uint32_t row = 0; row < c.size; ++row) {
      const size_t at = (size_t(head) * c.size + row) * c.size;
      std::vector<double> state(c.state.begin() + long(at), c.state.begin() + long(at + c.size));
      for (uint32_t t = 0; t < c.tokens; ++t) {
        const size_t gate = size_t(t) * c.heads + head;
        double known = 0, answer = 0;
        for (uint32_t j = 0; j < c.size; ++j)
          known += (state[j] *= std::exp(-double(c.g[gate]))) * c.k[gate * c.size + j];
        const double step = c.beta[gate] * (c.v[gate * c.size + row] - known);
        for (uint32_t j = 0; j < c.size; ++j)
          answer += (state[j] += step * c.k[gate * c.size + j]) * c.q[gate * c.size + j];
        answers[gate * c.size + row] = answer;
      }
    }
  return answers;
}

} // namespace

std::string absentOriginal() {
  return testing_support::haveOriginal(kOriginal) ? std::string()
                                                  : testing_support::missingOriginal(kOriginal);
}

Twin deltaNet(Scale scale, bool original) {
  const Case c = makeCase(scale);
  Twin twin{.name = original ? "delta_net:original" : "delta_net",
            .metalFile = "kernels_msl/recurrence/gated_delta_net.metal",
            .kernel = "gated_delta_net_f32"};
  if (original)
    twin.metalFile = testing_support::originalKernel(kOriginal);
  const std::vector<uint32_t> shape{c.size, c.size, c.heads, c.heads, c.tokens, 1, 0, 0};
  for (const auto *numbers : {&c.q, &c.k, &c.v, &c.g, &c.beta, &c.state})
    twin.arguments.push_back(buffer(*numbers));
  twin.arguments.push_back(room(c.v.size() * 4));
  twin.arguments.push_back(room(c.state.size() * 4));
  twin.arguments.push_back(buffer(shape));
  twin.localBytes = 4 * c.size * 4;
  twin.result = 6;
  twin.metal = twin.opencl = {{c.heads}, {c.size}};
  twin.byHand = [size = c.size, heads = c.heads, tokens = c.tokens](Arguments &args) {
    const auto in = [&](size_t i) { return args[i].as<float>().data(); };
    deltaNetByHand({size, size, heads, tokens, in(0), in(1), in(2), in(3), in(4), in(5), in(6), in(7)});
  };
  twin.expected = reference(c);
  twin.tolerance = 1e-5;
  return twin;
}

} // namespace assay::twins
