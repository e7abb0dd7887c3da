// Random expressions over the variables in sight.
#include "expressions.h"

#include "support/abi/simd_op.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::engines {
namespace {

constexpr ScalarType kScalars[] = {ScalarType::Float, ScalarType::Int,    ScalarType::UInt, ScalarType::Half,
                                   ScalarType::Float, ScalarType::BFloat, ScalarType::Char, ScalarType::UChar,
                                   ScalarType::Short, ScalarType::UShort, ScalarType::Long, ScalarType::ULong,
                                   ScalarType::Float, ScalarType::UInt,   ScalarType::Bool};
constexpr Type kUint{ScalarType::UInt, 1}, kBool{ScalarType::Bool, 1}, kUshort{ScalarType::UShort, 1};

Expr made(Type type, std::string text, std::vector<Expr> operands, std::string uses = {}) {
  return {type, std::move(text), std::move(operands), std::move(uses), false};
}

} // namespace

bool takenBySimd(Type type) {
  return type.bits() < 64 && !type.isBool() && type.scalar != ScalarType::BFloat;
}

Type Expressions::anyType(bool bools) {
  const uint32_t count = uint32_t(std::size(kScalars)) - (bools ? 0 : 1);
  return {kScalars[pick(count)], chance(65) ? 1 : 2 + pick(3)};
}

Type Expressions::anySimdType() {
  for (;;)
    if (const Type type = anyType(); takenBySimd(type))
      return type;
}

std::string Expressions::scalarLiteral(ScalarType scalar) {
  const Type type{scalar, 1};
  const std::string name = type.name();
  if (type.isBool())
    return chance(50) ? "true" : "false";
  if (type.isInteger()) {
    const uint64_t mask = type.bits() == 64 ? ~0ull : (1ull << type.bits()) - 1;
    if (chance(70))
      return fmt::format("{}({})", name, pick(20));
    if (chance(30))
      return fmt::format("{}({:#x}ul)", name, chance(50) ? mask : chance(50) ? mask / 2 + 1 : mask / 2);
    return fmt::format("{}({:#x}ul)", name, bits() & mask);
  }
  if (chance(75)) {
    // Not -1: LLVM changes the sign of what is multiplied by it, and so of a NaN.
    const int whole = int(pick(13)) - 5;
    return fmt::format("{}({}.{}f)", name, whole == -1 ? -6 : whole, pick(2) * 5);
  }
  if (scalar == ScalarType::Float) {
    // No subnormals: an operation that gives its operand is deleted where LLVM sees that it does.
    static constexpr uint32_t kSpecial[] = {0x80000000, 0x7fc00000, 0x7f800000, 0xff800000,
                                            0x00800000, 0x7f7fffff, 0x3f800001};
    return fmt::format("as_type<float>({:#x}u)", kSpecial[pick(std::size(kSpecial))]);
  }
  static constexpr uint16_t kHalf[] = {0x8000, 0x7e00, 0x7c00, 0xfc00, 0x0001, 0x83ff, 0x7bff};
  static constexpr uint16_t kBfloat[] = {0x8000, 0x7fc0, 0x7f80, 0xff80, 0x0001, 0x807f, 0x7f7f};
  const uint32_t which = pick(std::size(kHalf));
  return fmt::format("as_type<{}>(ushort({:#x}))", name,
                     scalar == ScalarType::Half ? kHalf[which] : kBfloat[which]);
}

Expr Expressions::literal(Type type) {
  std::string text = scalarLiteral(type.scalar);
  for (uint32_t i = 1; i < type.width; ++i)
    text += ", " + scalarLiteral(type.scalar);
  return {type, type.width == 1 ? text : type.name() + "(" + text + ")", {}, {}, true};
}

Expr Expressions::conversion(Type to, Expr from) {
  if (from.type == to)
    return from;
  return made(to, to.name() + "($0)", {std::move(from)});
}

namespace {

template <class Fits>
std::optional<Expr> readOneOf(const std::vector<Variable> &variables, Expressions &random, Fits fits) {
  std::vector<const Variable *> found;
  for (const Variable &v : variables)
    if (!v.elements && fits(v))
      found.push_back(&v);
  if (found.empty())
    return std::nullopt;
  const Variable &v = *found[random.pick(uint32_t(found.size()))];
  return Expr{v.type, v.name, {}, v.name, false};
}

} // namespace

