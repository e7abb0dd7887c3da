// See load_groups.h.
#include "load_groups.h"

#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// An index that is scaled and added: a value, in which way it was extended, and the factor.
struct Term {
  const Value *value;
  unsigned extension; ///< an opcode, 0 for none
  uint64_t scale;
  auto operator<=>(const Term &) const = default;
};

// Where an access begins but for the constant in it, and what is loaded.
struct Place {
  const Value *pointer;
  std::vector<Term> terms;
  Type *type;
  auto operator<=>(const Place &) const = default;
};

// value = result + constant, as numbers of 64 bits after the extension.
const Value *withoutConstant(const Value *value, unsigned extension, int64_t &constant) {
  const auto *sum = dyn_cast<BinaryOperator>(value);
  const auto *number = sum ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!number || number->getBitWidth() > 64)
    return value;
  const bool isAdd = sum->getOpcode() == Instruction::Add;
  if (!isAdd && !isDisjointOr(*sum))
    return value;
  if (extension == Instruction::SExt ? !isAdd || !sum->hasNoSignedWrap()
                                     : extension && isAdd && !sum->hasNoUnsignedWrap())
    return value;
  constant = extension == Instruction::ZExt ? int64_t(number->getZExtValue()) : number->getSExtValue();
  return sum->getOperand(0);
}

// The place and the constant bytes from it, through addresses of addresses.
std::pair<Place, int64_t> placeOf(const LoadInst &load) {
  Place place{load.getPointerOperand(), {}, elementOfGroup(load)};
  uint64_t bytes = 0;
  while (const auto *address = dyn_cast<GetElementPtrInst>(place.pointer)) {
    const std::optional<AddressTerms> terms = termsOf(*address);
    if (!terms || address->getType()->isVectorTy())
      break;
    bytes += terms->constant.getZExtValue();
    for (const auto &[index, scale] : terms->scaled) {
      const Value *value = index;
      unsigned extension = index->getType()->getIntegerBitWidth() < 64 ? unsigned(Instruction::SExt) : 0;
      if (const auto *cast = dyn_cast<CastInst>(value); cast && !extension && isa<ZExtInst, SExtInst>(cast)) {
        extension = cast->getOpcode();
        value = cast->getOperand(0);
      }
      int64_t constant = 0;
      value = withoutConstant(value, extension, constant);
      bytes += uint64_t(constant) * scale.getZExtValue();
      place.terms.push_back({value, extension, scale.getZExtValue()});
    }
    place.pointer = address->getPointerOperand();
  }
  std::sort(place.terms.begin(), place.terms.end());
  return {std::move(place), int64_t(bytes)};
}

} // namespace

Type *elementOfGroup(const LoadInst &load) {
  Type *type = load.getType();
  if (!isa<FixedVectorType>(type) || type->getScalarSizeInBits() < 8 || type->isPtrOrPtrVectorTy())
    return type;
  const uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  return bits == 32 || bits == 64 ? IntegerType::get(type->getContext(), unsigned(bits)) : type;
}

LoadGroups::LoadGroups(const Function &function, function_ref<bool(const LoadInst &)> takesPart,
                       function_ref<unsigned(const LoadInst &, unsigned)> mostElements) {
  struct Found {
    const LoadInst *load;
    int64_t at;
    unsigned order; ///< among the loads of the block
  };
  std::map<Place, std::vector<Found>> places; // since the last instruction that may write
  unsigned order = 0;
  const auto close = [&] {
    for (auto &[place, loads] : places) {
      const int64_t bytes = int64_t(place.type->getScalarSizeInBits() / 8);
      std::stable_sort(loads.begin(), loads.end(),
                       [](const Found &a, const Found &b) { return a.at < b.at; });
      for (size_t from = 0; from < loads.size();) {
        // A run of neighbours; two loads may be of the same element.
        size_t to = from + 1;
        while (to < loads.size() &&
               (loads[to].at == loads[to - 1].at || loads[to].at == loads[to - 1].at + bytes))
          ++to;
        const auto elements = unsigned((loads[to - 1].at - loads[from].at) / bytes + 1);
        const auto firstOf = [&](size_t end) {
          return *std::min_element(loads.begin() + long(from), loads.begin() + long(end),
                                   [](const Found &a, const Found &b) { return a.order < b.order; });
        };
        // The first load is another one if fewer are taken; how the lanes lie is the same for all.
        const unsigned most = elements < 2 ? 0 : mostElements(*loads[from].load, elements);
        size_t end = from;
        while (end < to && (loads[end].at - loads[from].at) / bytes < int64_t(most))
          ++end;
        if (most >= 2) {
          const Found first = firstOf(end);
          const LoadGroup &group =
              *groups_.emplace_back(std::make_unique<LoadGroup>(first.load, loads[from].at - first.at, most));
          for (size_t i = from; i < end; ++i)
            members_[loads[i].load] = {&group, unsigned((loads[i].at - loads[from].at) / bytes)};
        }
        from = most >= 2 ? end : to;
      }
    }
    places.clear();
  };
  for (const BasicBlock &block : function) {
    order = 0;
    for (const Instruction &instruction : block) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      if (load && load->isSimple() && takesPart(*load)) {
        auto [place, at] = placeOf(*load);
        places[std::move(place)].push_back({load, at, order++});
      } else if (instruction.mayWriteToMemory() || instruction.mayThrow() || !instruction.willReturn()) {
        close();
      }
    }
    close();
  }
}

} // namespace assay::lowering::vector
