// One rule of the Metal Shading Language as one line of a table: the form of tests/language/*.rows.
//
//   : struct S { int a; };                                     what the row declares at program scope
//   2.1 struct.first-member: { S s = {7}; return s.a; } -> int 7
//   2.2 vector.sum: int2(1, 2) + int2(3, 4) -> int2 4 6
//   4   pointer.no-space: { [~int~thread int~] *p = nullptr; }
//
// A row has the section of the specification, a name that is its own, code, and what must come of it. Code
// in braces is the body of a function that returns the expected type; other code is an expression, whose
// type must be the expected one exactly. `-> ok` asks only that the code compiles. A row with
// [~wrong~right~] must be refused at the line where that stands, and must be accepted with the right text in
// its place: that shows what the refusal is about.
//
// The code sees `buffer` (device int *: 0, 1, 2 ... 15), `constants` (constant int *: 0, 10, 20 ... 150) and
// `shared` (threadgroup int *: 100, 101 ... 115).
//
// Rejected: a .metal file for each rule (six hundred files and as many compilations), and tables in C++ (raw
// strings hide what is tested).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::language {

struct Row {
  std::string section, name;
  std::vector<std::string> given; ///< lines at program scope
  std::string code;
  std::string expected; ///< after `->`; empty in a row that must be refused
  std::string where;    ///< file:line of the row, for messages
  bool refused = false;
};

struct Table {
  std::string name;   ///< the file's, without its ending
  bool alone = false; ///< `! alone`: each row is a file of its own, with nothing before it but what it gives
  std::vector<Row> rows;
};

/// Throws std::runtime_error, naming the line, when the table is not in the form above.
Table readTable(const std::string &path);
/// The text with the wrong or the right alternative of its [~wrong~right~].
std::string chosen(const std::string &text, bool wrong);

/// A type that a row's value can have: its scalar, columns and the components of each.
struct ValueType {
  std::string name, scalar;
  unsigned columns = 1, components = 1;
  bool isScalar = false;
  unsigned scalarBytes() const;
  unsigned count() const { return columns * components; }
};

/// What a row expects: a type and the bits of each component.
struct Expectation {
  ValueType type;
  std::vector<uint64_t> bits;
};

/// Throws std::runtime_error for an unknown type, a wrong number of values, or a value that the type does
/// not hold exactly (for float: decimal text is rounded to nearest by strtof).
Expectation readExpectation(const std::string &text);
/// Components as text, for messages.
std::string valuesText(const ValueType &type, const std::vector<uint64_t> &bits);

} // namespace assay::language
