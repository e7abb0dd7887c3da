// How each operation of the table is written in Metal. The operands that the source had as constants are
// constants here, because Apple's compiler saw them, and so must ours.
#include "vector_kernels.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace assay::conformance {
namespace {

struct Spelling {
  const char *op;
  const char *names;             ///< of the operands, one letter each
  unsigned variables;            ///< how many of them are in buffers; the others are constants
  const char *body;              ///< sets r; T is the type of the first operand
  const char *operandTypes = ""; ///< by comma; empty: the vector's own
  unsigned list = 1;             ///< words in each operand
};

#define ASSAY_SPELL_PAIR "T t = x * c; r = t + d;"
constexpr Spelling kSpellings[] = {
    {"load; store", "x", 1, "r = x;"},
    {"x*c", "xc", 1, "r = x * c;"},
    {"x+c", "xc", 1, "r = x + c;"},
    {"x/c", "xc", 1, "r = x / c;"},
    {"t=x*c; t+d", "xcd", 1, ASSAY_SPELL_PAIR},
    {"t=x*c; t+d without the pragma", "xcd", 1, ASSAY_SPELL_PAIR},
    {"t=x*c; t+d under pragma METAL fp contract(off)", "xcd", 1,
     "{\n#pragma METAL fp contract(off)\n" ASSAY_SPELL_PAIR "\n}"},
    {"t=x*c; t=isnan(t)?canonical NaN:t; t+d", "xcd", 1,
     "T t = x * c; BITS b = as_type<BITS>(t); b = BITS(b << 1) > INFINITE ? NOT_A_NUMBER : b; t = "
     "as_type<T>(b); "
     "r = t + d;"},
    {"t=x+c; t+c", "xc", 1, "T t = x + c; r = t + c;"},
    {"((x+c)+d)+e", "xcde", 1, "r = ((x + c) + d) + e;"},
    {"fma(x,c,d)", "xcd", 1, "r = fma(x, c, d);"},
    {"fma(x,y,z)", "xyz", 3, "r = fma(x, y, z);"},
    {"((a+b)+c)+d", "abcd", 4, "r = ((a + b) + c) + d;"},
    {"(a+b)+(c+d)", "abcd", 4, "r = (a + b) + (c + d);"},
    {"(x+y)-x", "xy", 2, "r = (x + y) - x;"},
    {"t=a*b; t+c", "abc", 3, "T t = a * b; r = t + c;"},
    {"a*b+c in one expression, also fma(a,b,c)", "abc", 3, "r = a * b + c;"},
    {"a*b+c in one expression, also fma(a,b,c)", "abc", 3, "r = fma(a, b, c);"},
    {"a*b+c in one expression, also fma(a,b,c)", "abc", 3, "r = c; r += a * b;"},
    {"a*b+c with contraction off", "abc", 3, "{\n#pragma METAL fp contract(off)\nr = a * b + c;\n}"},
    {"rint(x)", "x", 1, "r = rint(x);"},
    {"fract(x)", "x", 1, "r = fract(x);"},
    {"saturate(x)", "x", 1, "r = saturate(x);"},
    {"exp(x)", "x", 1, "r = exp(x);"},
    {"precise::exp(x)", "x", 1, "r = precise::exp(x);"},
    {"exp2(x)", "x", 1, "r = exp2(x);"},
    {"log(x)", "x", 1, "r = log(x);"},
    {"log2(x)", "x", 1, "r = log2(x);"},
    {"sqrt(x)", "x", 1, "r = sqrt(x);"},
    {"rsqrt(x)", "x", 1, "r = rsqrt(x);"},
    {"x > 0.0f", "xz", 1, "r = x > 0.0f;"},
    {"x > 0", "xz", 1, "r = x > 0;"},
    {"bool(x)", "x", 1, "r = bool(x);"},
    {"float->uchar", "x", 1, "r = uchar(x);"},
    {"float->char", "x", 1, "r = char(x);"},
    {"int->float", "x", 1, "r = float(x);"},
    {"long->float", "x", 1, "r = float(x);"},
    {"long->float->long", "x", 1, "r = long(float(x));"},
    {"half(float(x)*1.1f)", "xc", 1, "r = half(float(x) * c);", "half,float"},
    {"half(float(x)*1.1f), subnormal result", "xc", 1, "r = half(float(x) * c);", "half,float"},
    {"half(float(half(float(x)*1.1f))+1000.0f)", "xcd", 1, "r = half(float(half(float(x) * c)) + d);",
     "half,float,float"},
    {"float(int(code)-int(zp))*scale", "abs", 3, "r = float(int(a) - int(b)) * s;", "uchar,uchar,float"},
    {"a[0]*b[0] then acc + a[k]*b[k], ascending k, separate statements", "ab", 2,
     "r = a[0] * b[0]; for (int k = 1; k < 16; ++k) { T t = a[k] * b[k]; r = r + t; }", "", 16},
    {"acc=+0 then acc + a[k]*b[k], ascending k", "ab", 2,
     "r = 0; for (int k = 0; k < 16; ++k) { T t = a[k] * b[k]; r = r + t; }", "", 16},
    {"tiled left fold of products", "ab", 2,
     "r = 0; for (int k0 = 0; k0 < 16; k0 += 4) { T p[4]; for (int k = 0; k < 4; ++k) p[k] = a[k0 + k] * "
     "b[k0 + k]; "
     "for (int k = 0; k < 4; ++k) r = r + p[k]; }",
     "", 16},
    {"4 contiguous partial folds, then fold", "ab", 2,
     "T p[4]; for (int s = 0; s < 4; ++s) { p[s] = a[4 * s] * b[4 * s]; for (int k = 4 * s + 1; k < 4 * s + "
     "4; ++k) "
     "{ T t = a[k] * b[k]; p[s] = p[s] + t; } } r = p[0]; for (int s = 1; s < 4; ++s) r = r + p[s];",
     "", 16},
    {"4 strided partial folds, then fold", "ab", 2,
     "T p[4]; for (int s = 0; s < 4; ++s) { p[s] = a[s] * b[s]; for (int k = s + 4; k < 16; k += 4) "
     "{ T t = a[k] * b[k]; p[s] = p[s] + t; } } r = p[0]; for (int s = 1; s < 4; ++s) r = r + p[s];",
     "", 16},
};

unsigned bytesOf(const std::string &type) {
  if (type == "long" || type == "ulong")
    return 8;
  if (type == "half" || type == "bfloat")
    return 2;
  return type == "uchar" || type == "char" || type == "bool" ? 1 : 4;
}

std::string constantText(const std::string &type, const std::string &word) {
  return fmt::format("as_type<{}>({}(0x{}))", type, bytesOf(type) == 2 ? "ushort" : "uint", word);
}

struct Types {
  std::string from, to;
};
Types typesOf(const Vector &vector) {
  const size_t arrow = vector.type.find("->");
  if (arrow == std::string::npos)
    return {vector.type, vector.type};
  return {vector.type.substr(0, arrow), vector.type.substr(arrow + 2)};
}

std::vector<std::string> operandTypes(const Spelling &spelling, const std::string &from) {
  std::vector<std::string> types;
  std::string rest = spelling.operandTypes;
  for (const char *name = spelling.names; *name; ++name) {
    const size_t comma = rest.find(',');
    types.push_back(rest.empty() ? from : rest.substr(0, comma));
    rest = comma == rest.npos ? std::string() : rest.substr(comma + 1);
  }
  return types;
}

Batch begin(const Spelling &spelling, const Vector &vector, size_t number) {
  const Types types = typesOf(vector);
  const std::vector<std::string> operands = operandTypes(spelling, types.from);
  Batch batch;
  batch.kernel = fmt::format("v{}", number);
  batch.resultBytes = bytesOf(types.to);
  const bool wide = batch.resultBytes == 4;
  std::string parameters, body = fmt::format("  typedef {} T;\n  {} r;\n", operands[0], types.to);
  if (std::string_view(spelling.body).find("BITS") != std::string_view::npos) // infinity without its sign
    body += fmt::format("  typedef {} BITS;\n  const BITS INFINITE = {}, NOT_A_NUMBER = {};\n",
                        wide ? "uint" : "ushort",
                        wide                 ? "0xff000000"
                        : types.to == "half" ? "0xf800"
                                             : "0xff00",
                        wide                 ? "0x7fc00000"
                        : types.to == "half" ? "0x7e00"
                                             : "0x7fc0");
  for (unsigned i = 0; spelling.names[i]; ++i) {
    const char name = spelling.names[i];
    if (i >= spelling.variables) {
      body += fmt::format("  const {} {} = {};\n", operands[i], name,
                          constantText(operands[i], vector.operands[i][0]));
      continue;
    }
    parameters += fmt::format("const device {} *buffer{} [[buffer({})]], ", operands[i], i, i);
    body += spelling.list > 1 ? fmt::format("  const device {} *{} = buffer{} + {} * i;\n", operands[i], name,
                                            i, spelling.list)
                              : fmt::format("  const {} {} = buffer{}[i];\n", operands[i], name, i);
    batch.operands.push_back({operands[i], bytesOf(operands[i]), spelling.list});
    batch.operandIndex.push_back(i);
  }
  batch.source =
      fmt::format("kernel void {}({}device {} *result [[buffer({})]], uint i [[thread_position_in_grid]]) "
                  "{{\n{}  {}\n  result[i] = r;\n}}\n",
                  batch.kernel, parameters, types.to == "bool" ? "uchar" : types.to, batch.operands.size(),
                  body, spelling.body);
  return batch;
}

// One element of a product of matrices: every row of A is one vector, every column of B the other, so all 64
// elements of the result are that one.
Batch matrixChain(const Vector &vector, size_t number) {
  const Types types = typesOf(vector);
  const unsigned length = unsigned(vector.operands[0].size());
  const bool accumulates = vector.operands.size() > 2;
  Batch batch;
  batch.kernel = fmt::format("v{}", number);
  batch.resultBytes = bytesOf(types.to);
  for (size_t i = 0; i < vector.operands.size(); ++i) {
    const std::string &type = i < 2 ? types.from : types.to;
    batch.operands.push_back({type, bytesOf(type), i < 2 ? length : 1});
    batch.operandIndex.push_back(i);
  }
  batch.threadsPerVector = 32;
  batch.resultsPerVector = 64;
  batch.source = fmt::format(
      R"(kernel void {0}(const device {1} *A [[buffer(0)]], const device {1} *B [[buffer(1)]], {4}
    device {2} *result [[buffer({5})]], uint v [[threadgroup_position_in_grid]],
    uint lane [[thread_index_in_simdgroup]]) {{
  threadgroup {1} left[64], right[64];
  simdgroup_matrix<{2}, 8, 8> sum = make_filled_simdgroup_matrix<{2}, 8, 8>({6});
  for (uint first = 0; first < {3}; first += 8) {{
    for (uint i = lane; i < 64; i += 32) {{
      left[i] = A[v * {3} + first + i % 8];
      right[i] = B[v * {3} + first + i / 8];
    }}
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_matrix<{1}, 8, 8> a, b;
    simdgroup_load(a, left, 8);
    simdgroup_load(b, right, 8);
    simdgroup_multiply_accumulate(sum, a, b, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }}
  simdgroup_store(sum, result + v * 64, 8);
}}
)",
      batch.kernel, types.from, types.to, length,
      accumulates ? fmt::format("const device {} *C [[buffer(2)]],", types.to) : "", batch.operands.size(),
      accumulates ? "C[v]" : "0");
  return batch;
}

