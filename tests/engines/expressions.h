// Random expressions over the variables in sight.
#pragma once

#include "program.h"

#include "support/numbers/split_mix.h"

#include <initializer_list>
#include <optional>

namespace assay::engines {

/// Among which threads something is the same.
enum class Level : uint8_t { Thread, Simdgroup, Threadgroup };

struct Variable {
  std::string name;
  Type type;
  Level level = Level::Thread;
  bool assignable = true;
  uint32_t elements = 0; ///< of an array, a power of two; 0: no array
  bool counts = false;   ///< the iterations of a loop
};

/// Where a statement stands.
struct Flow {
  Level level = Level::Threadgroup; ///< of the conditions around it
  bool readsShared = false;         ///< past a barrier: elements of other threads may be read
  bool readsLanes = false;          ///< past a simdgroup barrier, likewise
  bool inHelper = false;
  bool maySkip = false;                           ///< lanes of the simdgroup may have ended
  std::optional<Level> breakLevel, continueLevel; ///< of the statement that is left; none: not here
  uint32_t loops = 0;                             ///< around it
};

/// Whether simd operations take it.
bool takenBySimd(Type type);

class Expressions {
public:
  explicit Expressions(uint64_t seed, Program &program) : random_(seed), program_(program) {}

  std::vector<Variable> variables; ///< in sight

  uint32_t pick(uint32_t n) { return uint32_t(random_.below(n)); }
  bool chance(uint32_t percent) { return pick(100) < percent; }
  uint64_t bits() { return random_.next(); }
  Type anyType(bool bools = true);
  Type anySimdType(); ///< that takenBySimd takes

  /// An expression of the type that is the same for the threads of `level`.
  Expr make(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr any(Type type, const Flow &flow) { return make(type, flow, Level::Thread, 1 + pick(3)); }
  /// A condition of the level.
  Expr condition(const Flow &flow, Level level);
  /// An operation between lanes that gives a value of the type, which is takenBySimd.
  Expr simd(Type type, const Flow &flow, uint32_t depth);
  /// One that gives a uint (of lanes) or a bool.
  Expr vote(Type type, const Flow &flow, uint32_t depth);
  /// A number of lanes' distance or position, below `bound`.
  Expr lanesOperand(const Flow &flow, uint32_t bound, bool mayVary);
  Expr literal(Type type);
  Expr conversion(Type to, Expr from);

private:
  Expr leaf(Type type, const Flow &flow, Level level);
  Expr input(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr builtin(Level level);
  Expr operation(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr arithmetic(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr truth(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr rearranged(Type type, const Flow &flow, Level level, uint32_t depth);
  Expr sharedElement(Type type, const Flow &flow, uint32_t depth);
  std::optional<Expr> call(Type type, const Flow &flow, uint32_t depth);
  std::optional<Expr> variable(Type type, Level level);
  std::optional<Expr> constantVariable(Type type);
  Expr operandOfPermute(Type type, const Flow &flow, uint32_t depth);
  static std::string sameBits(Type type);
  std::string scalarLiteral(ScalarType scalar);
  const char *oneOf(std::initializer_list<const char *> texts) {
    return texts.begin()[pick(uint32_t(texts.size()))];
  }

  SplitMix64 random_;
  Program &program_;
};

} // namespace assay::engines
