// Accesses of memory that is not private, for 32 lanes.
//
// Consecutive addresses: one access under the mask, where the CPU has such accesses for the type. Other
// constant distances: if all lanes are in the mask, vector accesses and shuffles (access_patterns.h). What is
// left is a gather or a scatter of the largest words the CPU has them for, or else a loop over the lanes.
#include "vectorizer.h"

#include "access_patterns.h"
#include "lane_runs.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

namespace assay::lowering::vector {

using namespace llvm;

namespace {

// bfloat values are moved as words (word_moves.h), and a bool lies in memory as a byte.
Type *inMemory(Type *type) {
  if (type->isIntegerTy(1))
    return Type::getInt8Ty(type->getContext());
  return type->isBFloatTy() ? Type::getInt16Ty(type->getContext()) : type;
}

unsigned bytesOf(Type *type) {
  return type->isPointerTy() ? 8 : type->getScalarSizeInBits() / 8;
}

// With as few accesses as there can be.
void copyBytes(IRBuilder<> &b, Value *to, Value *from, unsigned bytes) {
  for (unsigned at = 0; at < bytes;) {
    const unsigned size = std::min(bit_floor(bytes - at), 16u);
    Type *word = FixedVectorType::get(b.getInt8Ty(), size);
    Value *bits = b.CreateAlignedLoad(word, b.CreateConstGEP1_64(b.getInt8Ty(), from, at), kAnyAlign);
    b.CreateAlignedStore(bits, b.CreateConstGEP1_64(b.getInt8Ty(), to, at), kAnyAlign);
    at += size;
  }
}

} // namespace

// ---- what an access looks like ----

bool Vectorizer::isConsecutive(const Value &pointer, uint64_t bytes) const {
  const Shape &shape = shapes_.of(pointer);
  return shape.kind == ShapeKind::Affine && shape.distances == laneNumbers(int64_t(bytes));
}

AccessShape Vectorizer::accessShape(const Value &pointer, unsigned count, Type *type) const {
  const auto registerBytes =
      unsigned(target_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() / 8);
  const unsigned bytes = bytesOf(type);
  // Three bytes side by side are one element of 24 bits, of which ten fill 256 bits.
  const unsigned longest = bit_floor(std::clamp(registerBytes / bytes, 1u, kLanes));
  return {shapes_.of(pointer).distances, count, bytes, longest};
}

// ---- one way or the other ----

// A null test always holds.
Components Vectorizer::eitherWay(Value *test, function_ref<Components()> fast,
                                 function_ref<Components()> slow) {
  if (!test)
    return fast();
  BasicBlock *yes = newBlock("access.fast"), *no = newBlock("access.slow"), *done = newBlock("accessed");
  b_.CreateCondBr(test, yes, no, MDBuilder(to_.getContext()).createBranchWeights(1 << 20, 1));
  b_.SetInsertPoint(yes);
  const Components first = fast();
  BasicBlock *yesEnd = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(no);
  const Components second = slow();
  BasicBlock *noEnd = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  Components results;
  for (unsigned i = 0; i < first.size(); ++i) {
    PHINode *phi = b_.CreatePHI(first[i]->getType(), 2);
    phi->addIncoming(first[i], yesEnd);
    phi->addIncoming(second[i], noEnd);
    results.push_back(phi);
  }
  return results;
}

// Whether all lanes are in the mask, and the distances of the pointer hold.
Value *Vectorizer::allAndAffine(const Value &pointer) {
  Value *all = b_.CreateAndReduce(mask_), *holds = values_.condition(pointer);
  return holds ? b_.CreateAnd(all, holds) : all;
}

// ---- pieces ----

namespace {

struct Taken {
  unsigned source, place;
};

// A vector whose element i is element `taken[i].place` of the source. All sources have at most as many
// elements as it has.
Value *assembled(IRBuilder<> &b, ArrayRef<Value *> sources, ArrayRef<std::optional<Taken>> taken) {
  const auto length = unsigned(taken.size());
  const auto lengthOf = [](Value *vector) {
    return cast<FixedVectorType>(vector->getType())->getNumElements();
  };
  Value *made = nullptr;
  for (unsigned source = 0; source < sources.size(); ++source) {
    SmallVector<int, kLanes> order(length, -1);
    bool any = false;
    for (unsigned i = 0; i < length; ++i)
      if (taken[i] && taken[i]->source == source) {
        order[i] = int(taken[i]->place);
        any = true;
      }
    if (!any)
      continue;
    if (!made) {
      made = b.CreateShuffleVector(sources[source], order);
      continue;
    }
    Value *next = sources[source];
    if (lengthOf(next) != length) {
      SmallVector<int, kLanes> padded(length, -1);
      for (unsigned i = 0; i < lengthOf(next); ++i)
        padded[i] = int(i);
      next = b.CreateShuffleVector(next, padded);
    }
    // What was there already stays.
    for (unsigned i = 0; i < length; ++i)
      if (taken[i] && taken[i]->source < source)
        order[i] = int(i);
      else if (order[i] >= 0)
        order[i] += int(length);
    made = b.CreateShuffleVector(made, next, order);
  }
  return made;
}

} // namespace

Components Vectorizer::loadPieces(Value *base, const AccessPattern &pattern, const AccessShape &shape,
                                  Type *type) {
  SmallVector<Value *> loaded;
  for (const Piece &piece : pattern.pieces) {
    Value *place = b_.CreatePtrAdd(base, b_.getInt64(uint64_t(piece.first * int64_t(shape.bytes))));
    loaded.push_back(b_.CreateAlignedLoad(FixedVectorType::get(type, piece.length), place, kAnyAlign));
  }
  if (pattern.isLaneByLane(shape))
    return apart(concatenateVectors(b_, loaded), shape.count);
  Components parts;
  for (unsigned component = 0; component < shape.count; ++component) {
    SmallVector<Value *> vectors;
    for (unsigned first = 0; first < kLanes; first += shape.longest) {
      SmallVector<std::optional<Taken>, kLanes> taken;
      for (unsigned lane = first; lane < first + shape.longest; ++lane) {
        const auto [piece, place] = pattern.at(lane, component);
        taken.push_back(Taken{piece, place});
      }
      vectors.push_back(assembled(b_, loaded, taken));
    }
    parts.push_back(vectors.size() == 1 ? vectors[0] : concatenateVectors(b_, vectors));
  }
  return parts;
}

void Vectorizer::storePieces(Value *base, const AccessPattern &pattern, const AccessShape &shape,
                             ArrayRef<Value *> parts) {
  const unsigned groups = kLanes / shape.longest;
  SmallVector<Value *> vectors; // component by component
  for (Value *part : parts)
    for (unsigned group = 0; group < groups; ++group) {
      SmallVector<int, kLanes> order;
      for (unsigned i = 0; i < shape.longest; ++i)
        order.push_back(int(group * shape.longest + i));
      vectors.push_back(groups == 1 ? part : b_.CreateShuffleVector(part, order));
    }
  std::vector<SmallVector<std::optional<Taken>, kLanes>> taken(pattern.pieces.size());
  for (auto &piece : taken)
    piece.resize(shape.longest);
  for (unsigned component = 0; component < shape.count; ++component)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto [piece, place] = pattern.at(lane, component);
      taken[piece][place] = Taken{component * groups + lane / shape.longest, lane % shape.longest};
    }
  for (unsigned i = 0; i < pattern.pieces.size(); ++i) {
    const Piece &piece = pattern.pieces[i];
    Value *place = b_.CreatePtrAdd(base, b_.getInt64(uint64_t(piece.first * int64_t(shape.bytes))));
    Value *value = assembled(b_, vectors, taken[i]);
    if (piece.length < shape.longest) {
      SmallVector<int, kLanes> order;
      for (unsigned at = 0; at < piece.length; ++at)
        order.push_back(int(at));
      value = b_.CreateShuffleVector(value, order);
    }
    if (piece.written == ~uint64_t(0)) {
      b_.CreateAlignedStore(value, place, kAnyAlign);
      continue;
    }
    SmallVector<Constant *> written;
    for (unsigned at = 0; at < piece.length; ++at)
      written.push_back(b_.getInt1(piece.written >> at & 1));
    b_.CreateMaskedStore(value, place, kAnyAlign, ConstantVector::get(written));
  }
}

