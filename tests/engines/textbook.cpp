// What textbooks do with threadgroup memory: reductions in halves, and products by tiles.
#include "textbook.h"

#include <fmt/format.h>

namespace assay::engines {
namespace {

constexpr const char *kBarrier = "threadgroup_barrier(mem_flags::mem_threadgroup);\n";

} // namespace

Statement Textbook::tree(const std::string &name, const Flow &flow) {
  uint32_t half = 1;
  while (half * 2 < program_.group.count())
    half *= 2;
  const Type type = program_.sharedType;
  const char *form = type.isInteger() && x_.chance(50) ? "max({}, {})" : "{} + {}";
  const std::string sum = fmt::format(fmt::runtime(form), "shared_[index]", "shared_[index + s]");
  const std::string text = fmt::format("shared_[index] = $0;\n{0}for (uint s = {1}u; s > 0; s {2}) {{\n"
                                       "if (index < s && index + s < count) shared_[index] = {3};\n{0}}}\n"
                                       "{4} {5} = shared_[{6}];\n{0}",
                                       kBarrier, half, x_.chance(50) ? ">>= 1" : "/= 2", sum, type.name(),
                                       name, x_.chance(70) ? "0" : "count - 1u");
  return {Statement::Kind::Plain, text, {x_.any(type, flow)}, {}, name};
}

Statement Textbook::tiles(const std::string &name, Type &type, const Flow &flow) {
  const char *scalar = std::array{"float", "half", "short", "bfloat"}[x_.pick(4)];
  const bool real = scalar != std::string("short");
  type = {real ? ScalarType::Float : ScalarType::Int, 1};
  const uint32_t rounds = 1 + x_.pick(3);
  const char *left = x_.chance(50) ? "rows_[local.y & 7u][k]" : "rows_[k][local.y & 7u]",
             *right = x_.chance(50) ? "rows_[k][local.x & 7u]" : "rows_[index & 7u][7u - k]";
  const std::string text =
      fmt::format("{0} {1} = 0;\nfor (uint t = 0; t < {2}u; ++t) {{\n"
                  "for (uint e = index; e < 64u; e += count) rows_[e / 8u][e % 8u] = {0}(get<{3}>(in, e * "
                  "{4}u + t * 64u + $0));\n"
                  "{5}for (uint k = 0; k < 8u; ++k) {1} += {6} * {7};\n{5}}}",
                  type.name(), name, rounds, scalar, 1 + x_.pick(3), kBarrier, left, right);
  return {
      Statement::Kind::Plain, text, {x_.make({ScalarType::UInt, 1}, flow, Level::Threadgroup, 1)}, {}, name};
}

} // namespace assay::engines
