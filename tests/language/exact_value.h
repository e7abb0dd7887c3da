// Values of generated programs: vectors of numbers with the arithmetic of the language, computed exactly.
//
// Problem.  An evaluator that rounds as the code under test does would repeat its mistakes, and whether
//           a*b+c is fused must not matter.
// Choice.   Numbers are exact: integers of any size and binary fractions in doubles, far below where a
//           double rounds. A result that its type does not hold exactly, or that the language leaves
//           undefined, makes the value inexact, and the generator throws the expression away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::language {

enum class Scalar : uint8_t { Bool, Char, Uchar, Short, Ushort, Int, Uint, Long, Ulong, Half, Float };

struct ScalarInfo {
  const char *name;
  unsigned bits;
  bool isSigned, floating;
};
const ScalarInfo &infoOf(Scalar scalar);

struct Type {
  Scalar scalar = Scalar::Int;
  unsigned n = 1; ///< 1: a scalar
  bool operator==(const Type &) const = default;
  std::string name() const;
  Type element() const { return {scalar, 1}; }
};

struct Number {
  __int128 i = 0; ///< of integers and bools
  double f = 0;   ///< of floating types
};

struct Value {
  Type type;
  std::vector<Number> v;
  bool exact = true;
};

/// The literal of a scalar, or the constructor of a vector, that has the value.
std::string literal(const Value &value);
Value convert(const Value &value, Type to); ///< elementwise, or a scalar to all elements
/// + - * and, of integers, & | ^. Scalars take the usual arithmetic conversions; vectors, or a vector and a
/// scalar of its element type, keep their type.
Value binary(char op, const Value &a, const Value &b);
Type typeOfBinary(Type a, Type b);
Value less(const Value &a, const Value &b); ///< of scalars: a bool
Value negate(const Value &a);
/// The bits that a fold of the program sees: those of as_type<uint>(float(x)) or of uint(x).
uint32_t foldBits(Scalar scalar, const Number &number);

} // namespace assay::language