// ---- any addresses ----

// A gather of this word for the lanes in the mask, as the CPU's own instruction.
bool Vectorizer::hasGather(Type *word) const {
  return target_.isLegalMaskedGather(wide(word), kAnyAlign) &&
         !target_.forceScalarizeMaskedGather(cast<VectorType>(wide(word)), kAnyAlign);
}

bool Vectorizer::hasScatter(Type *word) const {
  return target_.isLegalMaskedScatter(wide(word), kAnyAlign) &&
         !target_.forceScalarizeMaskedScatter(cast<VectorType>(wide(word)), kAnyAlign);
}

// Memory of the function that holds such a vector.
AllocaInst *Vectorizer::scratch(Type *type, const Twine &name) {
  IRBuilder<> b(&*to_.getEntryBlock().begin());
  AllocaInst *made = b.CreateAlloca(type, nullptr, name);
  made->setAlignment(Align(64));
  return made;
}

Value *Vectorizer::farther(Value *places, int64_t bytes) {
  if (bytes == 0)
    return places;
  Value *offset = b_.getInt64(uint64_t(bytes));
  return b_.CreateGEP(b_.getInt8Ty(), places,
                      places->getType()->isVectorTy() ? b_.CreateVectorSplat(kLanes, offset) : offset);
}

// `count` neighbouring elements at each address.
Components Vectorizer::gathered(Value *places, unsigned count, Type *type) {
  const unsigned bytes = count * bytesOf(type);
  if (type->isPointerTy()) {
    Components parts = gathered(places, count, b_.getInt64Ty());
    for (Value *&part : parts)
      part = b_.CreateIntToPtr(part, wide(type));
    return parts;
  }
  if (bytes <= 8 && isPowerOf2_32(bytes) && hasGather(b_.getIntNTy(bytes * 8))) {
    Type *word = wide(b_.getIntNTy(bytes * 8));
    Value *words = b_.CreateMaskedGather(word, places, kAnyAlign, mask_, Constant::getNullValue(word));
    Value *all = b_.CreateBitCast(words, FixedVectorType::get(type, kLanes * count));
    return count == 1 ? Components{all} : apart(all, count);
  }
  const unsigned perWord = 8 / bytesOf(type);
  if (bytes > 8 && perWord * bytesOf(type) == 8 && bytes % 8 == 0 && hasGather(b_.getInt64Ty())) {
    Components parts;
    for (unsigned word = 0; word < bytes / 8; ++word)
      append_range(parts, gathered(farther(places, word * 8), perWord, type));
    return parts;
  }
  if (bytes > 8 && hasGather(type)) {
    Components parts;
    for (unsigned part = 0; part < count; ++part) {
      parts.push_back(b_.CreateMaskedGather(wide(type), farther(places, part * bytesOf(type)), kAnyAlign,
                                            mask_, Constant::getNullValue(wide(type))));
    }
    return parts;
  }
  if (bytes < 8 && hasGather(b_.getIntNTy(bytes < 3 ? 32 : 64)))
    return gatheredInWords(places, count, type);
  if (!together_)
    return gatheredInTurn(places, count, type);
  return eitherWay(
      b_.CreateAndReduce(mask_), [&] { return gatheredAtOnce(places, count, type); },
      [&] { return gatheredInTurn(places, count, type); });
}

