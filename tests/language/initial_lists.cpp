#include "initial_lists.h"

#include <memory>

namespace assay::language {
namespace {

struct Kind {
  enum Form { Scalar, Vector, Structure, Array } form;
  std::string name;                               ///< of a scalar, of a vector's element, of a structure
  unsigned length = 1;                            ///< of a vector or of an array
  std::vector<std::shared_ptr<const Kind>> parts; ///< of a structure its members, of an array its element
};
using KindPtr = std::shared_ptr<const Kind>;

// A value: of a scalar the number, of anything else what it consists of.
struct Tree {
  KindPtr kind;
  unsigned number = 0;
  std::vector<Tree> parts;
  bool isZero() const {
    for (const Tree &part : parts)
      if (!part.isZero())
        return false;
    return number == 0;
  }
};

constexpr const char *kScalars[] = {"int", "uint", "float", "half", "short", "uchar", "bool"};

class Writer {
public:
  explicit Writer(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 3), seed_(seed) {}

  Row program() {
    row_.section = "generated";
    row_.name = "lists." + std::to_string(seed_);
    row_.where = "seed " + std::to_string(seed_);
    for (unsigned i = 0; i < 4; ++i)
      structure("S" + std::to_string(i));
    std::string ends;
    for (unsigned i = 0; i < 12; ++i) {
      const Tree value = valueOf(kind(2));
      const std::string name = "x" + std::to_string(i);
      declare(name, value);
      fold(name, value, ends);
    }
    row_.code = "{" + text_ + " uint h = 1;" + ends + " return h; }";
    row_.expected = "uint " + std::to_string(hash_);
    return row_;
  }

private:
  unsigned pick(unsigned n) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return unsigned(state_ >> 33) % n;
  }
  bool oneIn(unsigned n) { return pick(n) == 0; }

  // --- types

  KindPtr kind(unsigned depth) {
    const unsigned form = depth == 0 ? pick(6) : pick(9);
    if (form < 2)
      return std::make_shared<Kind>(Kind{Kind::Scalar, kScalars[pick(7)], 1, {}});
    if (form < 6)
      return std::make_shared<Kind>(Kind{Kind::Vector, kScalars[pick(7)], 2 + pick(3), {}});
    if (form < 8 && !structures_.empty())
      return structures_[pick(unsigned(structures_.size()))];
    return std::make_shared<Kind>(Kind{Kind::Array, "", 1 + pick(3), {kind(depth - 1)}});
  }
  void structure(const std::string &name) {
    Kind made{Kind::Structure, name, 1, {}};
    std::string members;
    for (unsigned i = 0, n = 1 + pick(3); i < n; ++i) {
      made.parts.push_back(kind(1));
      members += " " + declared(*made.parts.back(), "m" + std::to_string(i)) + ";";
    }
    row_.given.push_back("struct " + name + " {" + members + " };");
    structures_.push_back(std::make_shared<Kind>(std::move(made)));
  }
  static std::string typeOf(const Kind &kind) {
    return kind.form == Kind::Vector ? kind.name + std::to_string(kind.length) : kind.name;
  }
  static std::string declared(const Kind &kind, const std::string &name) {
    return kind.form == Kind::Array ? declared(*kind.parts[0], name + "[" + std::to_string(kind.length) + "]")
                                    : typeOf(kind) + " " + name;
  }

  // --- values

  Tree valueOf(const KindPtr &kind) {
    Tree tree{kind, 0, {}};
    if (kind->form == Kind::Scalar) {
      tree.number = oneIn(4) ? 0 : pick(kind->name == "bool" ? 2 : 10);
      return tree;
    }
    const unsigned count = kind->form == Kind::Structure ? unsigned(kind->parts.size()) : kind->length;
    const KindPtr element =
        kind->form == Kind::Vector ? std::make_shared<Kind>(Kind{Kind::Scalar, kind->name, 1, {}}) : nullptr;
    for (unsigned i = 0; i < count; ++i)
      tree.parts.push_back(valueOf(element ? element : kind->parts[kind->form == Kind::Array ? 0 : i]));
    if (kind->form == Kind::Vector && oneIn(5))
      for (Tree &part : tree.parts)
        part = tree.parts[0];
    return tree;
  }

