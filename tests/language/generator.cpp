// Writes programs and evaluates them at the same time.
#include "generator.h"

#include "exact_value.h"

#include <cassert>
#include <functional>
#include <optional>

namespace assay::language {
namespace {

using Frame = std::vector<Value>;

struct Expr {
  std::string text;
  Type type;
  std::function<Value(const Frame &)> eval;
};

// A variable or member that is a number or a vector, and where a frame keeps it.
struct Place {
  std::string text;
  Type type;
  size_t slot;
  bool writable;
};

struct Member {
  std::string name;
  Type type;
};

struct Method {
  std::string name;
  Type result;
  Expr body[4]; ///< for thread, device, threadgroup, constant; slots: the members, then the argument
};

struct Struct {
  std::string name;
  std::vector<Member> members;
  Method method;
};

struct Object {
  std::string name;
  const Struct *type;
  unsigned space;
  size_t firstSlot;
};

struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters;
  Expr body; ///< slots: the parameters
};

constexpr const char *kSpaces[] = {"thread", "device", "threadgroup", "constant"};

class Generator {
public:
  explicit Generator(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1), seed_(seed) {}

  Row program() {
    structs_.reserve(2);
    for (unsigned i = 0; i < 2; ++i)
      writeStruct(i);
    for (unsigned i = 0; i < 2; ++i)
      writeFunction(i);
    writeOverloads();
    line("template <typename T> static T combine(T a, T b) { return a " + std::string(1, "+-"[pick(2)]) +
         " b * a; }");
    combine_ = lines_.back().find("a + b * a") != std::string::npos ? '+' : '-';
    line("template <typename T, int N> static T total(vec<T, N> v) { T s = v[0]; for (int i = 1; i < N; ++i) "
         "s += v[i]; "
         "return s; }");
    writeObjects();
    for (unsigned i = 0, n = 8 + pick(6); i < n; ++i)
      statement();
    writeEnd();
    Row row;
    row.section = "generated";
    row.name = "generated." + std::to_string(seed_);
    row.where = "seed " + std::to_string(seed_);
    row.given = lines_;
    row.code = "program(buffer, constants, shared)";
    row.expected = "uint " + std::to_string(hash_);
    return row;
  }

private:
  uint64_t next() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull >> 16;
  }
  unsigned pick(unsigned n) { return unsigned(next() % n); }
  Scalar anyScalar() { return Scalar(1 + pick(10)); }
  Type anyType() { return {anyScalar(), pick(2) ? 1 : 2 + pick(3)}; }
  void line(const std::string &text) { lines_.push_back(text); }

  Value anyValue(Type type) {
    Value value{type, {}, true};
    for (unsigned k = 0; k < type.n; ++k) {
      const int small = int(pick(20)) - (infoOf(type.scalar).isSigned ? 6 : 0);
      if (type.scalar == Scalar::Bool)
        value.v.push_back({small & 1, 0});
      else if (infoOf(type.scalar).floating)
        value.v.push_back({0, small / 4.0});
      else
        value.v.push_back({small, 0});
    }
    return value;
  }
  Expr constant(Type type) {
    const Value value = anyValue(type);
    return {literal(value), type, [value](const Frame &) { return value; }};
  }

  // The expression as the type: a cast, where it is not of it.
  static Expr as(Expr e, Type type) {
    if (e.type == type)
      return e;
    return {type.name() + "(" + e.text + ")", type,
            [eval = e.eval, type](const Frame &f) { return convert(eval(f), type); }};
  }

  Expr read(const Place &place) {
    return {place.text, place.type, [slot = place.slot](const Frame &f) { return f[slot]; }};
  }

  // Some components of a place, in any order, as often as they come.
  Expr swizzle(const Place &place, unsigned n) {
    std::vector<unsigned> indices;
    std::string letters;
    const bool colours = pick(4) == 0;
    for (unsigned k = 0; k < n; ++k) {
      indices.push_back(pick(place.type.n));
      letters += (colours ? "rgba" : "xyzw")[indices.back()];
    }
    const Type type{place.type.scalar, n};
    return {place.text + "." + letters, type, [slot = place.slot, indices, type](const Frame &f) {
              Value value{type, {}, f[slot].exact};
              for (unsigned i : indices)
                value.v.push_back(f[slot].v[i]);
              return value;
            }};
  }

  std::optional<Place> placeOf(const std::vector<Place> &places, const auto &fits) {
    std::vector<const Place *> found;
    for (const Place &place : places)
      if (fits(place))
        found.push_back(&place);
    if (found.empty())
      return std::nullopt;
    return *found[pick(unsigned(found.size()))];
  }

