#include "expression.h"

#include "../../host/nearest.h"
#include "../../support/numbers/split_mix.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace assay::cli::diff {

// clang-format off
enum class Expression::Op : uint8_t {
  Number, Name, Negate, Not, Multiply, Divide, Remainder, Add, Subtract,
  Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual, And, Or, Choose,
  Floor, Ceil, Round, Abs, Sqrt, Rand, Min, Max, CeilDivide,
};
// clang-format on

/// Recursive descent, one function for each precedence level.
class ExpressionParser {
public:
  using Op = Expression::Op;
  struct Function {
    std::string_view name;
    Op op;
    int arguments;
  };
  static constexpr Function kFunctions[] = {
      {"floor", Op::Floor, 1}, {"ceil", Op::Ceil, 1}, {"round", Op::Round, 1},
      {"abs", Op::Abs, 1},     {"sqrt", Op::Sqrt, 1}, {"rand", Op::Rand, 1},
      {"min", Op::Min, 2},     {"max", Op::Max, 2},   {"cdiv", Op::CeilDivide, 2}};

  ExpressionParser(std::string_view text, const std::vector<std::string> &names)
      : text_(text), names_(names) {}

  Result<Expression> parse() {
    const size_t root = choice();
    skip();
    if (!error_ && at_ < text_.size())
      fail(at_, fmt::format("'{}' does not belong to an expression", text_.substr(at_, 8)));
    if (error_)
      return *error_;
    out_.root_ = root;
    return std::move(out_);
  }

private:
  static constexpr int kMaxDepth = 64;

  void fail(size_t at, std::string message, Rule rule = "expression", std::string hint = {}) {
    if (error_)
      return;
    error_ = Error::usage(rule, std::move(message), std::move(hint));
    error_->diagnostics.front().where.column = uint32_t(at + 1);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }
  size_t add(Op op, size_t a = 0, size_t b = 0, size_t c = 0) {
    out_.nodes_.push_back({op, 0, 0, {a, b, c}});
    return out_.nodes_.size() - 1;
  }

  size_t choice() {
    if (++depth_ > kMaxDepth) {
      fail(at_, fmt::format("more than {} levels of nesting", kMaxDepth));
      return add(Op::Number);
    }
    size_t node = either();
    if (!error_ && take("?")) {
      const size_t yes = choice();
      if (!error_ && !take(":"))
        fail(at_, "a '?' has no ':'");
      const size_t no = error_ ? 0 : choice();
      node = add(Op::Choose, node, yes, no);
    }
    --depth_;
    return node;
  }

  struct Binary {
    std::string_view token;
    Op op;
  };
  // `next` is the level with higher precedence; operators associate to the left.
  template <size_t N> size_t level(const Binary (&operators)[N], size_t (ExpressionParser::*next)()) {
    size_t node = (this->*next)();
    for (bool more = true; more && !error_;) {
      more = false;
      for (const Binary &binary : operators)
        if (take(binary.token)) {
          const size_t right = (this->*next)();
          node = add(binary.op, node, right);
          more = true;
          break;
        }
    }
    return node;
  }
  size_t either() {
    static constexpr Binary kOperators[] = {{"||", Op::Or}};
    return level(kOperators, &ExpressionParser::both);
  }
  size_t both() {
    static constexpr Binary kOperators[] = {{"&&", Op::And}};
    return level(kOperators, &ExpressionParser::comparison);
  }
  size_t comparison() {
    static constexpr Binary kOperators[] = {{"==", Op::Equal},     {"!=", Op::NotEqual},
                                            {"<=", Op::LessEqual}, {">=", Op::GreaterEqual},
                                            {"<", Op::Less},       {">", Op::Greater}};
    return level(kOperators, &ExpressionParser::sum);
  }
  size_t sum() {
    static constexpr Binary kOperators[] = {{"+", Op::Add}, {"-", Op::Subtract}};
    return level(kOperators, &ExpressionParser::product);
  }
  size_t product() {
    static constexpr Binary kOperators[] = {{"*", Op::Multiply}, {"/", Op::Divide}, {"%", Op::Remainder}};
    return level(kOperators, &ExpressionParser::unary);
  }
  size_t unary() {
    const bool negate = take("-");
    if (!negate && !take("!"))
      return primary();
    if (++depth_ > kMaxDepth) {
      fail(at_, fmt::format("more than {} levels of nesting", kMaxDepth));
      return 0;
    }
    const size_t node = add(negate ? Op::Negate : Op::Not, unary());
    --depth_;
    return node;
  }

