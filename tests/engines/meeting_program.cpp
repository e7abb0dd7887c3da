// See meeting_program.h.
#include "meeting_program.h"

#include <fmt/format.h>

#include <random>
#include <utility>

namespace assay::meetings {
namespace {

struct Generator {
  std::mt19937_64 random;
  uint32_t notes = 0, budget = 26;

  uint32_t below(uint32_t n) { return uint32_t(random() % n); }

  LaneValue value(uint32_t modulus) {
    // One in four is the same for all lanes.
    return {below(4) == 0 ? 0 : 1 + below(6), below(3), below(7), modulus};
  }

  Statement note() {
    Statement made{.kind = StatementKind::Note, .number = ++notes, .sums = below(2) == 0};
    made.loads = below(2) == 0;
    return made;
  }

  std::vector<Statement> block(unsigned depth, bool inLoop, bool inSwitch) {
    std::vector<Statement> statements;
    for (uint32_t left = 1 + below(3); left; --left) {
      if (below(3) == 0)
        statements.push_back(note());
      statements.push_back(depth < 4 && budget ? statement(depth, inLoop, inSwitch) : note());
    }
    return statements;
  }

  // Both ways of a branch end with a loop, and nothing comes after it: lanes that leave one are gone.
  Statement ending() {
    const auto loop = [&] {
      Statement made{.kind = below(2) == 0 ? StatementKind::For : StatementKind::While};
      made.value = {below(2) == 0 ? 0 : 1 + below(4), 0, 1 + below(2), 4};
      made.body.push_back(note());
      if (below(3) == 0)
        made.body.push_back(leave(true, false));
      return made;
    };
    Statement made{.kind = StatementKind::If, .value = {1 + below(6), 0, below(7), 2 + below(2)}};
    made.body.push_back(loop());
    made.otherwise.push_back(loop());
    return made;
  }

  // An `if` whose body leaves.
  Statement leave(bool inLoop, bool inSwitch) {
    Statement choice{.kind = StatementKind::If, .value = value(2 + below(4))};
    choice.value.modulus = std::max(choice.value.modulus, 3u);
    if (below(2) == 0)
      choice.body.push_back(note());
    const uint32_t kind = below(8);
    choice.body.push_back({.kind = inLoop && kind < 3                 ? StatementKind::Continue
                                   : (inLoop || inSwitch) && kind < 7 ? StatementKind::Break
                                                                      : StatementKind::Return});
    // Few lanes, so that some are left.
    Statement few{.kind = StatementKind::If, .value = {1, 1, below(5), 5}};
    few.otherwise.push_back(std::move(choice));
    return few;
  }

  Statement statement(unsigned depth, bool inLoop, bool inSwitch) {
    --budget;
    Statement made;
    switch (below(10)) {
    case 0:
    case 1:
      made = {.kind = StatementKind::If, .value = value(2)};
      made.body = block(depth + 1, inLoop, inSwitch);
      if (below(2) == 0)
        made.otherwise = block(depth + 1, inLoop, inSwitch);
      break;
    case 2:
      made = {.kind = StatementKind::Switch, .value = value(4)};
      for (uint32_t i = 0, count = 2 + below(2); i < count; ++i) {
        made.cases.push_back(block(depth + 1, inLoop, true));
        if (below(3) != 0)
          made.cases.back().push_back({.kind = StatementKind::Break});
      }
      break;
    case 3:
    case 4: return leave(inLoop, inSwitch);
    case 5:
      made = {.kind = StatementKind::Call};
      made.body = block(depth + 1, false, false);
      break;
    default:
      made = {.kind = std::array{StatementKind::For, StatementKind::While, StatementKind::DoWhile,
                                 StatementKind::Forever}[below(4)],
              .value = value(1 + below(4))};
      made.body = block(depth + 1, true, false);
    }
    made.local = below(2) == 0;
    return made;
  }
};

struct Writer {
  std::string name; ///< of the kernel
  std::string text = {}, functions = {};
  unsigned indent = 1, variables = 0, depth = 0, calls = 0;
  bool inFunction = false;

  void line(const std::string &content) { text += std::string(2 * indent, ' ') + content + "\n"; }

  std::string counter() const { return depth ? fmt::format("i{}", depth) : "0u"; }
  std::string write(const LaneValue &value) const {
    return fmt::format("((lane * {}u + {} * {}u + {}u) % {}u)", value.factor, counter(), value.step,
                       value.salt, value.modulus);
  }

  // A variable whose scope ends wherever the block is left.
  void block(const std::vector<Statement> &statements, bool local) {
    ++indent;
    const unsigned variable = ++variables;
    if (local)
      line(fmt::format("uint v{} = n + lane;", variable));
    for (const Statement &statement : statements)
      write(statement);
    const bool leaves = !statements.empty() && (statements.back().kind == StatementKind::Break ||
                                                statements.back().kind == StatementKind::Continue ||
                                                statements.back().kind == StatementKind::Return);
    if (local && !leaves)
      line(fmt::format("out[1 + {}u] = last ^= v{};", 2 * kMostNotes, variable));
    --indent;
  }

