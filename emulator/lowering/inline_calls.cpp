// Everything a kernel calls is inlined into it, as GPU compilers do.
//
// Choice.   Post-order over the call graph, one visit per function. Within a function the last call first: to
//           inline one call moves what follows it in its block, and so that is never moved twice. A generated
//           function of 12,000 statements took minutes the other way round.
//           Large functions with many calls are inlined last, and once: joined_calls.h.
// Rejected. LLVM's AlwaysInliner, which copies unoptimised bodies (the vector operators of the shim are
//           dozens of instructions before SROA and two after), and cannot say which functions recur.
// Why all.  Sites are numbered in one control-flow graph (reconvergence.h), pointers are followed to their
//           roots (provenance.h), and the stack that a fiber needs is one number.
#include "inline_calls.h"

#include "contract_statements.h"
#include "joined_calls.h"
#include "joined_circles.h"
#include "large_functions.h"
#include "primitives.h"
#include "read_module.h"
#include "recursive_calls.h"
#include "shared_stacks.h"
#include "source_place.h"
#include "support/abi/metal_names.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <fmt/format.h>

namespace assay::lowering {
namespace {

enum class Visit { Open, Done };

struct Inliner {
  const InlineSteps &steps;
  llvm::DenseMap<llvm::Function *, Visit> visits{};
  llvm::SmallPtrSet<llvm::Function *, 16> optimized{};
  llvm::SetVector<llvm::Function *> joined{}; // joined_calls.h; callees before their callers

  // Except direct calls of a function that is being visited: they stay until the visit of that function ends.
  // Calls that will be joined stay, too.
  llvm::SmallVector<llvm::CallBase *> definedCalls(llvm::Function &function) const {
    const bool joins = !joined.empty() && mayJoinCalls(function);
    llvm::SmallVector<llvm::CallBase *> calls;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function *callee = call->getCalledFunction();
            callee && !callee->isDeclaration() && (!isOpen(*callee) || call->hasFnAttr(kThroughPointer)) &&
            !(joins && joined.contains(callee)))
          calls.push_back(call);
    return calls;
  }

  bool isOpen(llvm::Function &function) const {
    const auto state = visits.find(&function);
    return state != visits.end() && state->second == Visit::Open;
  }

  static Error recursion(const llvm::CallBase &call, const llvm::Function &callee) {
    return Error::kernel(
        "unsupported",
        fmt::format("recursion: {} may call itself through a function pointer", userName(callee.getName())),
        placeOf(call),
        "Apple's GPUs run it up to maxCallStackDepth, here all calls are inlined: write a "
        "loop, or link no function of its type that calls through a pointer");
  }

  Result<void> visit(llvm::Function &function) {
    visits[&function] = Visit::Open;
    steps.prune(function);
    // Recursion that ends its function is a loop without a stack.
    if (callsItself(function)) {
      steps.simplify(function);
      steps.loopOverTailCalls(function);
    }
    bool simplified = false;
    do {
      // A callee can become known only when a caller is simplified: repeat until there is none.
      for (auto calls = definedCalls(function); !calls.empty(); calls = definedCalls(function)) {
        if (Result<void> done = inlineAll(function, calls); !done)
          return done;
        steps.simplify(function);
        simplified = true;
      }
      if (!simplified)
        steps.simplify(function);
      simplified = true;
    } while (!definedCalls(function).empty() || steps.expandPointers(function));
    if (callsItself(function)) {
      if (Result<void> done = loopOverCalls(function); !done)
        return done;
      steps.makeReducible(function);
      steps.simplify(function);
    }
    visits[&function] = Visit::Done;
    return {};
  }

