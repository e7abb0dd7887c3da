// Random statements: control flow, memory, and what lanes do together.
#include "generator.h"

#include "accesses.h"
#include "aggregates.h"
#include "expressions.h"
#include "textbook.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::engines {
namespace {

constexpr Type kUint{ScalarType::UInt, 1};
constexpr uint32_t kMostLoops = 3; ///< inside each other
using Kind = Statement::Kind;

class Generator {
public:
  explicit Generator(uint64_t seed)
      : x_(SplitMix64(seed).next(), program_), accesses_(x_, program_), aggregates_(x_),
        textbook_(x_, program_), apart_(SplitMix64(~seed).next() % 10 < 3) {
    program_.seed = seed;
  }

  Program program() {
    shape();
    inputs();
    program_.sameWithoutOptimisation = x_.chance(70);
    program_.slotMajor = x_.chance(50);
    shaped_ = x_.chance(40) ? 2 + x_.pick(12) : 0;
    accessing_ = x_.chance(50) ? 3 + x_.pick(30) : 0;
    // Which of two paths comes first in the order of atomics is the optimiser's choice.
    ordered_ = x_.chance(50);
    program_.sameWithoutOptimisation &= !ordered_;
    do
      program_.sharedType = x_.anyType(false);
    while (program_.sharedType.bits() * program_.sharedType.width > 128);
    for (uint32_t i = x_.pick(3); i > 0; --i)
      helper(i - 1);

    x_.variables.clear();
    budget_ = 12 + x_.pick(30);
    Flow flow;
    for (uint32_t i = 2 + x_.pick(4); i > 0; --i)
      declare(program_.body, flow);
    statements(program_.body, flow, 100);
    for (const Variable &v : x_.variables)
      program_.body.push_back(put(readOf(v)));
    program_.slots = nextSlot_ + 2; // the last ones are for the counters of the threadgroup and the simdgroup
    return std::move(program_);
  }

private:
  // ---- the dispatch ----

  void shape() {
    static constexpr Extent kGroups[] = {{32, 1, 1}, {64, 1, 1}, {96, 1, 1}, {16, 4, 1}, {8, 8, 1},
                                         {32, 2, 1}, {4, 4, 4},  {1, 32, 1}, {50, 1, 1}, {7, 5, 1},
                                         {5, 3, 3},  {20, 1, 1}, {33, 1, 1}, {1, 1, 1},  {3, 1, 1},
                                         {10, 7, 1}, {2, 2, 9},  {128, 1, 1}};
    program_.group = kGroups[x_.pick(std::size(kGroups))];
    const auto along = [&](uint32_t group, uint32_t most) {
      const uint32_t whole = group * (1 + x_.pick(most));
      return x_.chance(60) ? whole : 1 + x_.pick(whole);
    };
    program_.grid = {along(program_.group.x, apart_ ? 9 : 3),
                     along(program_.group.y, program_.group.y > 1 ? 2 : 1),
                     along(program_.group.z, program_.group.z > 1 ? 2 : 1)};
    if (program_.grid.y == 1 && x_.chance(30))
      program_.grid.y = 2;
    const auto divides = [](uint32_t grid, uint32_t group) { return grid % group == 0; };
    wholeSimdgroups_ = program_.group.count() % 32 == 0 && divides(program_.grid.x, program_.group.x) &&
                       divides(program_.grid.y, program_.group.y) &&
                       divides(program_.grid.z, program_.group.z);
  }

  void inputs() {
    static constexpr uint32_t kSpecial[] = {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0x00000001,
                                            0x80000001, 0x007fffff, 0x80000000, 0x00000000, 0xffffffff,
                                            0x7fff7fff, 0x00010001, 0x7c007c00, 0x7e01fc00, 0x00800000,
                                            0x3c003c00, 0x7fffffff};
    for (std::vector<uint32_t> *words : {&program_.input, &program_.table})
      for (uint32_t i = 0; i < kInputWords; ++i) {
        const uint32_t kind = x_.pick(10);
        const uint32_t random = uint32_t(x_.bits());
        words->push_back(kind < 4   ? random
                         : kind < 6 ? random % 50
                         : kind < 7 ? kSpecial[x_.pick(std::size(kSpecial))]
                         : kind < 9 ? 0x3f000000 | (random & 0x8fffffff)   // floats of moderate size
                                    : 0x3c003800 | (random & 0x83ff83ff)); // halves
      }
    accesses_.fillTable();
    program_.table.back() = 0; // Expressions::sameBits relies on it
  }

