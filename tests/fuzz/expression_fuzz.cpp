// The expressions of mapping files. Evaluation has no failure, and gives the same for the same.
#include "fuzz.h"

#include "cli/diff/expression.h"

#include <bit>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli::diff;

static int tryInput(const uint8_t *data, size_t size) {
  static const std::vector<std::string> names = {"q", "keys", "_x1"};
  const std::string_view text = textOf(data, size);
  const Result<Expression> expression = Expression::parse(text, names);
  if (!expression) {
    requireReason(expression.error());
    const uint32_t column = expression.error().diagnostics.front().where.column;
    require(column <= text.size() + 1, "an error is in the text, or at its end");
    return 0;
  }
  for (size_t name : expression->used())
    require(name < names.size(), "only known names are used");
  const std::vector<double> values = {3, -0.5, 1e300};
  const auto bits = [&] { return std::bit_cast<uint64_t>(expression->evaluate(values, 7)); };
  require(bits() == bits(), "an expression has one value");

  const Result<Expression> inBrackets = Expression::parse("(" + std::string(text) + ")", names);
  if (inBrackets)
    require(std::bit_cast<uint64_t>(inBrackets->evaluate(values, 7)) == bits(), "parentheses change nothing");
  return 0;
}

static const Parser parser("expression", tryInput);
