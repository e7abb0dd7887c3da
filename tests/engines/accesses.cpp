// Random loads and stores at addresses that are made of the thread's place.
#include "accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::engines {
namespace {

using Kind = Statement::Kind;

constexpr Type kUint{ScalarType::UInt, 1};
constexpr uint32_t kFirstFactor = 224; ///< in the table
constexpr std::array<uint32_t, 16> kFactors{1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 32, 33, 40, 64, 1};
// What brings a number below zero, unless it is at least so much. The table has their negatives after the
// factors.
constexpr std::array<uint32_t, 4> kSteps{1, 8, 16, 40};

// A block of quantised numbers, with the members that a kernel reads one by one.
struct Block {
  const char *name;
  uint32_t bytes;
  const char *scale;   ///< a member that is a float or half
  const char *members; ///< an array
  uint32_t count;      ///< of its elements
};
constexpr Block kBlocks[] = {{"Q4", 18, "d", "q", 16},
                             {"Q4", 18, "d", "q", 16},
                             {"QK", 48, "d.y", "q", 8},
                             {"QK", 48, "d.x", "s", 12},
                             {"Row", 16, "p[1]", "t", 2}};

} // namespace

void Accesses::fillTable() {
  auto at = std::copy(kFactors.begin(), kFactors.end(), program_.table.begin() + kFirstFactor);
  for (const uint32_t step : kSteps)
    *at++ = 0 - step;
}

Accesses::Element Accesses::anyElement() {
  Type type = x_.anyType(false);
  if (type.width == 1 && x_.chance(25))
    type = type.of(4);
  const uint32_t bytes = type.bits() / 8;
  if (type.width > 1 && type.scalar != ScalarType::BFloat && x_.chance(35))
    return {type, "packed_" + type.name(), bytes * type.width, bytes};
  const uint32_t whole = bytes * (type.width == 3 ? 4 : type.width);
  return {type, type.name(), whole, whole};
}

// One of the numbers that tell threads apart.
Accesses::Index Accesses::place() {
  const Extent group = program_.group, grid = program_.grid;
  const uint32_t last = group.count() - 1, most = std::min(31u, last);
  switch (x_.pick(15)) {
  case 0:
  case 1: return {"lane", most};
  case 2: return {"index", last};
  case 3: return {"local.x", group.x - 1};
  case 4: return {"local.y", group.y - 1};
  case 5: return {"position.x", grid.x - 1};
  case 6: return {"position.y", grid.y - 1};
  case 7: return {"simdgroup", last / 32};
  case 8: return {"group.x", (grid.x - 1) / group.x};
  case 9: {
    const uint32_t by = 2u << x_.pick(4);
    return {fmt::format("(lane / {}u)", by), most / by};
  }
  case 10: {
    const uint32_t by = 2u << x_.pick(4);
    return {fmt::format("(lane % {}u)", by), std::min(most, by - 1)};
  }
  case 11: return {"(31u - lane)", 31};
  case 12: {
    const uint32_t by = 2u << x_.pick(4);
    return {fmt::format("((lane {} {}u) & {}u)", x_.chance(50) ? "+" : "-", x_.pick(9), by - 1), by - 1};
  }
  case 13: return {fmt::format("(lane ^ {}u)", x_.pick(32)), 31};
  default: return {fmt::format("{}u", x_.pick(6)), 5};
  }
}

// What a place is multiplied by.
Accesses::Index Accesses::factor() {
  if (x_.chance(40)) {
    const uint32_t which = x_.pick(uint32_t(kFactors.size()));
    return {fmt::format("table[{}]", kFirstFactor + which), kFactors[which]};
  }
  const uint32_t number = x_.chance(50) ? 1 + x_.pick(5) : 1u << x_.pick(6);
  return {fmt::format("{}u", number), number};
}

// A sum of at most three products, less than `below`.
Accesses::Index Accesses::sum(uint64_t below) {
  Index all{"", 0};
  for (uint32_t terms = 1 + x_.pick(3); terms > 0; --terms) {
    Index one = place();
    if (x_.chance(60)) {
      const Index by = factor();
      const bool wide = x_.chance(15);
      one = {fmt::format("{} * {}", wide ? "ulong(" + one.text + ")" : one.text, by.text),
             one.most * by.most};
    }
    if (all.most + one.most >= below)
      continue;
    all = {all.text.empty() ? one.text : all.text + " + " + one.text, all.most + one.most};
  }
  if (all.text.empty())
    return below > 31 ? Index{"lane", 31} : Index{"0u", 0};
  return extended({"(" + all.text + ")", all.most});
}

