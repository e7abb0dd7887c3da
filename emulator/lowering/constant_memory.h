// The memory of one variable while its value is computed: bytes, which of them are defined, and the addresses
// among them, which are no bytes before a program is loaded.
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
  /// All of it undefined.
  explicit ConstantMemory(uint64_t bytes) : bytes_(bytes), defined_(bytes) {}

  uint64_t size() const { return bytes_.size(); }

  /// False for what has no bytes: an address as a number, bits that fill no byte.
  bool write(uint64_t offset, llvm::Constant *value, const llvm::DataLayout &layout);
  void fill(uint64_t offset, uint64_t size, uint8_t byte);
  void copy(uint64_t offset, const ConstantMemory &from, uint64_t fromOffset, uint64_t size);

  /// Null for what has no value of this type: half an address. What is undefined is poison.
  llvm::Constant *read(uint64_t offset, llvm::Type *type, const llvm::DataLayout &layout) const;
  /// The whole as a variable's initialiser: null if an element is undefined. A single byte may be: padding
  /// between members is of bytes. They are zero.
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