std::optional<Expr> Expressions::variable(Type type, Level level) {
  return readOneOf(variables, *this, [&](const Variable &v) { return v.type == type && v.level >= level; });
}

std::optional<Expr> Expressions::constantVariable(Type type) {
  return readOneOf(variables, *this,
                   [&](const Variable &v) { return v.type == type && !v.assignable && !v.counts; });
}

Expr Expressions::builtin(Level level) {
  if (level == Level::Threadgroup)
    return {kUint, oneOf({"group.x", "group.y", "count", "extent.x", "size.x", "extent.y"}), {}, {}, false};
  if (level == Level::Simdgroup)
    return {kUint, oneOf({"simdgroup", "lanes", "group.x", "simdgroup"}), {}, {}, false};
  return {kUint,
          oneOf({"lane", "index", "self", "lane", "local.x", "local.y", "position.x", "local.z"}),
          {},
          {},
          false};
}

Expr Expressions::leaf(Type type, const Flow &flow, Level level) {
  if (chance(70))
    if (auto found = variable(type, level))
      return *found;
  if (chance(50)) { // another variable of as many components
    std::vector<const Variable *> near;
    for (const Variable &v : variables)
      if (v.level >= level && !v.elements && v.type.width == type.width)
        near.push_back(&v);
    if (!near.empty()) {
      const Variable &v = *near[pick(uint32_t(near.size()))];
      return conversion(type, {v.type, v.name, {}, v.name, false});
    }
  }
  if (type.width == 1 && !type.isBool() && chance(40)) {
    if (flow.inHelper)
      return level == Level::Thread ? conversion(type, {kUint, chance(70) ? "lane" : "index", {}, {}, false})
                                    : literal(type);
    return conversion(type, builtin(level));
  }
  return chance(50) ? literal(type) : input(type, flow, level, 0);
}

Expr Expressions::input(Type type, const Flow &flow, Level level, uint32_t depth) {
  Expr index = depth                    ? make(kUint, flow, level, depth - 1)
               : level == Level::Thread ? Expr{kUint, chance(60) ? "index" : "lane", {}, {}, false}
                                        : literal(kUint);
  if (level == Level::Thread && chance(30))
    index = made(kUint, oneOf({"($0 * 2u)", "($0 + 3u)", "($0 / 4u)", "($0 ^ 5u)"}), {index});
  if (!type.isBool() && chance(12)) { // of the program's constants
    const char *element = oneOf({"bytes_[$0 & 31u]", "reals_[$0 & 7u]", "quads_[$0 & 3u][($0 >> 2) & 3u]"});
    return made(type, fmt::format("{}({})", type.name(), element), {index});
  }
  const char *from = chance(70) ? "in" : "table";
  if (type.isBool()) {
    const Type bytes{ScalarType::UChar, type.width};
    return made(type, fmt::format("(get<{}>({}, $0) > {}(99))", bytes.name(), from, bytes.name()), {index});
  }
  return made(type, fmt::format("get<{}>({}, $0)", type.name(), from), {index});
}

Expr Expressions::make(Type type, const Flow &flow, Level level, uint32_t depth) {
  if (depth == 0)
    return leaf(type, flow, level);
  switch (pick(12)) {
  case 0: return leaf(type, flow, level);
  case 1: return input(type, flow, level, depth);
  case 2: {
    std::vector<const Variable *> arrays;
    for (const Variable &v : variables)
      if (v.elements && v.type == type && v.level >= level)
        arrays.push_back(&v);
    if (!arrays.empty()) {
      const Variable &v = *arrays[pick(uint32_t(arrays.size()))];
      return made(type, fmt::format("{}[$0 & {}u]", v.name, v.elements - 1),
                  {make(kUint, flow, level, depth - 1)}, v.name);
    }
    return rearranged(type, flow, level, depth - 1);
  }
  case 3:
    if (level == Level::Thread && (flow.readsShared || flow.readsLanes))
      return sharedElement(type, flow, depth - 1);
    return rearranged(type, flow, level, depth - 1);
  case 4:
    if (level == Level::Thread) {
      if (takenBySimd(type) && chance(60))
        return simd(type, flow, depth - 1);
      if ((type == kUint || type == kBool) && chance(70))
        return vote(type, flow, depth - 1);
      if (auto made = call(type, flow, depth - 1))
        return *made;
    }
    return operation(type, flow, level, depth - 1);
  case 5: return rearranged(type, flow, level, depth - 1);
  default: return operation(type, flow, level, depth - 1);
  }
}