// The same number in another type, or multiplied and divided.
Accesses::Index Accesses::extended(Index index) {
  switch (x_.pick(11)) {
  case 5: return {fmt::format("(int{} * 4 + {}) / 4", index.text, x_.pick(4)), index.most};
  case 6: return {fmt::format("(uint{} * 6u + {}u) / 6u", index.text, x_.pick(6)), index.most};
  case 7: return {fmt::format("((uint{} * 8u + (lane & 7u)) >> 3)", index.text), index.most};
  case 0: return {fmt::format("int{}", index.text), index.most};
  case 1: return {fmt::format("ulong{}", index.text), index.most};
  case 2: return index.most < 32768 ? Index{fmt::format("short{}", index.text), index.most} : index;
  case 3: return index.most < 65536 ? Index{fmt::format("ushort{}", index.text), index.most} : index;
  case 4: return {fmt::format("long{}", index.text), index.most};
  default: return index;
  }
}

// Part of what a load is made of: the statement so far, and where it reads.
struct Accesses::Load {
  Space space;
  Element element;
  std::string name;    ///< of what is declared
  bool hashed = false; ///< all bits of what is read are mixed; else it is summed as float
  Type type = {};      ///< of what is declared
  Statement made = {};

  uint64_t capacity() const { return space.bytes / element.bytes; }
  std::string pointer(const std::string &to) const { return space.qualifiers + " " + to + " *"; }
  std::string start() const { return fmt::format("{} {} = 0;\n", type.name(), name); }
  std::string operand(const Index &index) {
    made.operands.push_back({kUint, index.text, {}, {}, false});
    return fmt::format("${}", made.operands.size() - 1);
  }
};

// A pointer to so many elements, half of the time not to the first ones of the space.
std::string Accesses::base(const Load &load, uint64_t elements) {
  const Element &element = load.element;
  const uint64_t room = (load.space.bytes - elements * element.bytes) / element.aligned;
  const uint64_t skipped = x_.chance(50) ? 0 : std::min<uint64_t>(room, x_.pick(9));
  return fmt::format("(({})({} + {}))", load.pointer(element.name), load.space.start,
                     skipped * element.aligned);
}

std::string Accesses::accumulate(const Load &load, const std::string &what) {
  const Type type = load.element.type;
  const std::string value = fmt::format("{}({})", type.name(), what);
  if (load.hashed)
    return fmt::format("{0} = {0} * 31u + bitsOf({1});", load.name, value);
  return fmt::format("{} += float({}{});", load.name, value,
                     type.width == 1 ? std::string() : fmt::format(".{}", "xyzw"[x_.pick(type.width)]));
}

void Accesses::oneElement(Load &load) {
  load.type = load.element.type;
  const Index at = sum(load.capacity());
  std::string what;
  if (x_.chance(25)) { // before where the pointer points
    const uint64_t back = std::min<uint64_t>(x_.pick(9), load.capacity() - at.most - 1);
    what =
        fmt::format("({} + {})[int({}) - {}]", base(load, at.most + 1 + back), back, load.operand(at), back);
  } else {
    what = fmt::format("{}[{}]", base(load, at.most + 1), load.operand(at));
  }
  load.made.text = fmt::format("{0} {1} = {0}({2});", load.type.name(), load.name, what);
}

// Elements side by side, of one lane.
void Accesses::neighbours(Load &load) {
  const uint32_t count = 2u << x_.pick(3);
  const Index at = sum(load.capacity() / count);
  const std::string what =
      fmt::format("{}[{} * {} + k]", base(load, (at.most + 1) * count), load.operand(at), count);
  load.made.text =
      fmt::format("{}for (uint k = 0; k < {}; ++k) {}", load.start(), count, accumulate(load, what));
}

// Elements of lanes side by side, round after round.
void Accesses::rounds(Load &load) {
  const uint64_t limit = 1 + x_.pick(uint32_t(std::min<uint64_t>(load.capacity(), 260)));
  const char *first =
      std::array{"lane", "index", "lane * 2u", "local.x", "position.x", "lane / 4u"}[x_.pick(6)];
  const std::string step = x_.chance(50)   ? "32"
                           : x_.chance(50) ? std::string("count")
                                           : fmt::format("table[{}]", kFirstFactor + 6 + x_.pick(9));
  const uint64_t rows = limit <= load.capacity() / 4 && x_.chance(40) ? 3 : 1;
  std::string at = "i";
  if (rows > 1)
    at = fmt::format("{} * {}u + i", x_.chance(50) ? "(lane % 3u)" : "min(local.y, 2u)", limit);
  load.made.text = fmt::format("{}for (uint i = {}; i < {}u; i += {}) {}", load.start(), first, limit, step,
                               accumulate(load, fmt::format("{}[{}]", base(load, limit * rows), at)));
}