// Less than a word for each lane: the aligned word of 4 or 8 bytes that it lies in, which is on a page that
// the lane reads. If it lies in two for some lane, one lane after the other.
Components Vectorizer::gatheredInWords(Value *places, unsigned count, Type *type) {
  const unsigned bytes = count * bytesOf(type), wordBytes = bytes < 3 ? 4 : 8;
  Type *i64 = wide(b_.getInt64Ty()), *word = wide(b_.getIntNTy(wordBytes * 8));
  Value *beyond = b_.CreateAnd(b_.CreatePtrToInt(places, i64), ConstantInt::get(i64, wordBytes - 1));
  const auto inWords = [&]() -> Components {
    Value *words = b_.CreateMaskedGather(word, b_.CreateGEP(b_.getInt8Ty(), places, b_.CreateNeg(beyond)),
                                         kAnyAlign, mask_, Constant::getNullValue(word));
    Value *bits = b_.CreateShl(b_.CreateZExtOrTrunc(beyond, word), ConstantInt::get(word, 3));
    Value *all = b_.CreateBitCast(b_.CreateTrunc(b_.CreateLShr(words, bits), wide(b_.getIntNTy(bytes * 8))),
                                  FixedVectorType::get(type, kLanes * count));
    return count == 1 ? Components{all} : apart(all, count);
  };
  if (bytes == 1)
    return inWords();
  Value *crosses = both(mask_, b_.CreateICmpUGT(beyond, ConstantInt::get(i64, wordBytes - bytes)));
  return eitherWay(b_.CreateNot(b_.CreateOrReduce(crosses)), inWords,
                   [&] { return gatheredInTurn(places, count, type); });
}

