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

// A block of quantised numbers, with the members that a kernel reads one by one.
struct Block {
  const char *name;
  uint32_t bytes, aligned;
  const char *scale;   ///< a member that is a float or half
  const char *members; ///< an array
  uint32_t count;      ///< of its elements
};
constexpr Block kBlocks[] = {{"Q4", 18, 2, "d", "q", 16},
                             {"Q4", 18, 2, "d", "q", 16},
                             {"QK", 48, 4, "d.y", "q", 8},
                             {"QK", 48, 4, "d.x", "s", 12},
                             {"Row", 16, 4, "p[1]", "t", 2}};

} // namespace

void Accesses::fillTable() {
  std::copy(kFactors.begin(), kFactors.end(), program_.table.begin() + kFirstFactor);
}

Accesses::Element Accesses::anyElement() {
  for (;;) {
    Type type = x_.anyType(false);
    if (type.width == 1 && x_.chance(25))
      type = type.of(4);
    const uint32_t bytes = type.bits() / 8;
    if (type.width > 1 && type.scalar != ScalarType::BFloat && x_.chance(35))
      return {type, "packed_" + type.name(), bytes * type.width, bytes};
    const uint32_t whole = bytes * (type.width == 3 ? 4 : type.width);
    return {type, type.name(), whole, whole};
  }
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

// The same number in another type.
Accesses::Index Accesses::extended(Index index) {
  switch (x_.pick(8)) {
  case 0: return {fmt::format("int{}", index.text), index.most};
  case 1: return {fmt::format("ulong{}", index.text), index.most};
  case 2: return index.most < 32768 ? Index{fmt::format("short{}", index.text), index.most} : index;
  case 3: return index.most < 65536 ? Index{fmt::format("ushort{}", index.text), index.most} : index;
  case 4: return {fmt::format("long{}", index.text), index.most};
  default: return index;
  }
}

// A pointer to so many elements of buffer 4, half of the time not to its first ones.
std::string Accesses::base(const Element &element, uint64_t elements) {
  const uint64_t room = (kWideBytes - elements * element.bytes) / element.aligned;
  const uint64_t skipped = x_.chance(50) ? 0 : std::min<uint64_t>(room, x_.pick(9));
  return fmt::format("((const device {} *)(bytes + {}))", element.name, skipped * element.aligned);
}

std::string Accesses::taken(const Element &element, const std::string &what, bool hashed) {
  const std::string value = fmt::format("{}({})", element.type.name(), what);
  return hashed                    ? fmt::format("bitsOf({})", value)
         : element.type.width == 1 ? fmt::format("float({})", value)
                                   : fmt::format("float({}.{})", value, "xyzw"[x_.pick(element.type.width)]);
}

Statement Accesses::load(const std::string &name, Type &type, const Flow &flow) {
  const Element element = anyElement();
  const uint64_t capacity = kWideBytes / element.bytes;
  const bool hashed = x_.chance(60);
  type = hashed ? kUint : Type{ScalarType::Float, 1};
  const std::string start = fmt::format("{} {} = 0;\n", type.name(), name);
  const auto accumulate = [&](const std::string &what) {
    const std::string value = taken(element, what, hashed);
    return hashed ? fmt::format("{0} = {0} * 31u + {1};", name, value)
                  : fmt::format("{} += {};", name, value);
  };
  Statement made{Kind::Plain, "", {}, {}, name};
  const auto operand = [&](const Index &index) {
    made.operands.push_back({kUint, index.text, {}, {}, false});
    return fmt::format("${}", made.operands.size() - 1);
  };
  switch (x_.pick(9)) {
  case 0:
  case 1: { // one element
    type = element.type;
    const Index at = sum(capacity);
    if (x_.chance(25)) { // before where the pointer points
      const uint64_t back = std::min<uint64_t>(x_.pick(9), capacity - at.most - 1);
      made.text = fmt::format("{0} {1} = {0}(({2} + {3})[int({4}) - {3}]);", type.name(), name,
                              base(element, at.most + 1 + back), back, operand(at));
    } else {
      made.text =
          fmt::format("{0} {1} = {0}({2}[{3}]);", type.name(), name, base(element, at.most + 1), operand(at));
    }
    return made;
  }
  case 2: { // neighbours of one lane
    const uint32_t count = 2u << x_.pick(3);
    const Index at = sum(capacity / count);
    made.text = fmt::format(
        "{}for (uint k = 0; k < {}; ++k) {}", start, count,
        accumulate(fmt::format("{}[{} * {} + k]", base(element, (at.most + 1) * count), operand(at), count)));
    return made;
  }
  case 3:
  case 4: { // side by side, round after round
    const uint64_t limit = 1 + x_.pick(uint32_t(std::min<uint64_t>(capacity, 260)));
    const char *first =
        std::array{"lane", "index", "lane * 2u", "local.x", "position.x", "lane / 4u"}[x_.pick(6)];
    const std::string step = x_.chance(50)   ? "32"
                             : x_.chance(50) ? std::string("count")
                                             : fmt::format("table[{}]", kFirstFactor + 6 + x_.pick(9));
    const uint64_t rows = limit <= capacity / 4 && x_.chance(40) ? 3 : 1;
    std::string at = "i";
    if (rows > 1) {
      const Index row = x_.chance(50) ? Index{"(lane % 3u)", 2} : Index{"min(local.y, 2u)", 2};
      at = fmt::format("{} * {}u + i", row.text, limit);
    }
    made.text = fmt::format("{}for (uint i = {}; i < {}u; i += {}) {}", start, first, limit, step,
                            accumulate(fmt::format("{}[{}]", base(element, limit * rows), at)));
    return made;
  }
  case 5: { // a walk of a pointer
    const Index by = factor();
    const uint32_t rounds = 1 + x_.pick(5);
    if (by.most * rounds >= capacity)
      break;
    const Index at = sum(capacity - by.most * rounds);
    made.text = fmt::format(
        "{}{{ const device {} *p = {} + {};\nfor (uint k = 0; k < {}; ++k, p += {}) {} }}", start,
        element.name, base(element, at.most + by.most * rounds + 1), operand(at),
        x_.chance(50) ? fmt::format("{}u", rounds) : fmt::format("min({}u, 1u + (lane & 3u))", rounds),
        by.text, accumulate("*p"));
    return made;
  }
  case 6: { // a block of numbers with a scale
    const Block &block = kBlocks[x_.pick(uint32_t(std::size(kBlocks)))];
    const Index at = sum(kWideBytes / block.bytes);
    type = {ScalarType::Float, 1};
    const uint32_t first = x_.pick(block.count), last = first + 1 + x_.pick(block.count - first);
    made.text = fmt::format("float {0} = 0;\n{{ const device {1} *p = (const device {1} *)bytes + {2};\n"
                            "for (uint k = {3}; k < {4}; ++k) {0} += float(p->{5}) * float({6}); }}",
                            name, block.name, operand(at), first, last, block.scale,
                            x_.chance(50) ? fmt::format("p->{}[k]", block.members)
                                          : fmt::format("(p->{}[k] & 15) - 8", block.members));
    return made;
  }
  case 7: { // into an array of the thread, and out of it in another order
    const Index by = factor();
    if (by.most * 8 >= capacity)
      break;
    const Index at = sum(capacity - by.most * 7);
    made.text = fmt::format("{}{{ {} r[8];\nfor (uint k = 0; k < 8; ++k) r[k] = {}({}[{} + k * {}]);\n"
                            "for (uint k = 0; k < 8; ++k) {} }}",
                            start, element.type.name(), element.type.name(),
                            base(element, at.most + by.most * 7 + 1), operand(at), by.text,
                            accumulate(std::array{"r[k]", "r[7 - k]", "r[(k + lane) & 7]"}[x_.pick(3)]));
    return made;
  }
  default: break;
  }
  // One of two pointers.
  type = element.type;
  const Index one = sum(capacity), two = sum(capacity);
  const std::string from = base(element, std::max(one.most, two.most) + 1);
  made.operands = {x_.condition(flow, Level::Thread)};
  const std::string a = operand(one), b = operand(two);
  made.text = fmt::format("{0} {1};\n{{ const device {2} *p = $0 ? {3} + {4} : {3} + {5};\n{1} = {0}(*p); }}",
                          type.name(), name, element.name, from, a, b);
  return made;
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

} // namespace assay::engines