  void loop(const Statement &loop) {
    const std::string most = write(loop.value);
    const std::string i = fmt::format("i{}", ++depth);
    line("{");
    ++indent;
    switch (loop.kind) {
    case StatementKind::For:
      line(fmt::format("const uint most{0} = {1} + 1u;", i, most));
      line(fmt::format("for (uint {0} = 0; {0} < most{0}; ++{0}) {{", i));
      break;
    case StatementKind::While:
      line(fmt::format("uint {0} = 0, most{0} = {1} + 1u;", i, most));
      line(fmt::format("while ({0}++ < most{0}) {{", i));
      break;
    case StatementKind::DoWhile:
      line(fmt::format("uint {0} = 0, most{0} = {1} + 1u;", i, most));
      line("do {");
      break;
    default:
      line(fmt::format("uint {0} = 0, most{0} = {1} + 1u;", i, most));
      line("while (true) {");
      line(fmt::format("  if (++{0} > most{0}) break;", i));
    }
    block(loop.body, loop.local);
    line(loop.kind == StatementKind::DoWhile ? fmt::format("}} while (++{0} < most{0});", i) : "}");
    --indent;
    line("}");
    --depth;
  }

  // The function is written before the kernel, and calls those that are written before it.
  void call(const Statement &call) {
    const std::string function = fmt::format("{}_{}", name, ++calls);
    Writer inside{.name = name, .variables = variables, .calls = calls, .inFunction = true};
    inside.block(call.body, call.local);
    functions += inside.functions;
    functions += fmt::format("static void {}(device uint *out, device const uint *in, thread uint &n,\n"
                             "                thread uint &last, uint lane) {{\n"
                             "{}}}\n",
                             function, inside.text);
    variables = inside.variables;
    calls = inside.calls;
    line(fmt::format("{}(out, in, n, last, lane);", function));
  }

  void write(const Statement &statement) {
    switch (statement.kind) {
    case StatementKind::Call: return call(statement);
    case StatementKind::Note:
      return line(fmt::format(
          "note(out, n, {}u{}, {});", statement.number,
          statement.loads ? fmt::format(" + in[(lane * 5u + {} * 3u) % {}u]", counter(), kInputWords) : "",
          statement.sums ? "simd_sum(1u << lane)" : "uint(ulong(simd_ballot(true)))"));
    case StatementKind::Break: return line("break;");
    case StatementKind::Continue: return line("continue;");
    case StatementKind::Return: return line("return;");
    case StatementKind::If:
      line(fmt::format("if ({} != 0u) {{", write(statement.value)));
      block(statement.body, statement.local);
      if (!statement.otherwise.empty()) {
        line("} else {");
        block(statement.otherwise, statement.local);
      }
      return line("}");
    case StatementKind::Switch:
      line(fmt::format("switch ({}) {{", write(statement.value)));
      for (size_t i = 0; i < statement.cases.size(); ++i) {
        line(i + 1 < statement.cases.size() ? fmt::format("case {}: {{", i) : "default: {");
        block(statement.cases[i], statement.local);
        line("}");
      }
      return line("}");
    default: return loop(statement);
    }
  }
};

// All lanes at once, by masks.
struct Interpreter {
  Notes notes = {};
  struct Left {
    uint32_t broke = 0, continued = 0;
  };
  uint32_t returned = 0; ///< from the function that is being called
  using Counters = std::array<uint32_t, kMeetingLanes>;
  std::vector<Counters> counters{Counters{}};

  uint32_t where(uint32_t mask, const auto &condition) const {
    uint32_t found = 0;
    for (uint32_t lane = 0; lane < kMeetingLanes; ++lane)
      if (mask >> lane & 1 && condition(lane))
        found |= 1u << lane;
    return found;
  }
  uint32_t valueOf(const LaneValue &value, uint32_t lane) const {
    return value.of(lane, counters.back()[lane]);
  }

  uint32_t run(const std::vector<Statement> &statements, uint32_t mask, Left *loop, Left *around) {
    for (const Statement &statement : statements)
      if (mask)
        mask = run(statement, mask, loop, around);
    return mask;
  }