Expr Expressions::sharedElement(Type type, const Flow &flow, uint32_t depth) {
  const bool shared = flow.readsShared && (!flow.readsLanes || chance(50));
  const Type element = program_.sharedType;
  Expr read = made(element, shared ? "shared_[$0 % count]" : "lanes_[index - lane + $0 % lanes]",
                   {make(kUint, flow, Level::Thread, depth)});
  if (element.width != type.width && element.width > 1)
    read = made(element.of(1), "$0.y", {read});
  return conversion(type, read.type.width == type.width ? read : conversion(type.of(1), read));
}

std::optional<Expr> Expressions::call(Type type, const Flow &flow, uint32_t depth) {
  std::vector<const Helper *> found;
  for (const Helper &helper : program_.helpers)
    if (helper.result.width == type.width)
      found.push_back(&helper);
  if (found.empty())
    return std::nullopt;
  const Helper &helper = *found[pick(uint32_t(found.size()))];
  std::string text = helper.name + "(";
  std::vector<Expr> operands;
  for (const auto &[parameter, name] : helper.parameters) {
    text += fmt::format("${}, ", operands.size());
    operands.push_back(make(parameter, flow, Level::Thread, depth));
  }
  return conversion(type, {helper.result, text + "in, table, lane, index)", operands, helper.name, false});
}

Expr Expressions::rearranged(Type type, const Flow &flow, Level level, uint32_t depth) {
  static constexpr char kNames[] = "xyzw";
  if (type.width == 1) { // a component
    const Type whole = type.of(2 + pick(3));
    Expr vector = make(whole, flow, level, depth);
    if (chance(60))
      return made(type, fmt::format("$0.{}", kNames[pick(whole.width)]), {vector});
    return made(type, fmt::format("$0[$1 % {}u]", whole.width),
                {vector, make(kUint, flow, level, depth ? depth - 1 : 0)});
  }
  if (chance(50)) { // components in another order
    const Type whole = type.of(2 + pick(3));
    std::string letters;
    for (uint32_t i = 0; i < type.width; ++i)
      letters += kNames[pick(whole.width)];
    return made(type, "$0." + letters, {make(whole, flow, level, depth)});
  }
  std::string text;
  std::vector<Expr> operands;
  for (uint32_t i = 0; i < type.width; ++i) {
    text += fmt::format("{}${}", i ? ", " : "", i);
    operands.push_back(make(type.of(1), flow, level, depth ? depth - 1 : 0));
  }
  return made(type, type.name() + "(" + text + ")", operands);
}

Expr Expressions::truth(Type type, const Flow &flow, Level level, uint32_t depth) {
  if (type.width == 1 && chance(25))
    return made(type, oneOf({"($0 && $1)", "($0 || $1)"}),
                {make(type, flow, level, depth), make(type, flow, level, depth)});
  if (chance(10))
    return made(type, "!$0", {make(type, flow, level, depth)});
  const Type compared = anyType(false).of(type.width);
  if (compared.isFloat() && chance(15))
    return made(type, oneOf({"isnan($0)", "isinf($0)", "isfinite($0)", "signbit($0)"}),
                {make(compared, flow, level, depth)});
  return made(type, oneOf({"($0 < $1)", "($0 <= $1)", "($0 == $1)", "($0 != $1)", "($0 > $1)", "($0 >= $1)"}),
              {make(compared, flow, level, depth), make(compared, flow, level, depth)});
}

// Bits that the compiler does not know: of arithmetic on constants it knows another NaN than the processor.
std::string Expressions::sameBits(Type type) {
  if (!type.isFloat())
    return fmt::format("as_type<{}>($0)", type.name());
  switch (type.bits() * type.width) {
  case 16: return fmt::format("as_type<{}>(ushort(as_type<ushort>($0) ^ table[255]))", type.name());
  case 32: return fmt::format("as_type<{}>(as_type<uint>($0) ^ table[255])", type.name());
  case 64: return fmt::format("as_type<{}>(as_type<uint2>($0) ^ table[255])", type.name());
  default: return fmt::format("as_type<{}>(as_type<uint4>($0) ^ table[255])", type.name());
  }
}