// All lanes are in the mask: one load for each, without a branch.
Components Vectorizer::gatheredAtOnce(Value *places, unsigned count, Type *type) {
  SmallVector<Value *> loaded;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    loaded.push_back(b_.CreateAlignedLoad(FixedVectorType::get(type, count),
                                          b_.CreateExtractElement(places, lane), kAnyAlign));
  Value *joined = concatenateVectors(b_, loaded);
  return count == 1 ? Components{joined} : apart(joined, count);
}

// Lane by lane. Lanes that are not in the mask keep what another access has left there.
Components Vectorizer::gatheredInTurn(Value *places, unsigned count, Type *type) {
  const unsigned bytes = count * bytesOf(type);
  auto *all = FixedVectorType::get(type, kLanes * count);
  AllocaInst *from = scratch(places->getType(), "gather.from"), *to = scratch(all, "gathered");
  IRBuilder<>(to_.getEntryBlock().getTerminator()).CreateStore(Constant::getNullValue(all), to);
  b_.CreateStore(places, from);
  forEachLane(mask_, [&](Value *lane) {
    Value *index = b_.CreateZExt(lane, b_.getInt64Ty());
    Value *place = b_.CreateLoad(b_.getPtrTy(), b_.CreateGEP(b_.getPtrTy(), from, index));
    Value *target = b_.CreateGEP(b_.getInt8Ty(), to, b_.CreateMul(index, b_.getInt64(bytes)));
    copyBytes(b_, target, place, bytes);
  });
  Value *joined = b_.CreateLoad(all, to);
  return count == 1 ? Components{joined} : apart(joined, count);
}

// If lanes write the same bytes, the last of them wins.
void Vectorizer::scattered(Value *places, ArrayRef<Value *> parts) {
  const auto count = unsigned(parts.size());
  Type *type = parts[0]->getType()->getScalarType();
  const unsigned bytes = count * bytesOf(type);
  Value *all = count == 1 ? parts[0] : interleaved(parts);
  if (bytes <= 8 && isPowerOf2_32(bytes) && hasScatter(b_.getIntNTy(bytes * 8))) {
    if (!type->isPointerTy())
      all = b_.CreateBitCast(all, wide(b_.getIntNTy(bytes * 8)));
    b_.CreateMaskedScatter(all, places, kAnyAlign, mask_);
    return;
  }
  AllocaInst *to = scratch(places->getType(), "scatter.to"), *from = scratch(all->getType(), "scattered");
  b_.CreateStore(places, to);
  b_.CreateStore(all, from);
  forEachLane(mask_, [&](Value *lane) {
    Value *index = b_.CreateZExt(lane, b_.getInt64Ty());
    Value *place = b_.CreateLoad(b_.getPtrTy(), b_.CreateGEP(b_.getPtrTy(), to, index));
    Value *source = b_.CreateGEP(b_.getInt8Ty(), from, b_.CreateMul(index, b_.getInt64(bytes)));
    copyBytes(b_, place, source, bytes);
  });
}

// ---- accesses ----