  // ---- variables and places ----

  std::string newName(const char *prefix) { return fmt::format("{}{}", prefix, ++names_); }
  static Expr readOf(const Variable &v) {
    if (v.elements)
      return {v.type,
              v.name + "[$0]",
              {{kUint, fmt::format("{}u", v.elements / 2), {}, {}, true}},
              v.name,
              false};
    return {v.type, v.name, {}, v.name, false};
  }

  Statement put(Expr value) {
    if (value.type.isBool()) {
      const Type bytes{ScalarType::UChar, value.type.width};
      value = x_.conversion(bytes, std::move(value));
    }
    return {Kind::Plain, fmt::format("put(OWN({}), $0);", nextSlot()), {std::move(value)}};
  }
  uint32_t nextSlot() {
    if (nextSlot_ < 40)
      ++nextSlot_;
    return nextSlot_ - 1;
  }

  Level someLevel(const Flow &flow) {
    if (flow.inHelper || x_.chance(70))
      return Level::Thread;
    return std::min(flow.level, x_.chance(50) ? Level::Simdgroup : Level::Threadgroup);
  }

  void declare(Body &body, const Flow &flow) {
    const Level level = someLevel(flow);
    const Variable v{newName("v"), x_.chance(25) ? x_.anySimdType() : x_.anyType(), level, x_.chance(70)};
    Expr value = x_.chance(35) && level == Level::Thread && takenBySimd(v.type)
                     ? x_.simd(v.type, flow, 1)
                     : x_.make(v.type, flow, level, 1 + x_.pick(3));
    body.push_back(
        {Kind::Plain, fmt::format("{} {} = $0;", v.type.name(), v.name), {std::move(value)}, {}, v.name});
    x_.variables.push_back(v);
  }

  void declareArray(Body &body, const Flow &flow) {
    const Level level = someLevel(flow);
    const Variable v{newName("a"), x_.anyType(), level, true, 2u << x_.pick(3)};
    Statement made{
        Kind::Plain, fmt::format("{} {}[{}] = {{", v.type.name(), v.name, v.elements), {}, {}, v.name};
    const uint32_t given = std::min(v.elements, 1 + x_.pick(4));
    for (uint32_t i = 0; i < given; ++i) {
      made.text += fmt::format("{}${}", i ? ", " : "", i);
      made.operands.push_back(x_.make(v.type, flow, level, x_.pick(2)));
    }
    made.text += "};";
    body.push_back(std::move(made));
    x_.variables.push_back(v);
  }