Expr Expressions::operation(Type type, const Flow &flow, Level level, uint32_t depth) {
  if (type.isBool())
    return truth(type, flow, level, depth);
  switch (pick(8)) {
  case 0: // a choice
    if (type.width == 1 || chance(50))
      return made(
          type, "($0 ? $1 : $2)",
          {make(kBool, flow, level, depth), make(type, flow, level, depth), make(type, flow, level, depth)});
    return made(type, "select($0, $1, $2)",
                {make(type, flow, level, depth), make(type, flow, level, depth),
                 make(Type{ScalarType::Bool, type.width}, flow, level, depth)});
  case 1: return conversion(type, make(anyType().of(type.width), flow, level, depth));
  case 2: { // the same bits
    std::vector<Type> same;
    for (const ScalarType scalar : kScalars)
      for (uint32_t width = 1; width <= 4; ++width)
        if (const Type t{scalar, width}; width != 3 && type.width != 3 && !t.isBool() && t != type &&
                                         t.bits() * t.width == type.bits() * type.width)
          same.push_back(t);
    if (!same.empty())
      return made(type, sameBits(type), {make(same[pick(uint32_t(same.size()))], flow, level, depth)});
    return arithmetic(type, flow, level, depth);
  }
  default: return arithmetic(type, flow, level, depth);
  }
}

Expr Expressions::arithmetic(Type type, const Flow &flow, Level level, uint32_t depth) {
  std::string text;
  if (type.isInteger()) {
    const char *form = oneOf({"$0 + $1",
                              "$0 - $1",
                              "$0 * $1",
                              "$0 & $1",
                              "$0 | $1",
                              "$0 ^ $1",
                              "$0 + $1",
                              "$0 * $1",
                              "$0 << $1",
                              "$0 >> $1",
                              "$0 / $1",
                              "$0 % $1",
                              "-$0",
                              "~$0",
                              "min($0, $1)",
                              "max($0, $1)",
                              "clamp($0, $1, $2)",
                              "popcount($0)",
                              "clz($0)",
                              "ctz($0)",
                              "mulhi($0, $1)",
                              "rotate($0, $1)",
                              "absdiff($0, $1)",
                              "hadd($0, $1)",
                              "addsat($0, $1)",
                              "subsat($0, $1)",
                              "abs($0)",
                              "reverse_bits($0)"});
    text = form;
  } else if (type.scalar == ScalarType::BFloat) {
    text = oneOf({"$0 + $1", "$0 - $1", "$0 * $1", "$0 / $1", "-$0", "$0 * $1 + $2", "$0 - $1 * $2"});
  } else {
    text = oneOf({"$0 + $1",         "$0 - $1",      "$0 * $1",           "$0 / $1",      "-$0",
                  "$0 * $1 + $2",    "$0 * $1 - $2", "fma($0, $1, $2)",   "min($0, $1)",  "max($0, $1)",
                  "fabs($0)",        "floor($0)",    "ceil($0)",          "trunc($0)",    "rint($0)",
                  "fract($0)",       "sqrt($0)",     "copysign($0, $1)",  "sign($0)",     "saturate($0)",
                  "mix($0, $1, $2)", "step($0, $1)", "clamp($0, $1, $2)", "fmod($0, $1)", "rsqrt($0)",
                  "$0 + $1",         "$0 * $1",      "fmin($0, $1)",      "fmax($0, $1)", "round($0)"});
  }
  std::vector<Expr> operands{make(type, flow, level, depth)};
  for (const char *name : {"$1", "$2"})
    if (text.find(name) != std::string::npos)
      operands.push_back(make(type, flow, level, depth));
  // The processor's minimum of a subnormal is the subnormal itself, and what LLVM folds is zero.
  if (type.scalar == ScalarType::Float &&
      (text.find("min(") != std::string::npos || text.find("max(") != std::string::npos ||
       text == "saturate($0)" || text == "clamp($0, $1, $2)"))
    for (Expr &operand : operands)
      operand = made(type, type.name() + "($0 + 0.0f)", {operand});
  return made(type, type.name() + "(" + text + ")", operands);
}

Expr Expressions::condition(const Flow &flow, Level level) {
  if (level == Level::Thread && chance(25))
    return vote(kBool, flow, 1);
  if (chance(40)) // what takes both ways for sure is most useful
    return made(
        kBool, fmt::format("(($0 & {}u) {} {}u)", 1 + pick(7), oneOf({"!=", "==", "<"}), pick(3)),
        {level == Level::Thread && flow.inHelper ? Expr{kUint, "lane", {}, {}, false} : builtin(level)});
  return make(kBool, flow, level, 1 + pick(2));
}

