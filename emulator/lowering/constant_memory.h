// The memory of one variable while its initial value is computed. It has bytes, a mark for each byte that is
// defined, and the addresses that are stored in it, which have no bytes before a program is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace llvm {
class Constant;
class DataLayout;
class Type;
} // namespace llvm

namespace assay::lowering {

class ConstantMemory {
public:
  /// All of it is undefined at first.
  explicit ConstantMemory(uint64_t bytes) : bytes_(bytes), defined_(bytes) {}

  uint64_t size() const { return bytes_.size(); }

  /// False for a value that has no bytes: an address as a number, or bits that do not fill a byte.
  bool write(uint64_t offset, llvm::Constant *value, const llvm::DataLayout &layout);
  void fill(uint64_t offset, uint64_t size, uint8_t byte);
  void copy(uint64_t offset, const ConstantMemory &from, uint64_t fromOffset, uint64_t size);

  /// Null if there is no value of this type, as in half of an address. Undefined memory reads as poison, and
  /// undefined bytes beside defined ones as zero: vectors of three are passed in numbers of the size of four.
  llvm::Constant *read(uint64_t offset, llvm::Type *type, const llvm::DataLayout &layout) const;
  /// All of it as a variable's initialiser: null if an element is undefined. Single undefined bytes are
  /// allowed, because the padding between members consists of bytes. They become zero.
  llvm::Constant *asInitializer(llvm::Type *type, const llvm::DataLayout &layout) const;

private:
  llvm::Constant *value(uint64_t offset, llvm::Type *type, const llvm::DataLayout &layout,
                        bool complete) const;
  void forgetAddresses(uint64_t offset, uint64_t size);
  bool holdsAddress(uint64_t offset, uint64_t size) const;

  std::vector<uint8_t> bytes_;
  std::vector<bool> defined_;
  std::map<uint64_t, llvm::Constant *> addresses_; ///< by offset
};

} // namespace assay::lowering