  size_t primary() {
    skip();
    if (error_)
      return 0;
    if (at_ == text_.size()) {
      fail(at_, text_.empty() ? "the expression is empty"
                              : "the expression ends where a number or a name is needed");
      return 0;
    }
    if (take("(")) {
      const size_t node = choice();
      if (!error_ && !take(")"))
        fail(at_, "a '(' has no ')'");
      return node;
    }
    const unsigned char first = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(first) || first == '.')
      return number();
    if (std::isalpha(first) || first == '_')
      return word();
    fail(at_, fmt::format("'{}' is neither a number nor a name", text_.substr(at_, 1)));
    return 0;
  }

  size_t number() {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    double value = 0;
    const char *stop = nullptr;
    std::errc error{};
    if (text_.substr(at_).starts_with("0x")) {
      uint64_t whole = 0;
      const auto parsed = std::from_chars(begin + 2, end, whole, 16);
      stop = parsed.ptr, error = parsed.ec, value = double(whole);
    } else {
      const auto parsed = std::from_chars(begin, end, value);
      stop = parsed.ptr, error = parsed.ec;
    }
    if (error != std::errc()) {
      fail(at_, fmt::format("'{}' is not a number", text_.substr(at_, 8)));
      return 0;
    }
    at_ = size_t(stop - text_.data());
    const size_t node = add(Op::Number);
    out_.nodes_[node].number = value;
    return node;
  }

  size_t word() {
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name == "inf" || name == "nan") {
      const size_t node = add(Op::Number);
      out_.nodes_[node].number =
          name == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
      return node;
    }
    for (const Function &function : kFunctions)
      if (function.name == name)
        return call(function, start);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      std::vector<std::string> known = names_;
      for (const Function &function : kFunctions)
        known.emplace_back(function.name);
      const std::string nearest = nearestName(name, known);
      std::string list;
      for (const std::string &one : names_)
        list += (list.empty() ? "" : ", ") + one;
      fail(start, fmt::format("no size '{}'", name), "unknown-size",
           !nearest.empty() ? fmt::format("did you mean '{}'?", nearest)
           : list.empty()   ? "sizes stand in [sizes]"
                            : "sizes: " + list);
      return 0;
    }
    const size_t node = add(Op::Name), index = size_t(found - names_.begin());
    out_.nodes_[node].name = index;
    if (std::find(out_.used_.begin(), out_.used_.end(), index) == out_.used_.end())
      out_.used_.push_back(index);
    return node;
  }

  size_t call(const Function &function, size_t start) {
    size_t arguments[2] = {0, 0};
    bool ok = take("(");
    for (int i = 0; ok && !error_ && i < function.arguments; ++i) {
      if (i)
        ok = take(",");
      if (ok)
        arguments[i] = choice();
    }
    if (!error_ && (!ok || !take(")")))
      fail(start, fmt::format("{} takes {} argument{} in parentheses", function.name, function.arguments,
                              function.arguments == 1 ? "" : "s"));
    return add(function.op, arguments[0], arguments[1]);
  }

  std::string_view text_;
  const std::vector<std::string> &names_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<Error> error_;
  Expression out_;
};

Result<Expression> Expression::parse(std::string_view text, const std::vector<std::string> &names) {
  constexpr size_t kMaxLength = 4096; // evaluation recurses as deep as a sum is long
  if (text.size() > kMaxLength)
    return Error::usage("expression", fmt::format("an expression of {} characters is longer than {}",
                                                  text.size(), kMaxLength));
  return ExpressionParser(text, names).parse();
}

double Expression::evaluate(const std::vector<double> &values, uint64_t element) const {
  return value(root_, values, element);
}

namespace {

double uniform(double seed, uint64_t element) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15; // SplitMix64's step, to get its i-th number directly
  const uint64_t start = std::isfinite(seed) ? uint64_t(int64_t(std::clamp(seed, -9e18, 9e18))) : 0;
  const uint64_t k = SplitMix64(start + element * kGamma).next() >> 40;
  return double(k) / double(1 << 23) - 1;
}

} // namespace

double Expression::value(size_t index, const std::vector<double> &values, uint64_t element) const {
  const Node &node = nodes_[index];
  const auto child = [&](int i) { return value(node.child[i], values, element); };
  switch (node.op) {
  case Op::Number: return node.number;
  case Op::Name: return values[node.name];
  case Op::Negate: return -child(0);
  case Op::Not: return child(0) == 0;
  case Op::Multiply: return child(0) * child(1);
  case Op::Divide: return child(0) / child(1);
  case Op::Remainder: return std::fmod(child(0), child(1));
  case Op::Add: return child(0) + child(1);
  case Op::Subtract: return child(0) - child(1);
  case Op::Less: return child(0) < child(1);
  case Op::LessEqual: return child(0) <= child(1);
  case Op::Greater: return child(0) > child(1);
  case Op::GreaterEqual: return child(0) >= child(1);
  case Op::Equal: return child(0) == child(1);
  case Op::NotEqual: return child(0) != child(1);
  case Op::And: return child(0) != 0 && child(1) != 0;
  case Op::Or: return child(0) != 0 || child(1) != 0;
  case Op::Choose: return child(0) != 0 ? child(1) : child(2);
  case Op::Floor: return std::floor(child(0));
  case Op::Ceil: return std::ceil(child(0));
  case Op::Round: return std::nearbyint(child(0));
  case Op::Abs: return std::abs(child(0));
  case Op::Sqrt: return std::sqrt(child(0));
  case Op::Rand: return uniform(child(0), element);
  case Op::Min: return std::min(child(0), child(1));
  case Op::Max: return std::max(child(0), child(1));
  case Op::CeilDivide: return std::ceil(child(0) / child(1));
  }
  return 0;
}

bool Expression::isConstant(size_t firstName) const {
  return std::all_of(used_.begin(), used_.end(), [&](size_t name) { return name < firstName; }) &&
         std::none_of(nodes_.begin(), nodes_.end(), [](const Node &node) { return node.op == Op::Rand; });
}

bool isExpressionName(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) || text == "inf" ||
      text == "nan")
    return false;
  for (const auto &function : ExpressionParser::kFunctions)
    if (function.name == text)
      return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

} // namespace assay::cli::diff