  Expr leaf(Type type, const std::vector<Place> &places) {
    if (const auto place = placeOf(places, [&](const Place &p) { return p.type == type; }); place && pick(4))
      return read(*place);
    if (const auto place =
            placeOf(places, [&](const Place &p) { return p.type.scalar == type.scalar && p.type.n > 1; });
        place && pick(4))
      return swizzle(*place, type.n);
    if (const auto place =
            placeOf(places, [&](const Place &p) { return p.type.n == type.n || p.type.n == 1; });
        place && pick(3))
      return as(read(*place), type);
    return constant(type);
  }

  Expr expr(Type type, unsigned depth, const std::vector<Place> &places, bool calls) {
    if (depth == 0)
      return leaf(type, places);
    switch (pick(calls ? 12 : 6)) {
    case 0: return leaf(type, places);
    case 1:
    case 2: { // an operator
      const bool vector = type.n > 1;
      const Type left = vector || pick(2) ? type : Type{anyScalar(), 1};
      const Type right = vector && pick(3) == 0 ? type.element()
                         : vector               ? type
                         : pick(2)              ? type
                                                : Type{anyScalar(), 1};
      const Expr a = expr(left, depth - 1, places, calls), b = expr(right, depth - 1, places, calls);
      const Type result = typeOfBinary(left, right);
      const char op = infoOf(result.scalar).floating ? "+-*"[pick(3)] : "+-*&|^"[pick(6)];
      return as({"(" + a.text + " " + op + " " + b.text + ")", result,
                 [op, x = a.eval, y = b.eval](const Frame &f) { return binary(op, x(f), y(f)); }},
                type);
    }
    case 3: { // a negation, or a vector made of pieces
      if (type.n == 1) {
        const Expr a = expr(type, depth - 1, places, calls);
        const Type result = typeOfBinary(type, type);
        return as({"(-" + a.text + ")", result, [x = a.eval](const Frame &f) { return negate(x(f)); }}, type);
      }
      const unsigned first = 1 + pick(type.n - 1);
      const Expr a = expr({type.scalar, first}, depth - 1, places, calls);
      const Expr b = expr({type.scalar, type.n - first}, depth - 1, places, calls);
      return {type.name() + "(" + a.text + ", " + b.text + ")", type,
              [type, x = a.eval, y = b.eval](const Frame &f) {
                Value left = x(f);
                const Value right = y(f);
                left.type = type;
                left.v.insert(left.v.end(), right.v.begin(), right.v.end());
                left.exact &= right.exact;
                return left;
              }};
    }
    case 4: { // a choice
      const Type compared{anyScalar(), 1};
      const Expr a = expr(compared, depth - 1, places, calls), b = expr(compared, depth - 1, places, calls);
      const Expr yes = expr(type, depth - 1, places, calls), no = expr(type, depth - 1, places, calls);
      return {"(" + a.text + " < " + b.text + " ? " + yes.text + " : " + no.text + ")", type,
              [x = a.eval, y = b.eval, p = yes.eval, q = no.eval](const Frame &f) {
                const Value is = less(x(f), y(f));
                Value value = is.v[0].i ? p(f) : q(f);
                value.exact &= is.exact;
                return value;
              }};
    }
    case 5: // a conversion
      return as(expr({anyScalar(), type.n}, depth - 1, places, calls), type);
    case 6: return callOfFunction(type, depth, places);
    case 7: return callOfTemplate(type, depth, places);
    default: return callOfMember(type, depth, places);
    }
  }

  Expr callOfFunction(Type type, unsigned depth, const std::vector<Place> &places) {
    const Function &function = functions_[pick(unsigned(functions_.size()))];
    if (function.result.n != type.n && function.result.n != 1)
      return leaf(type, places);
    std::string text = function.name + "(";
    std::vector<std::function<Value(const Frame &)>> arguments;
    for (const Type &parameter : function.parameters) {
      const Expr argument = expr(parameter, depth - 1, places, false);
      text += (arguments.empty() ? "" : ", ") + argument.text;
      arguments.push_back(argument.eval);
    }
    return as({text + ")", function.result,
               [arguments, body = function.body.eval](const Frame &f) {
                 Frame inner;
                 bool exact = true;
                 for (const auto &argument : arguments) {
                   inner.push_back(argument(f));
                   exact &= inner.back().exact;
                 }
                 Value value = body(inner);
                 value.exact &= exact;
                 return value;
               }},
              type);
  }