  void assign(Body &body, const Flow &flow) {
    std::vector<const Variable *> found;
    for (const Variable &v : x_.variables)
      if (v.assignable && v.level <= flow.level)
        found.push_back(&v);
    if (found.empty())
      return declare(body, flow);
    const Variable v = *found[x_.pick(uint32_t(found.size()))];
    Statement made{Kind::Plain, v.name, {}, {}, {}, v.name};
    Type type = v.type;
    if (v.elements) {
      made.text += fmt::format("[$0 & {}u]", v.elements - 1);
      made.operands.push_back(x_.make(kUint, flow, v.level, x_.pick(3)));
    } else if (type.width > 1 && x_.chance(40)) {
      if (x_.chance(40)) { // some components in any order
        std::string letters = std::string("xyzw").substr(0, type.width);
        for (uint32_t i = type.width - 1; i > 0; --i)
          std::swap(letters[i], letters[x_.pick(i + 1)]);
        type = type.of(2 + x_.pick(type.width - 1));
        made.text += "." + letters.substr(0, type.width);
      } else if (type = type.of(1); x_.chance(40) && !program_.sameWithoutOptimisation) {
        made.text += fmt::format("[$0 % {}u]", v.type.width);
        made.operands.push_back(x_.make(kUint, flow, v.level, x_.pick(2)));
      } else {
        made.text += fmt::format(".{}", "xyzw"[x_.pick(v.type.width)]);
      }
    }
    const size_t value = made.operands.size();
    if (x_.chance(35) && type.isInteger() && !v.elements) {
      static constexpr const char *kForms[] = {"+", "-", "*", "^", "|", "&", "/", "%", "<<", ">>"};
      made.text += fmt::format(" {}= ${};", kForms[x_.pick(std::size(kForms))], value);
    } else if (x_.chance(35) && type.isFloat() && !v.elements) {
      made.text += fmt::format(" {}= ${};", "+-*"[x_.pick(3)], value);
    } else {
      made.text += fmt::format(" = ${};", value);
    }
    made.operands.push_back(x_.make(type, flow, v.level, 1 + x_.pick(3)));
    body.push_back(std::move(made));
  }

  void access(Body &body, const Flow &flow) {
    if (x_.chance(40)) {
      body.push_back(accesses_.store(newName("s"), flow));
      return;
    }
    Variable v{newName("v"), {}, Level::Thread, x_.chance(70)};
    body.push_back(accesses_.load(v.name, v.type, flow, !apart_));
    x_.variables.push_back(v);
  }

  // ---- control flow ----

  // Runs `make` with what is declared in it out of sight afterwards.
  template <class Make> Body inside(Make make) {
    Body body;
    const std::vector<Variable> before = x_.variables;
    make(body);
    // Half of what was computed inside is seen, or nobody would notice that it is wrong.
    for (size_t i = before.size(); i < x_.variables.size(); ++i)
      if (!hidden_ && x_.chance(50) && !leaves(body))
        body.push_back(put(readOf(x_.variables[i])));
    x_.variables = before;
    return body;
  }
  static bool leaves(const Body &body) {
    return !body.empty() && (body.back().kind == Kind::Break || body.back().kind == Kind::Continue ||
                             body.back().text.find("return") == 0);
  }

  Level conditionLevel(const Flow &flow) {
    if (flow.inHelper || x_.chance(65))
      return Level::Thread;
    return x_.chance(50) ? Level::Simdgroup : Level::Threadgroup;
  }

  void branch(Body &body, Flow flow) {
    const Level level = conditionLevel(flow);
    Expr condition = x_.condition(flow, level);
    flow.level = std::min(flow.level, level);
    Statement made{Kind::Plain, "if ($0) #0", {std::move(condition)}};
    made.bodies.push_back(inside([&](Body &b) { statements(b, flow, 4); }));
    if (x_.chance(50)) {
      made.text += " else #1";
      made.bodies.push_back(inside([&](Body &b) { statements(b, flow, 4); }));
    }
    body.push_back(std::move(made));
  }