Batch simdSum(size_t number) {
  Batch batch;
  batch.kernel = fmt::format("v{}", number);
  batch.operands.push_back({"float", 4, 32});
  batch.operandIndex.push_back(0);
  batch.threadsPerVector = batch.resultsPerVector = 32;
  batch.source =
      fmt::format("kernel void {}(const device float *x [[buffer(0)]], device float *result [[buffer(1)]], "
                  "uint i [[thread_position_in_grid]]) {{\n  result[i] = simd_sum(x[i]);\n}}\n",
                  batch.kernel);
  return batch;
}

} // namespace

std::vector<Batch> makeBatches(const std::vector<Vector> &vectors, std::vector<const Vector *> &unknown) {
  std::vector<Batch> batches;
  std::map<std::string, size_t> known;
  for (const Vector &vector : vectors) {
    bool spelled = false;
    const auto add = [&](const std::string &key, auto make) {
      const auto [at, isNew] = known.try_emplace(key, batches.size());
      if (isNew)
        batches.push_back(make(batches.size()));
      batches[at->second].vectors.push_back(&vector);
      spelled = true;
    };
    if (vector.op == "simd_sum")
      add("simd_sum", simdSum);
    if (vector.op.starts_with("simdgroup_multiply_accumulate") && !vector.operandText.starts_with("M="))
      add(vector.op + vector.type, [&](size_t number) { return matrixChain(vector, number); });
    for (const Spelling &spelling : kSpellings) {
      if (vector.op != spelling.op)
        continue;
      std::string key = fmt::format("{} {}", &spelling - kSpellings, vector.type);
      for (size_t i = spelling.variables; i < vector.operands.size(); ++i)
        key += " " + vector.operands[i][0];
      add(key, [&](size_t number) { return begin(spelling, vector, number); });
    }
    if (!spelled)
      unknown.push_back(&vector);
  }
  return batches;
}

} // namespace assay::conformance