  Expr callOfTemplate(Type type, unsigned depth, const std::vector<Place> &places) {
    if (type.n == 1 && pick(2)) { // the components of a vector, summed in its element type
      const Expr v = expr({type.scalar, 2 + pick(3)}, depth - 1, places, false);
      return {"total(" + v.text + ")", type, [type, x = v.eval](const Frame &f) {
                const Value vector = x(f);
                Value sum{type, {vector.v[0]}, vector.exact};
                for (size_t k = 1; k < vector.v.size(); ++k)
                  sum = convert(binary('+', sum, {type, {vector.v[k]}, true}), type);
                return sum;
              }};
    }
    const Expr a = expr(type, depth - 1, places, false), b = expr(type, depth - 1, places, false);
    return {"combine(" + a.text + ", " + b.text + ")", type,
            [type, op = combine_, x = a.eval, y = b.eval](const Frame &f) {
              const Value left = x(f);
              return convert(binary(op, left, binary('*', y(f), left)), type);
            }};
  }

  // A method of an object, whose body depends on where the object lies, or the overload for its space.
  Expr callOfMember(Type type, unsigned depth, const std::vector<Place> &places) {
    if (objects_.empty())
      return leaf(type, places);
    const Object &object = objects_[pick(unsigned(objects_.size()))];
    if (pick(3) == 0) {
      const int number = int(object.space) * 10 + (object.type == &structs_[0] ? 1 : 2);
      return as({"where(" + object.name + ")",
                 {Scalar::Int, 1},
                 [number](const Frame &) { return Value{{Scalar::Int, 1}, {{number, 0}}, true}; }},
                type);
    }
    const Method &method = object.type->method;
    if (method.result.n != type.n && method.result.n != 1)
      return leaf(type, places);
    const Expr argument = expr({Scalar::Int, 1}, depth - 1, places, false);
    return as({object.name + "." + method.name + "(" + argument.text + ")", method.result,
               [first = object.firstSlot, n = object.type->members.size(), x = argument.eval,
                body = method.body[object.space].eval](const Frame &f) {
                 Frame inner(f.begin() + long(first), f.begin() + long(first + n));
                 inner.push_back(x(f));
                 Value value = body(inner);
                 value.exact &= inner.back().exact;
                 return value;
               }},
              type);
  }

  void writeStruct(unsigned index) {
    Struct type;
    type.name = "S" + std::to_string(index);
    for (unsigned i = 0, n = 2 + pick(2); i < n; ++i) {
      Type member = anyType();
      if (infoOf(member.scalar).bits == 64)
        member.n = 1; // all of them fit into 64 bytes
      type.members.push_back({"m" + std::to_string(i), member});
    }
    std::vector<Place> places;
    for (const Member &member : type.members)
      places.push_back({member.name, member.type, places.size(), false});
    places.push_back({"x", {Scalar::Int, 1}, places.size(), false});
    type.method.name = "get" + std::to_string(index);
    type.method.result = anyType();
    line("struct " + type.name + " {");
    for (const Member &member : type.members)
      line("  " + member.type.name() + " " + member.name + ";");
    for (unsigned space = 0; space < 4; ++space) {
      type.method.body[space] = expr(type.method.result, 2, places, false);
      line("  " + type.method.result.name() + " " + type.method.name + "(int x) const " + kSpaces[space] +
           " { return " + type.method.body[space].text + "; }");
    }
    line("};");
    structs_.push_back(type);
  }

  void writeFunction(unsigned index) {
    Function function{"f" + std::to_string(index), anyType(), {}, {}};
    std::vector<Place> places;
    std::string text;
    for (unsigned i = 0, n = 1 + pick(2); i < n; ++i) {
      function.parameters.push_back(anyType());
      places.push_back({"p" + std::to_string(i), function.parameters.back(), i, false});
      text += (i ? ", " : "") + function.parameters.back().name() + " p" + std::to_string(i);
    }
    function.body = expr(function.result, 2, places, false);
    line("static " + function.result.name() + " " + function.name + "(" + text + ") { return " +
         function.body.text + "; }");
    functions_.push_back(function);
  }

  void writeOverloads() {
    for (unsigned s = 0; s < 2; ++s)
      for (unsigned space = 0; space < 4; ++space)
        line("static int where(const " + std::string(kSpaces[space]) + " S" + std::to_string(s) +
             " &) { return " + std::to_string(space * 10 + s + 1) + "; }");
  }

