// A random kernel as text, and whether it makes sense.
#include "program.h"

#include "support/numbers/split_mix.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::engines {
namespace {

// Names that every kernel has.
constexpr const char *kArguments = R"(const device uint *in [[buffer(0)]], constant uint *table [[buffer(1)]],
              device atomic_uint *counters [[buffer(2)]], device uint *out [[buffer(3)]],
              const device uchar *bytes [[buffer(4)]], device uchar *wide [[buffer(5)]],
              uint3 position [[thread_position_in_grid]], uint3 size [[threads_per_grid]],
              uint3 group [[threadgroup_position_in_grid]], uint3 groups [[threadgroups_per_grid]],
              uint3 local [[thread_position_in_threadgroup]], uint3 extent [[threads_per_threadgroup]],
              uint index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
              uint simdgroup [[simdgroup_index_in_threadgroup]])";

constexpr const char *kPrologue = R"(#include <metal_stdlib>
using namespace metal;

template <class T> static T get(const device uint *in, uint i) {
  return ((const device T *)in)[i & (1024 / sizeof(T) - 1)];
}
template <class T> static T get(constant uint *in, uint i) {
  return ((constant T *)in)[i & (1024 / sizeof(T) - 1)];
}
template <class T> static void put(device uint *out, T value) {
  *(device T *)out = value;
}
template <class T> static void put(device uint *out, vec<T, 3> value) {
  for (uint i = 0; i < 3; ++i) // nothing is said of the bytes after the third
    ((device T *)out)[i] = value[i];
}
)";

// What Accesses uses.
constexpr const char *kBits = R"(
static uint bitsOf(uchar v) { return v; }
static uint bitsOf(char v) { return uint(v); }
static uint bitsOf(ushort v) { return v; }
static uint bitsOf(short v) { return uint(v); }
static uint bitsOf(uint v) { return v; }
static uint bitsOf(int v) { return uint(v); }
static uint bitsOf(ulong v) { return uint(v) ^ uint(v >> 32) * 3u; }
static uint bitsOf(long v) { return bitsOf(ulong(v)); }
static uint bitsOf(half v) { return as_type<ushort>(v); }
static uint bitsOf(bfloat v) { return as_type<ushort>(v); }
static uint bitsOf(float v) { return as_type<uint>(v); }
template <class T, int N> static uint bitsOf(vec<T, N> v) {
  uint bits = 0;
  for (int i = 0; i < N; ++i)
    bits = bits * 31u + bitsOf(v[i]);
  return bits;
}
)";
constexpr const char *kBlocks = R"(
struct Q4 { half d; uchar q[16]; };
struct QK { half2 d; uchar s[12]; uint q[8]; };
struct Row { packed_float3 p; ushort n; uchar t[2]; };
)";

// What Aggregates::structures has in memory of the thread: 64 bytes without padding.
constexpr const char *kMixed = R"(
struct Mixed { packed_short3 p[2]; half2 h; float a[4]; uchar b[8]; uint n; uint rest[5]; };
static_assert(sizeof(Mixed) == 64, "no padding");
)";
constexpr const char *kTables = R"(
constant uchar bytes_[32] = {7, 255, 0, 128, 3, 200, 31, 64, 1, 9, 77, 90, 254, 127, 2, 16,
                             5, 6, 8, 10, 12, 14, 18, 20, 22, 24, 26, 28, 30, 33, 35, 37};
constant float reals_[8] = {0.0f, -1.5f, 2.25f, 1e30f, -0.0f, 7.0f, 0.5f, -100.0f};
constant short quads_[4][4] = {{1, -2, 3, -4}, {500, 600, -700, 800}, {0, 0, 1, 1}, {-32768, 32767, 5, 9}};
)";
// What generated statements call with references.
constexpr const char *kReferences = R"(
template <class T> static void swapIf(thread T &a, thread T &b, bool c) {
  if (c) {
    const T old = a;
    a = b;
    b = old;
  }
}
template <class T> static void turned(thread T *a, uint n, uint by, bool back) {
  thread T &first = a[by & (n - 1)];
  const T old = first;
  for (uint i = 1; i < n; ++i)
    a[(by + i - 1) & (n - 1)] = a[(by + i) & (n - 1)];
  (back ? first : a[(by + n - 1) & (n - 1)]) = old;
}
)";

std::string textOf(const Expr &expr) {
  std::string text;
  for (size_t i = 0; i < expr.text.size(); ++i)
    if (expr.text[i] == '$')
      text += textOf(expr.operands.at(size_t(expr.text[++i] - '0')));
    else
      text += expr.text[i];
  return text;
}