  // Lanes that go on after it. `loop` is what `continue` is for, `around` what `break` is for.
  uint32_t run(const Statement &statement, uint32_t mask, Left *loop, Left *around) {
    switch (statement.kind) {
    case StatementKind::Note:
      where(mask, [&](uint32_t lane) {
        const uint32_t loaded = statement.loads ? inputWord(lane * 5 + counters.back()[lane] * 3) : 0;
        if (notes[lane].size() < 2 * kMostNotes)
          notes[lane].insert(notes[lane].end(), {statement.number + loaded, mask});
        return false;
      });
      return mask;
    case StatementKind::Break: around->broke |= mask; return 0;
    case StatementKind::Continue: loop->continued |= mask; return 0;
    case StatementKind::Return: returned |= mask; return 0;
    case StatementKind::Call: {
      const uint32_t before = std::exchange(returned, 0);
      counters.emplace_back();
      const uint32_t after = run(statement.body, mask, nullptr, nullptr);
      counters.pop_back();
      return after | std::exchange(returned, before);
    }
    case StatementKind::If: {
      const uint32_t yes = where(mask, [&](uint32_t lane) { return valueOf(statement.value, lane) != 0; });
      const uint32_t after = run(statement.body, yes, loop, around);
      return after | run(statement.otherwise, mask & ~yes, loop, around);
    }
    case StatementKind::Switch: {
      Left left;
      uint32_t through = 0, rest = mask;
      for (size_t i = 0; i < statement.cases.size(); ++i) {
        const bool isDefault = i + 1 == statement.cases.size();
        const auto isHere = [&](uint32_t lane) { return isDefault || valueOf(statement.value, lane) == i; };
        const uint32_t here = where(rest, isHere);
        rest &= ~here;
        through = run(statement.cases[i], through | here, loop, &left);
      }
      return through | left.broke;
    }
    default: return runLoop(statement, mask);
    }
  }

  uint32_t runLoop(const Statement &statement, uint32_t mask) {
    Counters most = {};
    for (uint32_t lane = 0; lane < kMeetingLanes; ++lane)
      most[lane] = valueOf(statement.value, lane) + 1;
    counters.emplace_back();
    const auto at = [&](uint32_t lane) -> uint32_t & { return counters.back()[lane]; };
    const auto goesOn = [&](uint32_t lane) {
      switch (statement.kind) {
      case StatementKind::For: return at(lane) < most[lane];
      case StatementKind::Forever: return ++at(lane) <= most[lane];
      case StatementKind::While: return at(lane)++ < most[lane];
      default: return ++at(lane) < most[lane];
      }
    };
    uint32_t after = 0, active = mask;
    const bool asksFirst = statement.kind != StatementKind::DoWhile;
    const auto ask = [&] {
      const uint32_t on = where(active, goesOn);
      after |= active & ~on;
      active = on;
    };
    if (asksFirst)
      ask();
    while (active) {
      Left left;
      active = run(statement.body, active, &left, &left) | left.continued;
      after |= left.broke;
      if (statement.kind == StatementKind::For)
        where(active, [&](uint32_t lane) { return ++at(lane), false; });
      ask();
    }
    counters.pop_back();
    return after;
  }
};

} // namespace

MeetingProgram generateMeetings(uint64_t seed) {
  Generator generator{std::mt19937_64(seed)};
  MeetingProgram program;
  while (generator.notes < 4) {
    auto more = generator.block(0, false, false);
    program.body.insert(program.body.end(), more.begin(), more.end());
    generator.budget += 4;
  }
  program.body.push_back(generator.below(2) == 0 ? generator.note() : generator.ending());
  return program;
}

std::string metalOf(const MeetingProgram &program, const std::string &name) {
  Writer writer{.name = name};
  for (const Statement &statement : program.body)
    writer.write(statement);
  return writer.functions + fmt::format(R"(kernel void {}(device uint *all [[buffer(0)]],
                  device const uint *in [[buffer(1)]],
                  uint lane [[thread_index_in_simdgroup]]) {{
  device uint *out = all + lane * {}u;
  uint n = 0, last = 0;
{}}}
)",
                                        name, 2 * kMostNotes + 2, writer.text);
}

Notes notesOf(const MeetingProgram &program, uint32_t lanes) {
  Interpreter interpreter;
  interpreter.run(program.body, lanes == 32 ? ~0u : (1u << lanes) - 1, nullptr, nullptr);
  return std::move(interpreter.notes);
}

namespace {

using Block = std::vector<Statement>;

// Calls found() with the block as it is without a part, for each part in it.
void withoutParts(Block &block, const auto &found) {
  const auto inside = [&](Block &inner) { withoutParts(inner, found); };
  for (size_t i = 0; i < block.size(); ++i) {
    const Statement whole = block[i];
    block.erase(block.begin() + long(i));
    found();
    // What it holds stands in its place: a `break` or `continue` of it may then be nowhere.
    if (whole.kind == StatementKind::If || whole.kind == StatementKind::Call)
      for (const Block *part : {&whole.body, &whole.otherwise}) {
        block.insert(block.begin() + long(i), part->begin(), part->end());
        found();
        block.erase(block.begin() + long(i), block.begin() + long(i + part->size()));
      }
    block.insert(block.begin() + long(i), whole);
    if (whole.local) {
      block[i].local = false;
      found();
      block[i].local = true;
    }
    inside(block[i].body);
    inside(block[i].otherwise);
    for (Block &one : block[i].cases)
      inside(one);
  }
}

} // namespace

std::vector<MeetingProgram> smallerThan(const MeetingProgram &program) {
  std::vector<MeetingProgram> smaller;
  MeetingProgram changed = program;
  withoutParts(changed.body, [&] { smaller.push_back(changed); });
  return smaller;
}

} // namespace assay::meetings