  void loop(Body &body, Flow flow) {
    const Level level = conditionLevel(flow);
    const std::string i = newName("i");
    const bool divergesInside = x_.chance(40);
    Expr bound = level == Level::Thread && x_.chance(60) ? Expr{kUint,
                                                                flow.inHelper   ? "lane"
                                                                : x_.chance(50) ? "lane"
                                                                                : "index",
                                                                {},
                                                                {},
                                                                false}
                                                         : x_.make(kUint, flow, level, 1 + x_.pick(2));
    const uint32_t most = 2 + x_.pick(flow.loops ? 3 : 6);
    Flow around = flow;
    flow.level = std::min(flow.level, divergesInside ? Level::Thread : level);
    flow.breakLevel = flow.continueLevel = flow.level;
    ++flow.loops;
    // The second half of a condition is computed in every iteration, by the lanes that are still there.
    const auto more = [&](const char *text) -> std::string { return x_.chance(30) ? text : ""; };
    Statement made{Kind::Loop, "", {std::move(bound)}, {}, i};
    const uint32_t form = x_.pick(5);
    const std::string limit = fmt::format("min($0, {}u)", most);
    const std::string extra = form == 4 ? "" : more(" && $1");
    if (!extra.empty()) {
      Flow inCondition = flow;
      inCondition.level = std::min(around.level, level);
      // What differs between lanes lets them leave in different iterations.
      const Level own = flow.level;
      made.operands.push_back(x_.condition(inCondition, own));
    }
    if (form < 2)
      made.text = fmt::format("for (uint {0} = 0; {0} < {1}{2}; ++{0}) #0", i, limit, extra);
    else if (form == 2)
      made.text = fmt::format("{{ uint {0} = 0;\nwhile ({0}++ < {1}{2}) #0 }}", i, limit, extra);
    else if (form == 3)
      made.text = fmt::format("{{ uint {0} = 0;\ndo #0 while (++{0} < {1}{2}); }}", i, limit, extra);
    else
      made.text = fmt::format("for (uint {0} = 0;; ++{0}) {{\nif ({0} >= {1}) break;\n#0 }}", i, limit);
    made.bodies.push_back(inside([&](Body &b) {
      x_.variables.push_back({i, kUint, flow.level, false, 0, true});
      statements(b, flow, 5);
    }));
    body.push_back(std::move(made));
  }

  void select(Body &body, Flow flow) {
    const Level level = conditionLevel(flow);
    Expr value = x_.make(kUint, flow, level, 1 + x_.pick(2));
    flow.level = std::min(flow.level, level);
    if (x_.chance(50) && !flow.inHelper)
      flow.level = std::min(flow.level, Level::Thread); // so that a break may differ
    flow.breakLevel = flow.level;
    const uint32_t cases = 2 + x_.pick(3);
    Statement made{Kind::Switch, "switch ($0 & 3u) {\n", {std::move(value)}};
    for (uint32_t i = 0; i < cases; ++i) {
      const bool last = i + 1 == cases;
      made.text +=
          last && x_.chance(60)
              ? "default: "
              : fmt::format("case {}: ",
                            i == 0 && x_.chance(30)
                                ? "1: case 0"
                                : std::to_string(i == 1 && made.text.find("case 1") != std::string::npos ? 3
                                                 : i == 3                                                ? 5
                                                          : i));
      made.text += fmt::format("#{}", i);
      made.text += x_.chance(60) ? " break;\n" : "\n"; // else it falls through
      made.bodies.push_back(inside([&](Body &b) { statements(b, flow, 3); }));
    }
    made.text += "}";
    body.push_back(std::move(made));
  }

  void leave(Body &body, const Flow &flow) {
    std::vector<Kind> possible;
    if (flow.breakLevel && flow.level >= *flow.breakLevel)
      possible.push_back(Kind::Break);
    if (flow.continueLevel && flow.level >= *flow.continueLevel)
      possible.push_back(Kind::Continue);
    if (possible.empty())
      return assign(body, flow);
    const Kind kind = possible[x_.pick(uint32_t(possible.size()))];
    const Level level = kind == Kind::Break ? *flow.breakLevel : *flow.continueLevel;
    Statement made{Kind::Plain, "if ($0) #0", {x_.condition(flow, level)}, {{}}};
    if (x_.chance(50)) { // the lanes that leave do something together
      Flow leaving = flow;
      leaving.level = std::min(flow.level, level);
      made.bodies[0] = inside([&](Body &b) { statements(b, leaving, 2); });
    }
    made.bodies[0].push_back({kind, kind == Kind::Break ? "break;" : "continue;"});
    body.push_back(std::move(made));
  }

  void returnEarly(Body &body, Flow &flow) {
    Statement made{Kind::Plain, "if ($0) #0", {x_.condition(flow, Level::Thread)}, {{}}};
    if (flow.inHelper) {
      made.bodies[0].push_back({Kind::Plain, "return $0;", {x_.any(result_, flow)}});
    } else {
      made.bodies[0].push_back(put(x_.any(x_.anyType(), flow)));
      made.bodies[0].push_back({Kind::Plain, "return;"});
      someEnded_ = true;
    }
    body.push_back(std::move(made));
  }

