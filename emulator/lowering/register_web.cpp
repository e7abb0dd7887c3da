// See register_web.h.
#include "register_web.h"

#include "primitives.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>

namespace assay::lowering {

using namespace llvm;

// It stands for a constant, which no web has.
static bool isUnwritten(const Instruction &value) {
  return primitiveOf(value) == Primitive::UnwrittenValue;
}

RegisterWeb::RegisterWeb(Function &function) {
  unsigned next = 0;
  for (const BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    order_[block] = next++;
}

bool RegisterWeb::inOrder(const Instruction *a, const Instruction *b) const {
  if (a->getParent() == b->getParent())
    return a->comesBefore(b);
  return order_.lookup(a->getParent()) < order_.lookup(b->getParent());
}

const RegisterWeb::Life &RegisterWeb::lifeOf(const Instruction &value) {
  std::unique_ptr<Life> &life = lives_[&value];
  if (life)
    return *life;
  life = std::make_unique<Life>();
  const BasicBlock *home = value.getParent();
  SmallVector<const BasicBlock *> work;
  const auto enter = [&](const BasicBlock *block) {
    if (block != home && life->in.insert(block).second)
      work.push_back(block);
  };
  for (const Use &use : value.uses()) {
    const auto *user = cast<Instruction>(use.getUser());
    if (const auto *phi = dyn_cast<PHINode>(user)) { // needed on the way there
      life->out.insert(phi->getIncomingBlock(use));
      enter(phi->getIncomingBlock(use));
    } else {
      enter(user->getParent());
    }
  }
  while (!work.empty())
    for (const BasicBlock *from : predecessors(work.pop_back_val())) {
      life->out.insert(from);
      enter(from);
    }
  return *life;
}

bool RegisterWeb::neededAfter(const Instruction &value, const Instruction &definition) {
  const Life &life = lifeOf(value);
  const BasicBlock *at = definition.getParent();
  const bool home = value.getParent() == at;
  const bool bothPhis = isa<PHINode>(value) && isa<PHINode>(definition); // those of a block are made at once
  if (home && !bothPhis && definition.comesBefore(&value))
    return false;
  if (!home && !life.in.contains(at))
    return false;
  if (life.out.contains(at))
    return true;
  return any_of(value.users(), [&](const User *user) {
    const auto *instruction = cast<Instruction>(user);
    return instruction->getParent() == at && !isa<PHINode>(instruction) &&
           definition.comesBefore(instruction);
  });
}

bool RegisterWeb::interfere(const Values &a, const Values &b) {
  for (const Instruction *x : a)
    for (const Instruction *y : b)
      if (neededAfter(*x, *y) || neededAfter(*y, *x))
        return true;
  return false;
}

void RegisterWeb::coalesce(Instruction &value) {
  SmallSetVector<Instruction *, 16> connected;
  connected.insert(&value);
  for (unsigned i = 0; i < connected.size(); ++i) {
    Instruction *member = connected[i];
    if (auto *phi = dyn_cast<PHINode>(member))
      for (Value *incoming : phi->incoming_values())
        if (auto *made = dyn_cast<Instruction>(incoming); made && !isUnwritten(*made))
          connected.insert(made);
    for (User *user : member->users())
      if (auto *phi = dyn_cast<PHINode>(user))
        connected.insert(phi);
  }
  SmallVector<PHINode *> phis;
  for (Instruction *member : connected) {
    webs_[member] = std::make_shared<Values>(Values{member});
    if (auto *phi = dyn_cast<PHINode>(member))
      phis.push_back(phi);
  }
  llvm::sort(phis, [&](const PHINode *a, const PHINode *b) { return inOrder(a, b); });
  for (PHINode *phi : phis)
    for (Value *incoming : phi->incoming_values()) {
      auto *made = dyn_cast<Instruction>(incoming);
      if (!made || isUnwritten(*made))
        continue;
      const std::shared_ptr<Values> a = webs_[phi], b = webs_[made];
      if (a == b || interfere(*a, *b))
        continue;
      append_range(*a, *b);
      for (const Instruction *moved : *b)
        webs_[moved] = a;
    }
  for (Instruction *member : connected)
    llvm::sort(*webs_[member], [&](const Instruction *a, const Instruction *b) { return inOrder(a, b); });
}

const RegisterWeb::Values &RegisterWeb::of(Instruction &value) {
  if (!webs_.contains(&value))
    coalesce(value);
  return *webs_[&value];
}

} // namespace assay::lowering