  Result<void> inlineAll(llvm::Function &function, llvm::ArrayRef<llvm::CallBase *> calls) {
    for (llvm::CallBase *call : calls) {
      llvm::Function &callee = *call->getCalledFunction();
      const auto state = visits.find(&callee);
      if (state == visits.end()) {
        if (Result<void> done = visit(callee); !done)
          return done;
      } else if (state->second == Visit::Open) {
        return recursion(*call, callee);
      }
    }
    SizeAfter size = sizeAfter(function, calls);
    if (size.total > steps.largeFunction) {
      optimizeLeaves(size);
      size = sizeAfter(function, calls);
    }
    const bool isLarge = size.total > steps.largeFunction;
    const bool joins = (!joined.empty() || (isLarge && mayJoinIn(*function.getParent()))) &&
                       mayJoinCalls(function) &&
                       llvm::all_of(size.callees, [](const auto &each) { return mayJoinCalls(*each.first); });
    if (joins && isLarge)
      chooseJoined(std::move(size));
    SharedStacks stacks;
    for (llvm::CallBase *call : llvm::reverse(calls)) {
      if (joins && joined.contains(call->getCalledFunction()))
        continue;
      if (!joins)
        if (Result<void> done = joinAll(*call->getCalledFunction()); !done)
          return done;
      if (Result<void> done = inlineOne(*call, &stacks); !done)
        return done;
    }
    return {};
  }

  // Products and sums that meet in a phi are not fused.
  static bool mayJoinIn(const llvm::Module &program) { return llvm::none_of(program, hasContractFlags); }

  // What a function would be with these calls inlined.
  struct SizeAfter {
    struct Callee {
      size_t instructions = 0, calls = 0;
    };
    size_t total = 0;
    llvm::MapVector<llvm::Function *, Callee> callees{};
  };
  SizeAfter sizeAfter(const llvm::Function &function, llvm::ArrayRef<llvm::CallBase *> calls) const {
    SizeAfter size;
    size.total = sizeOf(function);
    for (llvm::CallBase *call : calls) {
      const auto [known, isNew] = size.callees.try_emplace(call->getCalledFunction());
      if (isNew)
        known->second.instructions = sizeOf(*known->first);
      ++known->second.calls;
      size.total += known->second.instructions;
    }
    return size;
  }

  // Each call that will be joined makes work where it is joined: values around it become phis.
  size_t sizeOf(const llvm::Function &function) const {
    size_t size = function.getInstructionCount();
    for (const llvm::Function *callee : joined)
      size += callsIn(function, *callee) * callCost();
    return size;
  }
  static size_t callsIn(const llvm::Function &function, const llvm::Function &callee) {
    return size_t(llvm::count_if(callee.users(), [&](const llvm::User *user) {
      const auto *call = llvm::dyn_cast<llvm::CallBase>(user);
      return call && call->getFunction() == &function;
    }));
  }
  size_t callCost() const { return steps.largeFunction / 256; }
  size_t smallestJoined() const { return steps.largeFunction / 64; }

  // Of a function that becomes large.
  void optimizeLeaves(const SizeAfter &size) {
    for (const auto &[callee, each] : size.callees)
      if (each.instructions <= steps.largeFunction && optimized.insert(callee).second && isLeaf(*callee))
        steps.optimizeLeaf(*callee);
  }

  // Those that make the function largest.
  void chooseJoined(SizeAfter size) {
    auto callees = size.callees.takeVector();
    llvm::stable_sort(callees, [](const auto &a, const auto &b) {
      return a.second.instructions * a.second.calls > b.second.instructions * b.second.calls;
    });
    for (const auto &[callee, each] : callees) {
      if (size.total <= steps.largeFunction)
        return;
      if (each.instructions < smallestJoined() || !mayBeJoined(*callee))
        continue;
      joined.insert(callee);
      size.total -= each.calls * (each.instructions - callCost());
    }
  }

  // Joins the calls that are left in the function, callers before their callees.
  Result<void> joinAll(llvm::Function &function) {
    bool any = false;
    for (llvm::Function *callee : llvm::reverse(joined)) {
      if (callsIn(function, *callee) == 0)
        continue;
      if (Result<void> done = inlineOne(joinCalls(function, *callee)); !done)
        return done;
      any = true;
    }
    if (any) {
      steps.makeReducible(function);
      steps.simplify(function);
    }
    return {};
  }

  static Result<void> inlineOne(llvm::CallBase &call, SharedStacks *stacks = nullptr) {
    llvm::Function &callee = *call.getCalledFunction();
    callee.removeFnAttr(llvm::Attribute::NoInline);
    callee.removeFnAttr(llvm::Attribute::OptimizeNone);
    const SourcePlace where = placeOf(call);
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult result = llvm::InlineFunction(call, info);
    if (result.isSuccess()) {
      if (stacks)
        stacks->share(info.StaticAllocas);
      return {};
    }
    return Error::kernel("unsupported",
                         fmt::format("the call of {} cannot be inlined: {}", userName(callee.getName()),
                                     result.getFailureReason()),
                         where);
  }
};

} // namespace