// A pointer that goes on by a number of elements.
void Accesses::walk(Load &load) {
  const Index by = factor();
  const uint32_t count = 1 + x_.pick(5);
  if (by.most * count >= load.capacity())
    return oneElement(load);
  const Index at = sum(load.capacity() - by.most * count);
  const std::string end =
      x_.chance(50) ? fmt::format("{}u", count) : fmt::format("min({}u, 1u + (lane & 3u))", count);
  load.made.text =
      fmt::format("{}{{ {} p = {} + {};\nfor (uint k = 0; k < {}; ++k, p += {}) {} }}", load.start(),
                  load.pointer(load.element.name), base(load, at.most + by.most * count + 1),
                  load.operand(at), end, by.text, accumulate(load, "*p"));
}

// Members of a block of numbers with a scale.
void Accesses::block(Load &load) {
  const Block &block = kBlocks[x_.pick(uint32_t(std::size(kBlocks)))];
  const Index at = sum(load.space.bytes / block.bytes);
  load.type = {ScalarType::Float, 1};
  const uint32_t first = x_.pick(block.count), last = first + 1 + x_.pick(block.count - first);
  const char *form = x_.chance(50) ? "p->{}[k]" : "(p->{}[k] & 15) - 8";
  const std::string member = fmt::format(fmt::runtime(form), block.members);
  load.made.text =
      fmt::format("{}{{ {} p = ({})({}) + {};\n"
                  "for (uint k = {}; k < {}; ++k) {} += float(p->{}) * float({}); }}",
                  load.start(), load.pointer(block.name), load.pointer(block.name), load.space.start,
                  load.operand(at), first, last, load.name, block.scale, member);
}

// Into an array of the thread, and out of it in another order.
void Accesses::array(Load &load) {
  const Index by = factor();
  if (by.most * 8 >= load.capacity())
    return oneElement(load);
  const Index at = sum(load.capacity() - by.most * 7);
  const std::string type = x_.chance(50) ? load.element.name : load.element.type.name(),
                    from = fmt::format("{}[{} + k * {}]", base(load, at.most + by.most * 7 + 1),
                                       load.operand(at), by.text);
  load.made.text =
      fmt::format("{0}{{ {1} r[8];\nfor (uint k = 0; k < 8; ++k) r[k] = {1}({2});\n"
                  "for (uint k = 0; k < 8; ++k) {3} }}",
                  load.start(), type, from,
                  accumulate(load, std::array{"r[k]", "r[7 - k]", "r[(k + lane) & 7]"}[x_.pick(3)]));
}

// For the lanes whose index is in bounds: that of another lane may have wrapped, or lie anywhere after the
// end.
void Accesses::guarded(Load &load) {
  load.type = load.element.type;
  std::string condition, index;
  uint64_t elements = load.capacity();
  if (x_.chance(50)) {
    const uint32_t which = x_.pick(uint32_t(kSteps.size()));
    const Index from = sum(load.capacity());
    condition = fmt::format("{} >= {}u", from.text, kSteps[which]);
    index = fmt::format("uint({}) + table[{}]", from.text, kFirstFactor + kFactors.size() + which);
    elements = from.most + 1;
  } else {
    const Index from = sum(1u << 20);
    elements = 1 + x_.pick(uint32_t(elements));
    condition = fmt::format("{} < {}u", from.text, elements);
    index = from.text;
  }
  load.made.text = fmt::format("{0} {1} = {0}(0);\nif ({2}) {1} = {0}({3}[{4}]);", load.type.name(),
                               load.name, condition, base(load, elements), index);
}

// Through one of two pointers.
void Accesses::choice(Load &load, const Flow &flow) {
  load.type = load.element.type;
  const Index one = sum(load.capacity()), two = sum(load.capacity());
  const std::string from = base(load, std::max(one.most, two.most) + 1);
  load.made.operands = {x_.condition(flow, Level::Thread)};
  const std::string a = load.operand(one), b = load.operand(two);
  load.made.text = fmt::format("{0} {1};\n{{ {2} p = $0 ? {3} + {4} : {3} + {5};\n{1} = {0}(*p); }}",
                               load.type.name(), load.name, load.pointer(load.element.name), from, a, b);
}