  // --- spellings

  std::string scalar(const Tree &value) {
    const std::string digits = std::to_string(value.number);
    const std::string &type = value.kind->name;
    std::string text = digits;
    if (type == "bool")
      text = value.number ? "true" : "false";
    else if (type == "float" && oneIn(2))
      text += ".0f";
    else if (type == "half" && oneIn(2))
      text += ".0h";
    else if (type == "uint" && oneIn(2))
      text += "u";
    return text;
  }
  std::string element(const Tree &value) {
    if (value.number == 0 && oneIn(4))
      return oneIn(2) ? "{}" : "{{}}";
    std::string text = scalar(value);
    for (unsigned braces = oneIn(3) ? 1 + pick(3) : 0; braces > 0; --braces)
      text = "{" + text + "}";
    return text;
  }
  // The parts of a list without its braces. Zeros at its end may be left out.
  std::string parts(const Tree &value, bool all) {
    size_t count = value.parts.size();
    while (!all && count > 0 && value.parts[count - 1].isZero() && oneIn(2))
      --count;
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + spelled(value.parts[i], all || i + 1 < count || oneIn(2));
    return text;
  }
  // As a part of a list, or after `=`.
  //   inList   whether the braces of a structure or of an array may be left out
  std::string spelled(const Tree &value, bool inList) {
    const Kind &kind = *value.kind;
    if (kind.form == Kind::Scalar)
      return inList && oneIn(4) ? "{" + scalar(value) + "}" : scalar(value);
    const std::string type = kind.form != Kind::Array && oneIn(6) ? typeOf(kind) : "";
    if (kind.form != Kind::Vector) {
      if (inList && oneIn(5))
        // What begins with a brace, or with a structure, would initialise the whole.
        if (const std::string flat = parts(value, true); flat.find_first_of("{S") == std::string::npos)
          return flat;
      return type + "{" + parts(value, false) + "}";
    }
    bool same = true;
    for (const Tree &part : value.parts)
      same &= part.number == value.parts[0].number;
    if (same && oneIn(2))
      return scalar(value.parts[0]);
    size_t count = value.parts.size();
    while (count > 0 && value.parts[count - 1].number == 0 && oneIn(2))
      --count;
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += (i ? ", " : "") + element(value.parts[i]);
    return type + "{" + text + "}";
  }

  // --- the program

  void declare(const std::string &name, const Tree &value) {
    const Kind &kind = *value.kind;
    const std::string initial = spelled(value, false), type = typeOf(kind);
    const bool list = initial[0] == '{';
    switch (pick(5)) {
    case 0: row_.given.push_back("constant " + declared(kind, name) + " = " + initial + ";"); return;
    case 1:
      if (kind.form != Kind::Array) {
        row_.given.push_back("static " + type + " f_" + name + "() { return " + initial + "; }");
        text_ += " " + type + " " + name + " = f_" + name + "();";
        return;
      }
      break;
    case 2:
      if (list) {
        text_ += " " + declared(kind, name) + initial + ";";
        return;
      }
      break;
    case 3:
      if (kind.form == Kind::Vector) {
        text_ += " " + declared(kind, name) + "; " + name + " = " + initial + ";";
        return;
      }
      break;
    default: break;
    }
    text_ += " " + declared(kind, name) + " = " + initial + ";";
  }

  // Folds every number of a value into the hash, here and in the program.
  void fold(const std::string &name, const Tree &value, std::string &text) {
    if (value.kind->form == Kind::Scalar) {
      hash_ = hash_ * 31 + value.number;
      text += " h = h * 31 + uint(" + name + ");";
    }
    for (size_t i = 0; i < value.parts.size(); ++i)
      fold(name + (value.kind->form == Kind::Structure ? ".m" + std::to_string(i)
                                                       : "[" + std::to_string(i) + "]"),
           value.parts[i], text);
  }

  uint64_t state_, seed_;
  Row row_;
  std::vector<KindPtr> structures_;
  std::string text_;
  uint32_t hash_ = 1;
};

} // namespace

Row initialLists(uint64_t seed) {
  return Writer(seed).program();
}

} // namespace assay::language