  // ---- between threads ----

  void exchange(Body &body, Flow flow) {
    const bool group = flow.level == Level::Threadgroup && !flow.readsLanes && x_.chance(65);
    (group ? flow.readsShared : flow.readsLanes) = true;
    flow.breakLevel = flow.continueLevel = std::nullopt; // nobody may miss the barrier at the end
    const char *array = group ? "shared_" : "lanes_",
               *barrier = group ? "threadgroup_barrier" : "simdgroup_barrier";
    Statement made{Kind::Exchange,
                   fmt::format("{{ {0}[index] = $0;\n{1}(mem_flags::mem_threadgroup);\n#0\n"
                               "{1}(mem_flags::mem_threadgroup); }}",
                               array, barrier),
                   {x_.any(program_.sharedType, before(flow))}};
    made.bodies.push_back(inside([&](Body &b) { statements(b, flow, 4); }));
    body.push_back(std::move(made));
  }
  // As exchange, with barriers of their own for the lanes on each side of a branch.
  void exchangeApart(Body &body, Flow flow) {
    Expr condition = x_.condition(before(flow), Level::Thread);
    Expr first = x_.any(program_.sharedType, before(flow)),
         second = x_.any(program_.sharedType, before(flow));
    flow.readsShared = true;
    flow.level = Level::Thread;
    flow.breakLevel = flow.continueLevel = std::nullopt; // nobody may miss a barrier
    const std::string barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);\n";
    Statement made{Kind::Exchange,
                   "if ($0) { shared_[index] = $1;\n" + barrier + "#0\n" + barrier +
                       "} else { shared_[index] = $2;\n" + barrier + "#1\n" + barrier + "}",
                   {std::move(condition), std::move(first), std::move(second)}};
    for (int side = 0; side < 2; ++side)
      made.bodies.push_back(inside([&](Body &b) { statements(b, flow, 3); }));
    body.push_back(std::move(made));
  }
  void tree(Body &body, const Flow &flow) {
    const Variable v{newName("v"), program_.sharedType, Level::Threadgroup, x_.chance(70)};
    body.push_back(textbook_.tree(v.name, before(flow)));
    x_.variables.push_back(v);
  }
  void tiles(Body &body, const Flow &flow) {
    Variable v{newName("v"), {}, Level::Thread, x_.chance(70)};
    body.push_back(textbook_.tiles(v.name, v.type, before(flow)));
    x_.variables.push_back(v);
  }
  static Flow before(Flow flow) {
    flow.readsShared = flow.readsLanes = false;
    return flow;
  }

  void count(Body &body, const Flow &flow) {
    static constexpr const char *kForms[] = {"add", "and", "or", "xor", "min", "max"};
    const uint32_t form = x_.pick(std::size(kForms));
    const bool local = x_.chance(30) && !flow.inHelper && !apart_;
    body.push_back({Kind::Plain,
                    fmt::format("atomic_fetch_{}_explicit(&{}[{} + ($0 & 1u)], $1, memory_order_relaxed);",
                                kForms[form], local ? "totals_" : "counters", 2 * form),
                    {x_.any(kUint, flow), x_.any(kUint, flow)}});
  }