Statement Accesses::load(const std::string &name, Type &type, const Flow &flow, bool threadgroup) {
  static const Space kDevice{"const device", "bytes", kWideBytes},
      kConstant{"constant", "(constant uchar *)table", kInputWords * 4},
      kTile{"const threadgroup", "(const threadgroup uchar *)tile_", kTileBytes};
  const uint32_t where = x_.pick(10);
  Load load{where < 6                  ? kDevice
            : where < 9 && threadgroup ? kTile
            : where < 9                ? kDevice
                                       : kConstant,
            anyElement(), name, x_.chance(60)};
  load.type = load.hashed ? kUint : Type{ScalarType::Float, 1};
  load.made.declares = name;
  switch (x_.pick(10)) {
  case 0:
  case 1: oneElement(load); break;
  case 2: neighbours(load); break;
  case 3:
  case 4: rounds(load); break;
  case 5: walk(load); break;
  case 6: block(load); break;
  case 7: array(load); break;
  case 8: guarded(load); break;
  default: choice(load, flow);
  }
  type = load.type;
  return std::move(load.made);
}

// A number for `each` of a thread's elements, k of them, that no other thread has.
Accesses::Index Accesses::ownIndex(uint32_t each) {
  const uint64_t total = program_.grid.count();
  const std::string all = "(size.x * size.y * size.z)";
  switch (x_.pick(each > 1 ? 4 : 6)) {
  case 0: return {fmt::format("self * {}u + k", each), total * each - 1};
  case 1: return {fmt::format("k * {} + self", all), total * each - 1};
  case 2: return {fmt::format("({} - 1u - self) * {}u + k", all, each), total * each - 1};
  case 3:
    return {fmt::format("((position.x * size.y + position.y) * size.z + position.z) * {}u + k", each),
            total * each - 1};
  case 4: {
    const uint32_t which = x_.pick(10);
    return {fmt::format("self * table[{}] + k", kFirstFactor + which), (total - 1) * kFactors[which]};
  }
  default: return {"self + self / 32u * 3u + k", total - 1 + (total - 1) / 32 * 3};
  }
}

Statement Accesses::store(const std::string &name, const Flow &flow) {
  const Element element = anyElement();
  const uint32_t each = x_.chance(50) ? 1 : 2 + x_.pick(3);
  const Index at = ownIndex(each);
  const uint64_t begin = program_.wideBytes;
  program_.wideBytes = uint32_t((begin + (at.most + 1) * element.bytes + 31) / 16 * 16);
  Statement made{Kind::Plain, "", {x_.any(element.type, flow)}};
  const std::string place = fmt::format("(({} *)(wide + {}))[{}]", "device " + element.name, begin, at.text);
  // Of three components the vector's fourth element is left as it is, or not: nothing is said of it.
  std::string store = fmt::format("{} = {}({}(v_));", place, element.name, element.type.name());
  if (element.type.width == 3 && element.name[0] != 'p')
    store = fmt::format("for (uint c = 0; c < 3; ++c) (({} *)&{})[c] = v_[c];",
                        "device " + element.type.of(1).name(), place);
  // A number that tells the elements of a thread apart.
  const std::string value =
      element.type.isFloat() ? "$0" : fmt::format("{0}($0 + {0}(k))", element.type.name());
  std::string again;
  if (element.type.isInteger() && element.name[0] != 'p' && x_.chance(30))
    again = fmt::format(" {} ^= {}(5);", place, element.type.name());
  made.text = fmt::format(
      "for (uint {0} = 0; {0} < {1}u; ++{0}) {{ const uint k = {0}; const {2} v_ = {3}; {4}{5} }}", name,
      each, element.type.name(), value, store, element.type.width == 3 ? "" : again);
  if (x_.chance(25)) {
    made.text = fmt::format("if (${}) {}", made.operands.size(), made.text);
    made.operands.push_back(x_.condition(flow, Level::Thread));
  }
  return made;
}

std::string Accesses::storeMatrix(const std::string &matrix, const std::string &scalar) {
  const uint32_t bytes = scalar == "float" ? 4 : 2, stride = 8 + 4 * x_.pick(3);
  const uint64_t begin = program_.wideBytes,
                 simdgroups = uint64_t(program_.counterWords() - kCounterWords) / kOwnWords;
  program_.wideBytes = uint32_t(begin + simdgroups * 8 * stride * bytes);
  return fmt::format("\nsimdgroup_store({}, (device {} *)(wide + {}) + {}u * (simdgroup + {}u * ((group.z * "
                     "groups.y + group.y) * groups.x + group.x)), {}, ulong2(0), {});",
                     matrix, scalar, begin, 8 * stride, program_.simdgroups(), stride, x_.chance(40));
}

} // namespace assay::engines
