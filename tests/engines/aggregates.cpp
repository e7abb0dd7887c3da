// Random matrices and structures, and variables that functions take by reference.
#include "aggregates.h"

#include <fmt/format.h>

namespace assay::engines {
namespace {

constexpr Type kUint{ScalarType::UInt, 1};

// What is done with a matrix `m` of the columns.
enum class Use : uint8_t { TimesRow, TimesColumn, Column, ColumnOfTransposed, Element, WithItself, Count };

Type typeOf(Use use, Type column, Type row) {
  switch (use) {
  case Use::TimesColumn:
  case Use::ColumnOfTransposed: return row;
  case Use::Element: return column.of(1);
  default: return column;
  }
}

} // namespace

Statement Aggregates::matrix(const std::string &name, const std::string &local, Type &type,
                             const Flow &flow) {
  const uint32_t columns = 2 + x_.pick(3), rows = 2 + x_.pick(3);
  const Type column{x_.chance(70) ? ScalarType::Float : ScalarType::Half, rows}, row = column.of(columns);
  const std::string matrix = fmt::format("{}{}x{}", column.of(1).name(), columns, rows);
  const auto use = Use(x_.pick(uint32_t(Use::Count)));
  type = typeOf(use, column, row);
  Statement made{Statement::Kind::Plain, "", {}, {}, name};
  const auto operand = [&](Type wanted) {
    made.operands.push_back(x_.make(wanted, flow, Level::Thread, x_.pick(2)));
    return fmt::format("${}", made.operands.size() - 1);
  };
  const auto oneOf = [&](uint32_t count) { return fmt::format("{} % {}u", operand(kUint), count); };
  std::string parts;
  for (uint32_t i = 0; i < columns; ++i)
    parts += (i ? ", " : "") + operand(column);
  made.text = fmt::format("{0} {1};\n{{ {2} {3} = {2}({4});\n", type.name(), name, matrix, local, parts);
  if (x_.chance(40))
    made.text += fmt::format("if ({0}[0].x > 0) {0} = {0} * {1};\n", local, operand(column.of(1)));
  if (x_.chance(30)) {
    const std::string which = oneOf(columns);
    made.text += fmt::format("{}[{}] = {};\n", local, which, operand(column));
  }
  std::string value;
  switch (use) {
  case Use::TimesRow: value = fmt::format("{} * {}", local, operand(row)); break;
  case Use::TimesColumn: value = fmt::format("{} * {}", operand(column), local); break;
  case Use::Column: value = fmt::format("{}[{}]", local, oneOf(columns)); break;
  case Use::ColumnOfTransposed: value = fmt::format("transpose({})[{}]", local, oneOf(rows)); break;
  case Use::Element: value = fmt::format("{}[{}][{}]", local, oneOf(columns), x_.pick(rows)); break;
  default: value = fmt::format("{0} * transpose({0}) * {1}", local, operand(column));
  }
  made.text += fmt::format("{} = {}; }}", name, value);
  return made;
}

Statement Aggregates::structures(const std::string &name, const std::string &local, Type &type,
                                 const Flow &flow) {
  struct Member {
    const char *text; // with a place for an index
    Type type;
    uint32_t count;
  };
  static constexpr Member kMembers[] = {{"a[{} & 3u]", {ScalarType::Float, 1}, 4},
                                        {"b[{} & 7u]", {ScalarType::UChar, 1}, 8},
                                        {"h", {ScalarType::Half, 2}, 0},
                                        {"n", {ScalarType::UInt, 1}, 0},
                                        {"p[{} & 1u]", {ScalarType::Short, 3}, 2}};
  Statement made{Statement::Kind::Plain, "", {}, {}, name};
  const auto operand = [&](Type wanted) {
    made.operands.push_back(x_.make(wanted, flow, Level::Thread, x_.pick(2)));
    return fmt::format("${}", made.operands.size() - 1);
  };
  const auto place = [&](const Member &member) {
    const std::string whole = fmt::format("{}[{} & 1u].", local, operand(kUint));
    return whole + (member.count ? fmt::format(fmt::runtime(member.text), operand(kUint)) : member.text);
  };
  const auto oneOf = [&]() -> const Member & { return kMembers[x_.pick(uint32_t(std::size(kMembers)))]; };
  std::string text;
  for (uint32_t i = 1 + x_.pick(2); i > 0 && made.operands.size() < 6; --i) {
    const Member &member = oneOf();
    const std::string to = place(member);
    text += fmt::format("{} = {};\n", to, operand(member.type));
  }
  switch (x_.pick(4)) {
  case 0: text += fmt::format("{0}[{1} & 1u] = {0}[0];\n", local, operand(kUint)); break;
  case 1: text += fmt::format("{0}[1] = {0}[{1} & 1u];\n", local, operand(kUint)); break;
  case 2: text += fmt::format("((thread uchar *){0})[{1} & 63u] ^= 129;\n", local, operand(kUint)); break;
  default: break;
  }
  if (x_.chance(25)) { // one byte of all
    type = {ScalarType::UChar, 1};
    text += fmt::format("{} = ((thread uchar *){})[{} & 63u]; }}", name, local, operand(kUint));
  } else {
    const Member &member = oneOf();
    type = member.type;
    text += fmt::format("{} = {}({}); }}", name, type.name(), place(member));
  }
  made.text = fmt::format("{} {};\n{{ Mixed {}[2] = {{}};\n", type.name(), name, local) + text;
  return made;
}

Statement Aggregates::byReference(const Variable &variable, const Flow &flow, uint32_t slot) {
  Statement made{Statement::Kind::Plain, "", {x_.condition(flow, Level::Thread)}, {}, {}, variable.name};
  if (variable.elements) {
    made.operands.push_back(x_.make(kUint, flow, Level::Thread, 1));
    made.text = fmt::format("turned({}, {}u, $1, $0);", variable.name, variable.elements);
    return made;
  }
  const Type type = variable.type;
  made.operands.push_back(x_.make(type, flow, Level::Thread, 1));
  const std::string other =
      type.isBool() ? fmt::format("{}(other)", Type{ScalarType::UChar, type.width}.name()) : "other";
  made.text = fmt::format("{{ {} other = $1;\nswapIf({}, other, $0);\nput(OWN({}), {}); }}", type.name(),
                          variable.name, slot, other);
  return made;
}

} // namespace assay::engines