  // One object in each space; the constant one stands before the function.
  void writeObjects() {
    std::vector<std::string> first;
    for (unsigned space = 4; space-- > 0;) {
      const Struct &type = structs_[pick(2)];
      const Object object{std::string(1, "odtc"[space]) + "0", &type, space, frame_.size()};
      std::string values;
      std::vector<std::string> stores;
      for (const Member &member : type.members) {
        const Value value = anyValue(member.type);
        values += (values.empty() ? "" : ", ") + literal(value);
        stores.push_back("  " + object.name + "." + member.name + " = " + literal(value) + ";");
        places_.push_back({object.name + "." + member.name, member.type, frame_.size(), space != 3});
        frame_.push_back(value);
      }
      if (space == 3) {
        line("constant " + type.name + " c0 = {" + values + "};");
        line("static uint program(device int *buffer, constant int *constants, threadgroup int *shared) {");
      } else if (space == 0) {
        line("  " + type.name + " o0 = {" + values + "};");
      } else {
        line("  " + std::string(kSpaces[space]) + " " + type.name + " &" + object.name + " = *(" +
             kSpaces[space] + " " + type.name + " *)" + (space == 1 ? "buffer" : "shared") + ";");
        for (const std::string &store : stores)
          line(store);
      }
      objects_.push_back(object);
    }
  }

  // Runs `apply` on the frame if it is exact there; otherwise nothing is written.
  bool assigned(const Place &place, const Value &value, const std::string &text) {
    if (!value.exact)
      return false;
    frame_[place.slot] = value;
    line("  " + text + " // " + literal(value));
    return true;
  }

  void statement() {
    const Place place = *placeOf(places_, [](const Place &p) { return p.writable; });
    switch (pick(7)) {
    case 0: { // a new variable
      const Type type = anyType();
      const Expr e = expr(type, 3, places_, true);
      const Value value = e.eval(frame_);
      if (!value.exact)
        return;
      const std::string name = "v" + std::to_string(places_.size());
      line("  " + (pick(3) ? type.name() : "auto") + " " + name + " = " + e.text + "; // " + literal(value));
      places_.push_back({name, type, frame_.size(), true});
      frame_.push_back(value);
      return;
    }
    case 1: { // some components
      if (place.type.n == 1)
        return;
      const unsigned first = pick(place.type.n), second = (first + 1 + pick(place.type.n - 1)) % place.type.n;
      const Expr e = expr({place.type.scalar, 2}, 2, places_, true);
      const Value pair = e.eval(frame_);
      Value value = frame_[place.slot];
      value.exact &= pair.exact;
      value.v[first] = pair.v[0], value.v[second] = pair.v[1];
      assigned(place, value, place.text + "." + "xyzw"[first] + "xyzw"[second] + " = " + e.text + ";");
      return;
    }
    case 2: { // one component by its index
      if (place.type.n == 1)
        return;
      const unsigned index = pick(place.type.n);
      const Expr e = expr(place.type.element(), 2, places_, true);
      const Value element = e.eval(frame_);
      Value value = frame_[place.slot];
      value.exact &= element.exact;
      value.v[index] = element.v[0];
      assigned(place, value, place.text + "[" + std::to_string(index) + "] = " + e.text + ";");
      return;
    }
    case 3: { // a compound assignment, of a vector or of a scalar
      const char op = infoOf(place.type.scalar).floating ? "+-*"[pick(3)] : "+-*&|^"[pick(6)];
      const Expr e = expr(pick(2) ? place.type : place.type.element(), 2, places_, true);
      const Value value = convert(binary(op, frame_[place.slot], e.eval(frame_)), place.type);
      assigned(place, value, place.text + " " + op + "= " + e.text + ";");
      return;
    }
    case 4: { // a branch
      const Expr a = expr({Scalar::Int, 1}, 2, places_, true), b = expr({Scalar::Float, 1}, 1, places_, true);
      const Expr yes = expr(place.type, 2, places_, true), no = expr(place.type, 2, places_, true);
      const Value is = less(a.eval(frame_), b.eval(frame_));
      Value value = is.v[0].i ? yes.eval(frame_) : no.eval(frame_);
      value.exact &= is.exact;
      assigned(place, value,
               "if (" + a.text + " < " + b.text + ") " + place.text + " = " + yes.text + "; else " +
                   place.text + " = " + no.text + ";");
      return;
    }
    case 5: { // a loop
      const unsigned times = 2 + pick(3);
      std::vector<Place> inside = places_;
      inside.push_back({"i", {Scalar::Int, 1}, frame_.size(), false});
      const Expr e = expr(place.type, 2, inside, true);
      const Frame before = frame_;
      Value value = frame_[place.slot];
      frame_.push_back({{Scalar::Int, 1}, {{0, 0}}, true});
      for (unsigned i = 0; i < times; ++i) {
        frame_.back().v[0].i = i;
        value = convert(binary('+', value, e.eval(frame_)), place.type);
        frame_[place.slot] = value;
      }
      frame_ = before;
      assigned(place, value,
               "for (int i = 0; i < " + std::to_string(times) + "; ++i) " + place.text + " = " +
                   (place.type.n == 1 ? place.type.name() + "(" : "(") + place.text + " + " + e.text + ");");
      return;
    }
    default: {
      const Expr e = expr(place.type, 3, places_, true);
      assigned(place, e.eval(frame_), place.text + " = " + e.text + ";");
    }
    }
  }