  // Atomic operations whose order shows, on memory of the simdgroup.
  void inOrder(Body &body, const Flow &flow) {
    static constexpr const char *kForms[] = {"add", "sub", "and", "or", "xor", "min", "max"};
    const bool real = x_.chance(30), local = !real && x_.chance(40) && !apart_;
    const Type type = real ? Type{ScalarType::Float, 1} : kUint;
    const std::string place = fmt::format("({} + ($0 & 3u))", real    ? "(device atomic_float *)own_ + 4"
                                                              : local ? "near_"
                                                                      : "own_");
    const uint32_t form = x_.pick(10);
    const auto fetch = [&](const char *name) {
      return fmt::format("atomic_{}_explicit({}, $1, memory_order_relaxed)", name, place);
    };
    const std::string change =
        fetch(form == 0 ? "exchange" : fmt::format("fetch_{}", kForms[x_.pick(real ? 2 : 7)]).c_str());
    Statement made{Kind::Plain, "", {x_.make(kUint, flow, Level::Thread, x_.pick(2)), x_.any(type, flow)}};
    if (form == 7) {
      made.text = fetch("store") + ";";
    } else if (form == 8) {
      const std::string expected = newName("e");
      made.text =
          fmt::format("{{ {0} {1} = {0}($2);\nconst bool same = atomic_compare_exchange_weak_explicit("
                      "{2}, &{1}, $1, memory_order_relaxed, memory_order_relaxed);\n"
                      "put(OWN({3}), uint2(as_type<uint>({1}), uint(same))); }}",
                      type.name(), expected, place, nextSlot());
      made.operands.push_back(x_.chance(50) ? literalOf(type, false) : x_.any(type, flow));
    } else if (form == 6) {
      made.text = change + ";"; // nobody asks what it was
    } else {
      const std::string value =
          form == 9 ? fmt::format("atomic_load_explicit({}, memory_order_relaxed)", place) : change;
      if (x_.chance(50)) {
        made.text = fmt::format("put(OWN({}), {});", nextSlot(), value);
      } else {
        const Variable v{newName("v"), type, Level::Thread, x_.chance(70)};
        made.text = fmt::format("{} {} = {};", type.name(), v.name, value);
        made.declares = v.name;
        x_.variables.push_back(v);
      }
    }
    body.push_back(std::move(made));
  }

  void multiply(Body &body, const Flow &flow) {
    const char *type = std::array{"float", "half", "bfloat", "float"}[x_.pick(4)];
    const std::string name = newName("m");
    const Level level = Level::Threadgroup;
    Statement made{
        Kind::Plain,
        fmt::format("{{ simdgroup_matrix<{0}, 8, 8> {1}a, {1}b, {1}c(({0})2);\n"
                    "simdgroup_load({1}a, (const device {0} *)in + ($0 & 15u), 8);\n"
                    "simdgroup_load({1}b, (const device {0} *)in + 64 + ($1 & 31u), 8, ulong2(0), {2});\n"
                    "{3}\n"
                    "put(OWN({4}), {1}c.thread_elements()[0]);\n"
                    "put(OWN({5}), {1}c.thread_elements()[1]);{6} }}",
                    type, name, x_.chance(50),
                    x_.chance(50)
                        ? fmt::format("simdgroup_multiply({0}c, {0}a, {0}b);", name)
                        : fmt::format("simdgroup_multiply_accumulate({0}c, {0}a, {0}b, {0}c);", name),
                    nextSlot_, nextSlot_ + 1, x_.chance(50) ? accesses_.storeMatrix(name + "c", type) : ""),
        {x_.make(kUint, flow, level, 1), x_.make(kUint, flow, level, 1)}};
    nextSlot_ += 2;
    body.push_back(std::move(made));
  }

  void aggregate(Body &body, const Flow &flow) {
    Variable v{newName("v"), {}, Level::Thread, x_.chance(70)};
    const std::string local = newName("x");
    body.push_back(x_.chance(50) ? aggregates_.matrix(v.name, local, v.type, flow)
                                 : aggregates_.structures(v.name, local, v.type, flow));
    x_.variables.push_back(v);
  }

  void byReference(Body &body, const Flow &flow) {
    std::vector<const Variable *> found;
    for (const Variable &v : x_.variables)
      if (v.assignable && v.level == Level::Thread)
        found.push_back(&v);
    if (found.empty())
      return assign(body, flow);
    const Variable chosen = *found[x_.pick(uint32_t(found.size()))];
    body.push_back(aggregates_.byReference(chosen, flow, nextSlot()));
  }

  // ---- sequences ----

