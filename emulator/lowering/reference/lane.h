// One lane of the reference: its place in the code, its values and its memory.
#pragma once

#include "float_arithmetic.h"
#include "values.h"

#include "../lowering_state.h"
#include "../primitives.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include <chrono>
#include <functional>

namespace assay::lowering::reference {

/// What the lanes of a threadgroup share.
struct Surroundings {
  const Lowering *state;
  const llvm::DataLayout *layout;
  const GroupAbi *group;
  uint64_t arenaBytes;
  const llvm::DenseMap<const llvm::GlobalVariable *, std::vector<uint8_t>> *constants;
  uint64_t *stepsLeft;
  std::chrono::steady_clock::time_point deadline;
  std::span<const BufferAbi> resources = {};
};

enum class Standing { Ready, AtBarrier, AtSimd, Ended, Failed };

class Lane {
public:
  Lane(const Surroundings &around, const LaneAbi &builtins, uint8_t *published);

  /// Runs the lane until its standing is no longer Ready.
  void run();
  Value constant(const llvm::Constant &constant);

  Standing standing = Standing::Ready;
  std::optional<Error> error; ///< Failed
  uint32_t site = 0;          ///< AtBarrier, AtSimd
  const void *in = nullptr;   ///< AtSimd
  void *out = nullptr;
  uint32_t operand = 0;
  std::vector<uint32_t> counters; ///< the iteration of each loop with sites

private:
  using Operand = const llvm::Value *;

  void step();
  void enter(const llvm::BasicBlock *block);
  void set(const llvm::Instruction &instruction, Value value) { values_[&instruction] = std::move(value); }
  Value get(Operand operand);
  uint64_t number(Operand operand) { return get(operand)[0].getZExtValue(); }

  void fail(std::string what);

  // Null once the lane has failed.
  uint8_t *access(uint64_t address, uint64_t bytes);
  bool owns(uint64_t address, uint64_t bytes) const;
  bool pointsTo(uint64_t address, uint64_t space) const; ///< Primitive::PointsTo

  void compute(const llvm::Instruction &instruction);
  std::optional<Value> binary(const llvm::Instruction &instruction);
  std::optional<Value> cast(unsigned opcode, llvm::Type *from, llvm::Type *to, const Value &value);
  Value address(const llvm::GEPOperator &address);
  Value choose(const llvm::SelectInst &select);
  Value shuffle(const llvm::ShuffleVectorInst &shuffle);
  void update(const llvm::AtomicRMWInst &update);
  void exchange(const llvm::AtomicCmpXchgInst &exchange);
  void call(const llvm::CallBase &call);
  void primitive(const llvm::CallBase &call, Primitive primitive);
  void publish(const llvm::CallBase &publish);
  std::optional<Value> intrinsic(const llvm::IntrinsicInst &call);
  void moveMemory(const llvm::IntrinsicInst &call);

  const Surroundings &around_;
  const LaneAbi &builtins_;
  uint8_t *const published_;
  const FloatArithmetic floats_;
  llvm::DenseMap<Operand, Value> values_;
  std::vector<std::pair<std::unique_ptr<uint8_t[]>, uint64_t>> variables_;
  const llvm::BasicBlock *block_ = nullptr;
  llvm::BasicBlock::const_iterator next_;
};

} // namespace assay::lowering::reference