  void writeEnd() {
    line("  uint h = 1;");
    hash_ = 1;
    for (const Place &place : places_)
      for (unsigned k = 0; k < place.type.n; ++k) {
        const std::string element = place.text + (place.type.n == 1 ? "" : "[" + std::to_string(k) + "]");
        line("  h = h * 31 + " +
             (infoOf(place.type.scalar).floating ? "as_type<uint>(float(" + element + "))"
                                                 : "uint(" + element + ")") +
             ";");
        hash_ = hash_ * 31 + foldBits(place.type.scalar, frame_[place.slot].v[k]);
      }
    line("  return h;");
    line("}");
  }

  uint64_t state_, seed_;
  std::vector<std::string> lines_;
  std::vector<Struct> structs_;
  std::vector<Function> functions_;
  std::vector<Object> objects_;
  std::vector<Place> places_;
  Frame frame_;
  char combine_ = '+';
  uint32_t hash_ = 0;
};

// `text` with the first `from` as the wrong and `to` as the right reading; none if `from` is not there.
std::optional<std::string> marked(const std::string &text, const std::string &from,
                                  const std::string &wrong) {
  const size_t at = text.find(from);
  if (at == std::string::npos)
    return std::nullopt;
  return text.substr(0, at) + "[~" + wrong + "~" + from + "~]" + text.substr(at + from.size());
}

struct Mistake {
  const char *name, *where, *from, *wrong; ///< in a line that has `where`, `from` becomes `wrong`
};

// What each must run into stands in chapters 2, 4 and 5 of the specification.
constexpr Mistake kMistakes[] = {
    {"constant-is-written", "  d0.m0 = ", "d0.m0", "c0.m0"},
    {"member-misspelt", "  t0.m1 = ", "t0.m1", "t0.mm1"},
    {"space-dropped-from-a-reference", "  device S", "device S", "S"},
    {"space-of-another-object", "  threadgroup S", "threadgroup S", "device S"},
    {"cast-to-another-space", "&d0 = *(device", "*(device", "*(threadgroup"},
    {"constant-made-a-variable", " c0 = {", "constant S", "S"},
    {"parameter-without-space", "static int where(const thread S0", "const thread S0", "const S0"},
    {"unknown-type", "  uint h = 1;", "uint", "unit"},
    {"undeclared-variable", "  return h;", "h;", "hh;"},
    {"pointer-returned-as-number", "  return h;", "h;", "buffer;"},
    {"missing-argument", "return a ", "T a, T b", "T a"},
    {"index-of-a-scalar", "  return h;", "h;", "h[0];"},
    {"struct-as-number", "  return h;", "h;", "o0;"},
    {"swizzle-of-a-struct", "  return h;", "h;", "o0.xy;"},
    {"argument-of-no-overload", "  return h;", "h;", "where(h);"},
    {"vector-with-too-few", "  return h;", "h;", "uint(float4(1, 2, 3).x);"},
    {"vectors-of-two-types", "  return h;", "h;", "uint((int2(1) + float2(1)).x);"},
    {"constant-pointer-converted", "  return h;", "h;", "*((device uint *)constants);"},
};

} // namespace

Row generatedProgram(uint64_t seed) {
  return Generator(seed).program();
}

std::vector<Row> mutations(uint64_t seed) {
  const Row program = generatedProgram(seed);
  std::vector<Row> rows;
  for (const Mistake &mistake : kMistakes)
    for (size_t i = 0; i < program.given.size(); ++i) {
      if (program.given[i].find(mistake.where) == std::string::npos)
        continue;
      if (const auto text = marked(program.given[i], mistake.from, mistake.wrong)) {
        Row row = program;
        row.name += std::string(".") + mistake.name;
        row.given[i] = *text;
        row.code = "{}";
        row.expected.clear();
        row.refused = true;
        rows.push_back(row);
      }
      break;
    }
  return rows;
}

} // namespace assay::language
