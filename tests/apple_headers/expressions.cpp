#include "expressions.h"

#include "judgement_limits.h"
#include "member_questions.h"

#include "support/numbers/split_mix.h"

#include <array>
#include <optional>
#include <set>
#include <span>

namespace assay::apple_headers {

namespace {

constexpr const char *kOthers[] = {"int",
                                   "uint",
                                   "float",
                                   "half",
                                   "bool",
                                   "short",
                                   "ulong",
                                   "long",
                                   "uchar",
                                   "float2",
                                   "float3",
                                   "float4",
                                   "int2",
                                   "uint2",
                                   "ushort2",
                                   "uint3",
                                   "half4",
                                   "half2",
                                   "nullptr_t",
                                   "device int *",
                                   "const device float *",
                                   "constant int *",
                                   "threadgroup float *",
                                   "thread int *"};
constexpr size_t kValues = 18; // of these, the types before nullptr_t

class ExpressionMaker {
public:
  ExpressionMaker(const MemberLists &lists, uint64_t seed) : random_(seed) {
    for (const auto &[type, members] : lists)
      if (!members.empty())
        classes_.push_back({type, &members, typesOf(members)});
  }

  bool canMake() const { return !classes_.empty(); }

  Probe make() {
    class_ = &pick(classes_);
    probe_ = {};
    const uint64_t form = random_.below(100);
    if (form < 55)
      useMember();
    else if (form < 72)
      construct();
    else if (form < 86)
      useBinary();
    else if (form < 90)
      useUnary();
    else if (form < 97)
      convert();
    else
      useInContext();
    probe_.what = "(";
    for (const std::string &parameter : probe_.parameters)
      probe_.what += (probe_.what.back() == '(' ? "" : ", ") + parameter;
    probe_.what += ") " + probe_.statements;
    return std::move(probe_);
  }

private:
  struct Class {
    std::string type;
    const std::vector<Member> *members;
    std::vector<std::string> types; ///< of its members' parameters
  };

  static std::vector<std::string> typesOf(const std::vector<Member> &members) {
    std::vector<std::string> types;
    for (const Member &member : members)
      for (const std::string &parameter : member.parameters)
        if (const std::optional<std::string> type = parameterType(parameter))
          types.push_back(*type);
    return types;
  }

  template <typename T> const T &pick(std::span<const T> items) { return items[random_.below(items.size())]; }
  template <typename T> const T &pick(const std::vector<T> &items) { return pick(std::span<const T>(items)); }
  template <size_t N> const char *pick(const char *const (&items)[N]) { return items[random_.below(N)]; }
  bool inTen(uint64_t times) { return random_.below(10) < times; }

  /// Declares a parameter and returns its name.
  std::string add(const std::string &type) {
    probe_.parameters.push_back(type);
    return "a" + std::to_string(probe_.parameters.size() - 1);
  }
  std::string object() { return add((inTen(5) ? "thread " : "const thread ") + class_->type + " &"); }

  /// An argument of some type; of those of the class's own members often.
  std::string other() {
    const uint64_t kind = random_.below(100);
    if (kind < 45 && !class_->types.empty())
      return add(pick(class_->types));
    return kind < 52 ? object() : add(pick(kOthers));
  }

  /// Arguments for parameters, mostly of their types.
  std::vector<std::string> argumentsFor(const Member &member, size_t count) {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < count; ++i) {
      std::optional<std::string> type;
      if (i < member.parameters.size() && random_.below(4) > 0)
        type = parameterType(member.parameters[i]);
      arguments.push_back(type ? add(*type) : other());
    }
    return arguments;
  }

  static std::string joined(const std::vector<std::string> &arguments) {
    std::string text;
    for (const std::string &argument : arguments)
      text += (text.empty() ? "" : ", ") + argument;
    return text;
  }

  /// A number of arguments, mostly one that the member can have.
  size_t countFor(const Member &member) {
    const size_t all = member.parameters.size();
    if (inTen(7))
      return member.required + random_.below(all - member.required + 1);
    const size_t some = all + random_.below(4);
    return some < 2 ? 0 : some - 2;
  }

  void useMember() {
    using enum Member::Kind;
    const Member &member = pick(*class_->members);
    if (!isForPrograms(member) || member.kind == Constructor || member.kind == Conversion)
      return useBinary();
    const std::string self = object();
    const std::string qualified = class_->type + "::" + member.name;
    if (member.kind == Type)
      probe_.statements = qualified + " v; (void)v;";
    else if (member.kind == Constant)
      probe_.statements = "auto v = " + qualified + "; (void)v;";
    else if (member.kind == Field)
      probe_.statements = inTen(5) ? self + "." + member.name + " = " + other() + ";"
                                   : "(void)" + self + "." + member.name + ";";
    else
      call(member, self, qualified);
  }