void print(const Body &body, const std::string &indent, std::string &text);

void print(const Statement &statement, const std::string &indent, std::string &text) {
  text += indent;
  for (size_t i = 0; i < statement.text.size(); ++i) {
    const char c = statement.text[i];
    if (c == '$') {
      text += textOf(statement.operands.at(size_t(statement.text[++i] - '0')));
    } else if (c == '#') {
      text += "{\n";
      print(statement.bodies.at(size_t(statement.text[++i] - '0')), indent + "  ", text);
      text += indent + "}";
    } else {
      text += c;
      if (c == '\n')
        text += indent;
    }
  }
  text += "\n";
}

void print(const Body &body, const std::string &indent, std::string &text) {
  for (const Statement &statement : body)
    print(statement, indent, text);
}

bool mentions(const Program &program, const std::string &what) {
  bool found = false;
  Program copy = program;
  forEachBody(copy, [&](Body &body) {
    for (const Statement &statement : body)
      found |= statement.text.find(what) != std::string::npos;
  });
  forEachExpr(copy, [&](Expr &expr) { found |= expr.text.find(what) != std::string::npos; });
  return found;
}

std::string words(const std::vector<uint32_t> &values) {
  if (std::all_of(values.begin(), values.end(), [](uint32_t v) { return v == 0; }))
    return fmt::format("zeros:u32[{}]", values.size());
  return fmt::format("u32:{}", fmt::join(values, ","));
}

std::string textOf(Extent extent) {
  return fmt::format("{},{},{}", extent.x, extent.y, extent.z);
}

// ---- whether a program makes sense ----

