// A random kernel as a small tree, which is printed as Metal and can be made smaller.
//
// Problem.  A generated kernel on which engines differ has a hundred lines, of which five matter. They can
//           only be found by taking parts away, and what is left must still compile and mean something.
// Choice.   Statements and expressions are nodes with a text, in which $0, $1 .. stand for operands and
//           #0, #1 .. for bodies. Few things are known of a node: its type, the name that it declares, the
//           name that it uses. That is enough to print it, to replace it by a constant, and to see whether
//           what is left still names only what exists.
// Rejected. A full syntax tree of Metal (each form would need a class, a printer and a rule of its own);
//           reducing text (most of what is left would not compile).
#pragma once

#include "support/abi/scalar_type.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::engines {

struct Type {
  ScalarType scalar = ScalarType::UInt;
  uint32_t width = 1; ///< 1 to 4
  bool operator==(const Type &) const = default;
  std::string name() const; ///< "float3"
  bool isFloat() const { return scalarTypeInfo(scalar).cls == ScalarClass::Float; }
  bool isBool() const { return scalar == ScalarType::Bool; }
  bool isInteger() const { return !isFloat() && !isBool(); }
  bool isSigned() const { return scalarTypeInfo(scalar).cls == ScalarClass::Signed; }
  uint32_t bits() const { return scalarTypeInfo(scalar).bytes * 8u; }
  Type of(uint32_t n) const { return {scalar, n}; }
};

struct Expr {
  Type type;
  std::string text;
  std::vector<Expr> operands = {};
  std::string uses = {}; ///< a variable or helper; empty if none
  bool literal = false;  ///< there is nothing simpler to put here
};

struct Statement {
  /// What the well-formedness of a program asks for.
  enum class Kind : uint8_t { Plain, Loop, Switch, Break, Continue, Exchange };
  Kind kind = Kind::Plain;
  std::string text;
  std::vector<Expr> operands = {};
  std::vector<std::vector<Statement>> bodies = {};
  std::string declares = {}; ///< a variable: of what follows, or of the bodies if there are any
  std::string uses = {};     ///< a variable that is assigned
};
using Body = std::vector<Statement>;

/// A function that the kernel calls with values.
struct Helper {
  std::string name;
  Type result;
  std::vector<std::pair<Type, std::string>> parameters;
  Body body;
  Expr value; ///< what it returns at its end
};

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint32_t count() const { return x * y * z; }
  bool operator==(const Extent &) const = default;
};

inline constexpr uint32_t kInputWords = 256;  ///< of buffer 0, and of buffer 1
inline constexpr uint32_t kCounterWords = 16; ///< of buffer 2, for atomics
inline constexpr uint32_t kOwnWords = 16;     ///< of each simdgroup, after those of all
inline constexpr uint32_t kSlotWords = 8;     ///< of an output slot: four 64-bit numbers
inline constexpr uint32_t kWideBytes = 16384; ///< of buffer 4: random bytes
inline constexpr uint32_t kTileBytes = 4096; ///< of the threadgroup array `tile_`: the first ones of buffer 4
inline constexpr uint32_t kPoison = 0xA5A5A5A5u;

/// A kernel `k` with its grid and inputs. Buffers: 0 in, 1 table (constant), 2 counters, 3 out, 4 bytes,
/// 5 wide.
struct Program {
  uint64_t seed = 0;
  std::vector<Helper> helpers;
  Body body;
  Extent grid, group; ///< threads
  std::vector<uint32_t> input, table;
  uint32_t slots = 1;      ///< of each thread in buffer 3
  uint32_t wideBytes = 16; ///< of buffer 5, a multiple of 16
  bool slotMajor = false;  ///< slot by slot; otherwise thread by thread
  Type sharedType;         ///< elements of the threadgroup arrays
  /// Lanes that take no part are read only where the same is read without optimisation.
  bool sameWithoutOptimisation = true;

  uint32_t simdgroups() const { return (group.count() + 31) / 32; } ///< of a threadgroup
  uint32_t counterWords() const {
    const auto along = [](uint32_t threads, uint32_t each) { return (threads + each - 1) / each; };
    return kCounterWords + kOwnWords * simdgroups() * along(grid.x, group.x) * along(grid.y, group.y) *
                               along(grid.z, group.z);
  }
  std::vector<uint32_t> wideInput() const; ///< buffer 4
  uint32_t outputWords() const { return grid.count() * slots * kSlotWords; }
};

/// The source of a program.
std::string metalOf(const Program &program);
/// The command that runs it, where `file` has metalOf(program).
std::string commandOf(const Program &program, const std::string &file);

/// Whether every name is declared, and every break and continue has a place to go to.
bool wellFormed(const Program &program);

/// Zero or one of the type.
Expr literalOf(Type type, bool one);

/// Calls visit(Body &) for each body of the program, outer ones first.
void forEachBody(Program &program, const auto &visit) {
  const auto walk = [&](const auto &self, Body &body) -> void {
    visit(body);
    for (Statement &statement : body)
      for (Body &inner : statement.bodies)
        self(self, inner);
  };
  for (Helper &helper : program.helpers)
    walk(walk, helper.body);
  walk(walk, program.body);
}

/// Calls visit(Expr &) for each expression, outer ones first.
void forEachExpr(Program &program, const auto &visit) {
  const auto walk = [&](const auto &self, Expr &expr) -> void {
    visit(expr);
    for (Expr &operand : expr.operands)
      self(self, operand);
  };
  forEachBody(program, [&](Body &body) {
    for (Statement &statement : body)
      for (Expr &operand : statement.operands)
        walk(walk, operand);
  });
  for (Helper &helper : program.helpers)
    walk(walk, helper.value);
}

} // namespace assay::engines