// ---- between lanes ----

Expr Expressions::lanesOperand(const Flow &flow, uint32_t bound, bool mayVary) {
  if (chance(60))
    return {kUshort, fmt::format("ushort({})", pick(bound)), {}, {}, true};
  const Level level = mayVary ? Level::Thread : flow.inHelper ? Level::Threadgroup : Level::Simdgroup;
  Expr number = mayVary && chance(60) ? Expr{kUint, "lane", {}, {}, false} : leaf(kUint, flow, level);
  return made(kUshort, fmt::format("ushort(($0 {} {}u) & {}u)", oneOf({"+", "^", "*"}), pick(8), bound - 1),
              {number});
}

// Lanes that take no part are read, too. Without optimisation a variable is what they have computed last for
// it; otherwise each of its values by itself, unless they meet. A variable with one value reads the same.
Expr Expressions::operandOfPermute(Type type, const Flow &flow, uint32_t depth) {
  const bool all = flow.level >= Level::Simdgroup && !flow.maySkip && !flow.inHelper && !flow.loops;
  if (all || !program_.sameWithoutOptimisation)
    return make(type, flow, Level::Thread, depth);
  if (auto found = constantVariable(type))
    return *found;
  return literal(type);
}

Expr Expressions::simd(Type type, const Flow &flow, uint32_t depth) {
  std::vector<SimdOp> fitting;
  const auto isReduction = [](SimdOp op) {
    return (op >= SimdOp::Sum && op <= SimdOp::PrefixExclusiveProduct) ||
           (op >= SimdOp::QuadSum && op <= SimdOp::QuadPrefixExclusiveProduct);
  };
  const auto wantsInteger = [](SimdOp op) {
    return (op >= SimdOp::And && op <= SimdOp::Xor) || (op >= SimdOp::QuadAnd && op <= SimdOp::QuadXor);
  };
  for (const SimdOpInfo &info : kSimdOps)
    if (info.result == SimdResult::Value && info.op < SimdOp::MatrixMultiply &&
        (!wantsInteger(info.op) || type.isInteger()))
      fitting.push_back(info.op);
  const SimdOp op = fitting[pick(uint32_t(fitting.size()))];
  const std::string name(simdOpInfo(op).text);
  const uint32_t width = op >= SimdOp::QuadBroadcast ? 4 : 32;
  if (isReduction(op))
    return made(type, name + "($0)", {make(type, flow, Level::Thread, depth)});
  const bool plain = op == SimdOp::BroadcastFirst || op == SimdOp::QuadBroadcastFirst;
  if (plain)
    return made(type, name + "($0)", {make(type, flow, Level::Thread, depth)});
  Expr data = operandOfPermute(type, flow, depth);
  if (simdOpInfo(op).inputs == 2) {
    Expr fill = operandOfPermute(type, flow, depth);
    if (chance(60))
      return made(type, name + "($0, $1, $2)", {data, fill, lanesOperand(flow, width, false)});
    return made(type, fmt::format("{}($0, $1, $2, {})", name, 2u << pick(width == 4 ? 2 : 5)),
                {data, fill, lanesOperand(flow, 4, false)});
  }
  const bool shuffle = op == SimdOp::Shuffle || op == SimdOp::QuadShuffle;
  return made(type, name + "($0, $1)",
              {data, lanesOperand(flow, shuffle && chance(10) ? 64 : width, shuffle)});
}

Expr Expressions::vote(Type type, const Flow &flow, uint32_t depth) {
  const bool quad = chance(30);
  const std::string prefix = quad ? "quad_" : "simd_", convert = quad ? "uint(ushort(" : "uint(ulong(",
                    end = "))";
  if (type == kUint) {
    if (chance(35))
      return {type, convert + prefix + "active_threads_mask()" + end, {}, {}, false};
    return made(type, convert + prefix + "ballot($0)" + end, {make(kBool, flow, Level::Thread, depth)});
  }
  if (chance(15))
    return {kBool, prefix + "is_first()", {}, {}, false};
  return made(kBool, prefix + oneOf({"all($0)", "any($0)"}), {make(kBool, flow, Level::Thread, depth)});
}

} // namespace assay::engines