struct Scope {
  std::vector<std::string> names;
  bool inBreakable = false, inLoop = false;
  bool has(const std::string &name) const {
    return name.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

bool fits(const Expr &expr, const Scope &scope) {
  return scope.has(expr.uses) && std::all_of(expr.operands.begin(), expr.operands.end(),
                                             [&](const Expr &e) { return fits(e, scope); });
}

bool fits(const Body &body, Scope &scope) {
  for (const Statement &statement : body) {
    using Kind = Statement::Kind;
    if (!scope.has(statement.uses) || (statement.kind == Kind::Break && !scope.inBreakable) ||
        (statement.kind == Kind::Continue && !scope.inLoop))
      return false;
    Scope inner = scope;
    if (!statement.bodies.empty() && !statement.declares.empty())
      inner.names.push_back(statement.declares);
    if (statement.kind == Kind::Loop)
      inner.inBreakable = inner.inLoop = true;
    if (statement.kind == Kind::Switch)
      inner.inBreakable = true;
    if (statement.kind == Kind::Exchange)
      inner.inBreakable = inner.inLoop = false;
    for (const Expr &operand : statement.operands)
      if (!fits(operand, inner))
        return false;
    for (const Body &one : statement.bodies) {
      Scope own = inner;
      if (!fits(one, own))
        return false;
    }
    if (statement.bodies.empty() && !statement.declares.empty())
      scope.names.push_back(statement.declares);
  }
  return true;
}

} // namespace

std::string Type::name() const {
  return std::string(scalarTypeInfo(scalar).metalName) + (width == 1 ? "" : std::to_string(width));
}

Expr literalOf(Type type, bool one) {
  return {type,
          type.isBool() ? (one ? type.name() + "(true)" : type.name() + "(false)")
                        : fmt::format("{}({})", type.name(), one ? 1 : 0),
          {},
          {},
          true};
}

std::string metalOf(const Program &program) {
  std::string text = kPrologue;
  text += fmt::format("#define OWN(slot) (out + {} * {})\n", kSlotWords,
                      program.slotMajor ? "((slot) * size.x * size.y * size.z + self)"
                                        : fmt::format("(self * {} + (slot))", program.slots));
  if (mentions(program, "bitsOf("))
    text += kBits;
  if (mentions(program, "bytes_[") || mentions(program, "reals_[") || mentions(program, "quads_["))
    text += kTables;
  if (mentions(program, "Mixed "))
    text += kMixed;
  if (mentions(program, "swapIf(") || mentions(program, "turned("))
    text += kReferences;
  if (mentions(program, " p = ("))
    text += kBlocks;
  for (const Helper &helper : program.helpers) {
    text += fmt::format("\nstatic {} {}(", helper.result.name(), helper.name);
    for (const auto &[type, name] : helper.parameters)
      text += fmt::format("{} {}, ", type.name(), name);
    text += "const device uint *in, constant uint *table, uint lane, uint index) {\n";
    print(helper.body, "  ", text);
    text += "  return " + textOf(helper.value) + ";\n}\n";
  }
  text += fmt::format("\nkernel void k({}) {{\n", kArguments);
  text += "  const uint self = (position.z * size.y + position.y) * size.x + position.x;\n"
          "  const uint count = extent.x * extent.y * extent.z;\n"
          "  const uint lanes = min(32u, count - (index - lane));\n"
          "  (void)lanes, (void)self, (void)simdgroup;\n";
  const bool shared = mentions(program, "shared_"), local = mentions(program, "lanes_"),
             totals = mentions(program, "totals_"), near = mentions(program, "near_"),
             tile = mentions(program, "tile_");
  if (mentions(program, "own_"))
    text += fmt::format("  device atomic_uint *own_ = counters + {} + {} * (simdgroup + {} * ((group.z * "
                        "groups.y + group.y) * groups.x + group.x));\n",
                        kCounterWords, kOwnWords, program.simdgroups());
  const std::string type = program.sharedType.name();
  if (shared)
    text += fmt::format("  threadgroup {0} shared_[{1}];\n  shared_[index] = {0}(0);\n", type,
                        program.group.count());
  if (local)
    text += fmt::format("  threadgroup {0} lanes_[{1}];\n  lanes_[index] = {0}(0);\n", type,
                        program.group.count());
  if (totals)
    text += fmt::format("  threadgroup atomic_uint totals_[{0}];\n"
                        "  for (uint i = index; i < {0}; i += count)\n"
                        "    atomic_store_explicit(&totals_[i], i, memory_order_relaxed);\n",
                        kCounterWords);
  if (near)
    text += fmt::format("  threadgroup atomic_uint all_[{0}];\n"
                        "  threadgroup atomic_uint *near_ = all_ + {1} * simdgroup;\n"
                        "  for (uint i = index; i < {0}; i += count)\n"
                        "    atomic_store_explicit(&all_[i], 5u, memory_order_relaxed);\n",
                        program.simdgroups() * kOwnWords, kOwnWords);
  if (tile)
    text += fmt::format("  threadgroup uint4 tile_[{0}];\n"
                        "  for (uint i = index; i < {0}; i += count)\n"
                        "    tile_[i] = ((const device uint4 *)bytes)[i];\n",
                        kTileBytes / 16);
  if (mentions(program, "rows_["))
    text += "  threadgroup float rows_[8][9];\n";
  if (shared || local || totals || near || tile)
    text += "  threadgroup_barrier(mem_flags::mem_threadgroup);\n";
  print(program.body, "  ", text);
  if (totals)
    text += fmt::format("  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                        "  put(OWN({}), atomic_load_explicit(&totals_[index % {}], memory_order_relaxed));\n",
                        program.slots - 1, kCounterWords);
  if (near)
    text += fmt::format("  simdgroup_barrier(mem_flags::mem_threadgroup);\n"
                        "  put(OWN({}), atomic_load_explicit(&near_[lane % {}], memory_order_relaxed));\n",
                        program.slots - 2, kOwnWords);
  return text + "}\n";
}

std::string commandOf(const Program &program, const std::string &file) {
  return fmt::format("assay run {} --kernel k --grid {} --threads {} --buffer 0={} --buffer 1={} "
                     "--buffer 2=zeros:u32[{}] --buffer 3=poison:u32[{}] --buffer 4=rand:u32[{}]:{} "
                     "--buffer 5=poison:u8[{}]",
                     file, textOf(program.grid), textOf(program.group), words(program.input),
                     words(program.table), program.counterWords(), program.outputWords(), kWideBytes / 4,
                     program.seed, program.wideBytes);
}

std::vector<uint32_t> Program::wideInput() const {
  SplitMix64 random(seed);
  std::vector<uint32_t> words(kWideBytes / 4);
  for (uint32_t &word : words)
    word = uint32_t(random.next() >> 32);
  return words;
}

bool wellFormed(const Program &program) {
  Scope scope;
  for (const Helper &helper : program.helpers) {
    Scope inside = scope;
    for (const auto &[type, name] : helper.parameters)
      inside.names.push_back(name);
    if (!fits(helper.body, inside) || !fits(helper.value, inside))
      return false;
    scope.names.push_back(helper.name);
  }
  return fits(program.body, scope);
}

} // namespace assay::engines