  void statements(Body &body, Flow &flow, uint32_t most) {
    const uint32_t count = most > 10 ? most : 1 + x_.pick(most);
    for (uint32_t i = 0; i < count && budget_ > 0; ++i) {
      --budget_;
      flow.maySkip = someEnded_;
      statement(body, flow);
    }
  }
  void statements(Body &body, const Flow &flow, uint32_t most) {
    Flow own = flow;
    statements(body, own, most);
  }

  void statement(Body &body, Flow &flow) {
    const uint32_t kind = x_.pick(100);
    const bool nests = flow.loops < kMostLoops && depth_ < 6;
    ++depth_;
    if (ordered_ && !flow.inHelper && x_.chance(14))
      inOrder(body, flow);
    else if (!flow.inHelper && x_.chance(accessing_))
      access(body, flow);
    else if (x_.chance(shaped_))
      x_.chance(50) && !flow.inHelper ? byReference(body, flow) : aggregate(body, flow);
    else if (kind < 14)
      declare(body, flow);
    else if (kind < 36)
      assign(body, flow);
    else if (kind < 41)
      declareArray(body, flow);
    else if (kind < 48 && !flow.inHelper)
      body.push_back(put(x_.any(x_.anyType(), flow)));
    else if (kind < 61 && nests)
      branch(body, flow);
    else if (kind < 73 && nests)
      loop(body, flow);
    else if (kind < 78 && nests)
      select(body, flow);
    else if (kind < 86)
      leave(body, flow);
    else if (kind < 89 && (flow.inHelper || flow.loops == 0 || x_.chance(50)))
      returnEarly(body, flow);
    else if (kind < 94 && !flow.inHelper && flow.level >= Level::Simdgroup && !flow.readsShared &&
             !flow.readsLanes && !apart_)
      flow.level == Level::Threadgroup &&x_.chance(30) ? exchangeApart(body, flow) : exchange(body, flow);
    else if (kind < 95 && !flow.inHelper && flow.level == Level::Threadgroup && !flow.readsShared &&
             !flow.readsLanes && !apart_ && !flow.loops && !someEnded_ && x_.chance(70))
      x_.chance(50) ? tree(body, flow) : tiles(body, flow);
    else if (kind < 95)
      body.push_back({Kind::Plain, "simdgroup_barrier(mem_flags::mem_none);"});
    else if (kind < 98 && !flow.inHelper)
      this->count(body, flow);
    else if (!flow.inHelper && flow.level >= Level::Simdgroup && wholeSimdgroups_ && !someEnded_ &&
             !flow.loops && nextSlot_ < 40)
      multiply(body, flow);
    else
      assign(body, flow);
    --depth_;
  }

  void helper(uint32_t number) {
    Helper made{fmt::format("f{}", number), x_.anyType(), {}, {}, {}};
    x_.variables.clear();
    for (uint32_t i = 1 + x_.pick(3); i > 0; --i) {
      made.parameters.push_back({x_.anyType(), newName("p")});
      x_.variables.push_back({made.parameters.back().second, made.parameters.back().first});
    }
    Flow flow;
    flow.level = Level::Thread;
    flow.inHelper = flow.maySkip = true;
    result_ = made.result;
    budget_ = 3 + x_.pick(8);
    hidden_ = true;
    statements(made.body, flow, 6);
    hidden_ = false;
    made.value = x_.any(made.result, flow);
    program_.helpers.push_back(std::move(made));
  }

  Program program_;
  Expressions x_;
  Accesses accesses_;
  Aggregates aggregates_;
  Textbook textbook_;
  Type result_;
  uint32_t names_ = 0, nextSlot_ = 0, depth_ = 0;
  int budget_ = 0;
  // Of a hundred statements, so many load or store as Accesses does, and have matrices or references.
  uint32_t accessing_ = 0, shaped_ = 0;
  const bool apart_; ///< no threadgroup memory, and so no threadgroup barrier
  bool wholeSimdgroups_ = false, someEnded_ = false, hidden_ = false, ordered_ = false;
};

} // namespace

Program generate(uint64_t seed) {
  return Generator(seed).program();
}

} // namespace assay::engines