  void call(const Member &member, const std::string &self, const std::string &qualified) {
    const std::string operation = operatorOf(member);
    const bool isOperator = !operation.empty();
    size_t count = countFor(member);
    if (isOperator && operation != "()")
      count = operation != "[]" && member.parameters.empty() ? 0 : 1;
    const std::vector<std::string> arguments = argumentsFor(member, count);
    std::string call;
    if (operation == "[]")
      call = self + "[" + arguments[0] + "]";
    else if (operation == "()")
      call = self + "(" + joined(arguments) + ")";
    else if (isOperator)
      call = count ? self + " " + operation + " " + arguments[0] : operation + self;
    else if (member.kind == Member::Kind::StaticFunction)
      call = qualified + "(" + joined(arguments) + ")";
    else
      call = self + "." + member.name + "(" + joined(arguments) + ")";
    probe_.statements = "(void)(" + call + ");";
  }

  void construct() {
    std::vector<const Member *> constructors;
    for (const Member &member : *class_->members)
      if (member.kind == Member::Kind::Constructor)
        constructors.push_back(&member);
    std::vector<std::string> arguments;
    if (!constructors.empty() && inTen(5)) {
      const Member &member = *constructors[random_.below(constructors.size())];
      arguments = argumentsFor(member, countFor(member));
    } else {
      for (size_t count = std::array{0, 1, 1, 1, 2, 2, 3, 4}[random_.below(8)]; count > 0; --count)
        arguments.push_back(other());
    }
    const std::string &type = class_->type, all = joined(arguments);
    const uint64_t form = random_.below(5);
    if (form == 0)
      probe_.statements = type + (arguments.empty() ? " v" : " v(" + all + ")") + "; (void)v;";
    else if (form == 1)
      probe_.statements = type + " v{" + all + "}; (void)v;";
    else if (form == 2)
      probe_.statements = type + " v = {" + all + "}; (void)v;";
    else if (form == 3 || arguments.size() != 1)
      probe_.statements = "(void)" + type + "(" + all + ");";
    else
      probe_.statements = type + " v = " + all + "; (void)v;";
  }

  void useBinary() {
    constexpr const char *kOperators[] = {"+",  "-",  "*", "/", "%", "==", "!=", "<",  ">", "<=",
                                          "&&", "||", "&", "|", "^", "<<", "=",  "+=", "*="};
    const bool isFirst = inTen(7);
    const std::string first = isFirst ? object() : other(), second = isFirst ? other() : object();
    probe_.statements = "(void)(" + first + " " + pick(kOperators) + " " + second + ");";
  }

  void useUnary() {
    constexpr const char *kOperators[] = {"-", "!", "~", "+", "++", "--", "&", "*"};
    const std::string operation = pick(kOperators);
    probe_.statements = "(void)(" + operation + object() + ");";
  }

  void convert() {
    const uint64_t to = random_.below(kValues + 1);
    const std::string type = to == kValues ? class_->type : kOthers[to];
    const std::string self = object();
    probe_.statements =
        inTen(5) ? type + " v = " + self + "; (void)v;" : "(void)static_cast<" + type + ">(" + self + ");";
  }

  void useInContext() {
    constexpr const char *kStatements[] = {
        "(void)(a0 ? 1 : 2);", "switch (a0) { case 1: break; }", "(void)a0[0];",
        "(void)a0();",         "for (auto x : a0) (void)x;",     "(void)(bool(a0) && true);"};
    object();
    probe_.statements = pick(kStatements);
  }

  SplitMix64 random_;
  std::vector<Class> classes_;
  const Class *class_ = nullptr;
  Probe probe_;
};

} // namespace

std::vector<Probe> randomExpressions(const MemberLists &lists, size_t count, uint64_t seed) {
  ExpressionMaker maker(lists, seed);
  std::vector<Probe> probes;
  std::set<std::string> known;
  for (size_t i = 0; i < count && maker.canMake(); ++i)
    if (Probe probe = maker.make(); known.insert(probe.what).second)
      probes.push_back(std::move(probe));
  return probes;
}

std::vector<Probe> judged(const CompiledHeaders &headers, std::vector<Probe> probes) {
  const std::map<size_t, std::string> refused = headers.refused(probes);
  std::vector<Probe> kept;
  for (size_t i = 0; i < probes.size(); ++i) {
    const auto message = refused.find(i);
    if (message != refused.end()) {
      if (limitOf(probes[i], message->second))
        continue;
      probes[i].accepted = false;
      probes[i].what += ", of which stock Clang says '" + message->second + "'";
    }
    kept.push_back(std::move(probes[i]));
  }
  return kept;
}

} // namespace assay::apple_headers
