// Random matrices, and variables that functions take by reference.
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