// What simdgroups to come are likely to load, if they follow one another and load it once: the CPU does not
// look so far ahead. It may lie past the buffer: that is no access.
void Vectorizer::fetchAhead(Value *place, unsigned bytes) {
  constexpr uint64_t kLine = 64, kAhead = 1024;
  if (!whole_ || order_.innermost.lookup(blocks_[index_]) != -1)
    return;
  for (uint64_t at = 0; at < bytes; at += kLine)
    b_.CreateIntrinsic(
        Intrinsic::prefetch, {place->getType()},
        {b_.CreatePtrAdd(place, b_.getInt64(kAhead + at)), b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
}

// Where lanes lie side by side, and each has whole words that can be loaded under a mask. Else null.
Type *Vectorizer::wordOf(const Value &pointer, unsigned count, Type *type) const {
  constexpr unsigned kMost = 32;
  const unsigned bytes = count * bytesOf(type);
  if (count < 2 || type->isPointerTy() || bytes > kMost || (bytes != 4 && bytes % 8 != 0) ||
      !isPowerOf2_32(count) || !isConsecutive(pointer, bytes))
    return nullptr;
  Type *word = IntegerType::get(to_.getContext(), bytes == 4 ? 32 : 64);
  return target_.isLegalMaskedLoad(wide(word), kAnyAlign) ? word : nullptr;
}

Components Vectorizer::loadWords(Value *place, Type *word, unsigned count, Type *type) {
  const unsigned each = count * bytesOf(type) / bytesOf(word);
  auto *all = FixedVectorType::get(word, kLanes * each);
  Value *mask = mask_;
  if (each > 1) {
    SmallVector<int> lanes;
    for (unsigned i = 0; i < kLanes * each; ++i)
      lanes.push_back(int(i / each));
    mask = b_.CreateShuffleVector(mask_, lanes);
  }
  Value *words = b_.CreateMaskedLoad(all, place, kAnyAlign, mask, Constant::getNullValue(all));
  return apart(b_.CreateBitCast(words, FixedVectorType::get(type, kLanes * count)), count);
}

// `count` neighbouring elements of a type that memory holds, so many bytes from a pointer that is not
// uniform.
Components Vectorizer::loadElements(const Value &pointer, int64_t offset, unsigned count, Type *type) {
  const auto anyhow = [&] { return gathered(farther(values_.lane(pointer), offset), count, type); };
  if (count == 1 && isConsecutive(pointer, bytesOf(type)) &&
      target_.isLegalMaskedLoad(wide(type), kAnyAlign)) {
    Constant *zeros = Constant::getNullValue(wide(type));
    return eitherWay(
        values_.condition(pointer),
        [&]() -> Components {
          Value *place = farther(values_.scalar(pointer), offset);
          fetchAhead(place, kLanes * bytesOf(type));
          return {b_.CreateMaskedLoad(wide(type), place, kAnyAlign, mask_, zeros)};
        },
        anyhow);
  }
  if (Type *word = wordOf(pointer, count, type))
    return eitherWay(
        values_.condition(pointer),
        [&] { return loadWords(farther(values_.scalar(pointer), offset), word, count, type); }, anyhow);
  std::optional<AccessPattern> pattern;
  const AccessShape shape = accessShape(pointer, count, type);
  if (shapes_.of(pointer).kind == ShapeKind::Affine)
    pattern = loadPattern(shape);
  if (!pattern) {
    const auto runs = count == 1 && shapes_.isVarying(pointer) && !type->isPointerTy()
                          ? runsOf(shapes_, pointer, bytesOf(type))
                          : std::nullopt;
    return runs ? loadRuns(pointer, offset, *runs, type) : anyhow();
  }
  return eitherWay(
      allAndAffine(pointer),
      [&] { return loadPieces(farther(values_.scalar(pointer), offset), *pattern, shape, type); }, anyhow);
}

void Vectorizer::storeElements(const Value &pointer, ArrayRef<Value *> parts) {
  Type *type = parts[0]->getType()->getScalarType();
  const auto count = unsigned(parts.size());
  const bool hasMaskedStore = target_.isLegalMaskedStore(wide(type), kAnyAlign);
  const auto anyhow = [&] {
    scattered(values_.lane(pointer), parts);
    return Components();
  };
  if (count == 1 && isConsecutive(pointer, bytesOf(type)) && hasMaskedStore) {
    eitherWay(
        values_.condition(pointer),
        [&] {
          b_.CreateMaskedStore(parts[0], values_.scalar(pointer), kAnyAlign, mask_);
          return Components();
        },
        anyhow);
    return;
  }
  std::optional<AccessPattern> pattern;
  const AccessShape shape = accessShape(pointer, count, type);
  if (shapes_.of(pointer).kind == ShapeKind::Affine)
    pattern = storePattern(shape, hasMaskedStore);
  if (count == 1 && shapes_.isVarying(pointer) && !type->isPointerTy())
    if (const auto runs = runsOf(shapes_, pointer, bytesOf(type)); runs && !runs->same)
      return storeRuns(pointer, *runs, parts[0]);
  if (!pattern) {
    anyhow();
    return;
  }
  eitherWay(
      allAndAffine(pointer),
      [&] {
        storePieces(values_.scalar(pointer), *pattern, shape, parts);
        return Components();
      },
      anyhow);
}

// How many of `count` neighbours are loaded at once: load_groups.h.
unsigned Vectorizer::atOnce(const LoadInst &load, unsigned count) const {
  constexpr unsigned kMost = 8;
  const Value &pointer = *load.getPointerOperand();
  Type *type = inMemory(elementOfGroup(load));
  const unsigned bytes = bytesOf(type);
  if (isConsecutive(pointer, bytes))
    return 0;
  if (shapes_.of(pointer).kind == ShapeKind::Affine) {
    const AccessShape one = accessShape(pointer, 1, type);
    const std::optional<AccessPattern> alone = loadPattern(one);
    for (unsigned many = bit_floor(std::min(count, kMost)); many >= 2; many /= 2) {
      const AccessShape shape = accessShape(pointer, many, type);
      const std::optional<AccessPattern> pattern = loadPattern(shape);
      if (pattern && (!alone || costOf(shape, *pattern) < many * costOf(one, *alone)))
        return many;
    }
    if (alone)
      return 0;
  }
  for (const unsigned most : {8u, 4u})
    if (bytes < most && hasGather(IntegerType::get(to_.getContext(), most * 8)))
      return bit_floor(std::min(count, most / bytes));
  constexpr unsigned kMostInTurn = 16;
  return hasGather(type) ? 0 : bit_floor(std::min(count, kMostInTurn / bytes));
}

void Vectorizer::findLoadGroups() {
  const auto takesPart = [&](const LoadInst &load) {
    const Value &pointer = *load.getPointerOperand();
    const Type *element = elementOfGroup(load);
    return !shapes_.isUniform(pointer) && !shapes_.variableOf(pointer) && !element->isVectorTy() &&
           !element->isPointerTy() && element->getScalarSizeInBits() >= 8 &&
           isPowerOf2_32(element->getScalarSizeInBits());
  };
  groups_.emplace(from_, takesPart,
                  [&](const LoadInst &load, unsigned count) { return atOnce(load, count); });
}

// What memory holds for the load: by itself, or as an element of what is loaded at once.
Components Vectorizer::loadStored(const LoadInst &load) {
  Type *stored = inMemory(load.getType()->getScalarType());
  const LoadGroups::Member member = groups_->of(load);
  if (!member.group)
    return loadElements(*load.getPointerOperand(), 0, componentsOf(load.getType()), stored);
  Components &whole = loadedGroups_[member.group];
  Type *element = inMemory(elementOfGroup(load));
  if (whole.empty())
    whole = loadElements(*load.getPointerOperand(), member.group->offset, member.group->count, element);
  const unsigned components = componentsOf(load.getType());
  if (components == 1)
    return {whole[member.element]};
  return apart(b_.CreateBitCast(whole[member.element], FixedVectorType::get(stored, kLanes * components)),
               components);
}

Components Vectorizer::loadShared(const LoadInst &load) {
  Type *type = load.getType()->getScalarType(), *stored = inMemory(type);
  Components parts = loadStored(load);
  for (Value *&part : parts) {
    if (type->isIntegerTy(1))
      part = b_.CreateTrunc(part, wide(type));
    else if (type != stored)
      part = b_.CreateBitCast(part, wide(type));
  }
  return parts;
}

void Vectorizer::storeShared(const StoreInst &store) {
  const Value &pointer = *store.getPointerOperand(), &value = *store.getValueOperand();
  if (shapes_.isUniform(pointer)) {
    Instruction *copy = store.clone();
    copy->setOperand(0, values_.extracted(value, shapes_.isUniform(value) ? nullptr : lastOf(mask_)));
    copy->setOperand(1, values_.scalar(pointer));
    b_.Insert(copy);
    return;
  }
  Components parts = values_.lanes(value);
  Type *type = value.getType()->getScalarType(), *stored = inMemory(type);
  for (Value *&part : parts) {
    if (type->isIntegerTy(1))
      part = b_.CreateZExt(part, wide(stored));
    else if (type != stored)
      part = b_.CreateBitCast(part, wide(stored));
  }
  storeElements(pointer, parts);
}

} // namespace assay::lowering::vector