Result<void> inlineCalls(llvm::Function &root, const InlineSteps &steps) {
  Inliner inliner{steps};
  joinCircles(root);
  if (Result<void> done = inliner.visit(root); !done)
    return done;
  if (Result<void> done = inliner.joinAll(root); !done)
    return done;
  // A body that has not been read yet (readModule is lazy) may name a function that nothing else uses, so
  // none is removed while there is such a body. keepOnly removes them later.
  if (llvm::any_of(*root.getParent(),
                   [](const llvm::Function &function) { return function.isMaterializable(); }))
    return {};
  // Not only what has been inlined: the simplification drops calls, such as those of the other math mode.
  removeUnusedFunctions(*root.getParent(), [&](const llvm::Function &function) {
    return &function != &root && function.hasLocalLinkage();
  });
  return {};
}

Result<void> refuseUnknownCalls(const llvm::Function &root) {
  for (const llvm::Instruction &instruction : llvm::instructions(root))
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (!call->getCalledFunction() && !call->isInlineAsm())
        return Error::kernel("unsupported",
                             "a call through a function pointer that is not known at compile time",
                             placeOf(*call), "call the function by its name");
  // What a program defines has a C++ name; primitives and the runtime's functions have none.
  for (const llvm::Instruction &instruction : llvm::instructions(root))
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function *callee = call->getCalledFunction();
          callee && callee->isDeclaration() && callee->getName().starts_with("_Z")) {
        const std::string name = userName(callee->getName());
        // The attribute `error` of a declaration says why: the shim's, for what is not supported.
        if (const llvm::Attribute why = callee->getFnAttribute("dontcall-error"); why.isStringAttribute())
          return Error::kernel("unsupported",
                               fmt::format("{} cannot be called: {}", name, why.getValueAsString().str()),
                               placeOf(*call));
        return Error::kernel("unsupported", fmt::format("{} is declared, and defined nowhere", name),
                             placeOf(*call),
                             "define it in the kernel's source, or give the file that defines it, too");
      }
  return {};
}

namespace {

// A function or variable of one of several linked sources may have the source's number after its name.
std::string demangled(llvm::StringRef symbol) {
  if (symbol.starts_with("_Z"))
    symbol = symbol.split('.').first;
  return vectorNames(llvm::demangle(symbol.str()));
}

} // namespace

std::string userName(llvm::StringRef symbol) {
  std::string name = demangled(symbol);
  // Drop the parameter list, keep template arguments; a static local "f(int)::x" is named x.
  if (const size_t local = name.rfind(")::"); local != std::string::npos)
    return name.substr(local + 3);
  if (const size_t paren = name.find('('); paren != std::string::npos && paren != 0)
    name.resize(paren);
  if (const size_t space = name.rfind(' '); space != std::string::npos && name.find('<') > space)
    name.erase(0, space + 1);
  return name;
}

std::string scopedName(llvm::StringRef symbol) {
  const std::string full = demangled(symbol);
  std::string name;
  size_t begin = 0; // of the name, after the return type of a template's instantiation
  for (size_t i = 0, angles = 0; i < full.size(); ++i) {
    if (full[i] == '(' && angles == 0 && i != begin &&
        !llvm::StringRef(full).substr(i).starts_with("(anonymous")) {
      // A parameter list and what qualifies the function.
      for (int depth = 0; i < full.size(); ++i) {
        depth += (full[i] == '(') - (full[i] == ')');
        if (depth == 0)
          break;
      }
      while (i + 1 < full.size() && full[i + 1] != ':')
        ++i;
      continue;
    }
    angles += full[i] == '<';
    angles -= full[i] == '>' && angles > 0;
    if (full[i] == ' ' && angles == 0) {
      name.clear();
      begin = i + 1;
      continue;
    }
    name += full[i];
  }
  return name;
}

} // namespace assay::lowering
