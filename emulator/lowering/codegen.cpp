// Module → ELF object in memory.
#include "codegen.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/raw_ostream.h>

namespace assay::lowering {
namespace {

using namespace llvm;

// .stack_sizes: for each function its address and its frame size as ULEB128. The call itself pushes 8 bytes
// more.
uint64_t largestFrame(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
  if (!file) {
    consumeError(file.takeError());
    return 0;
  }
  uint64_t largest = 0;
  for (const object::SectionRef &section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    Expected<StringRef> contents = section.getContents();
    if (name && contents && *name == ".stack_sizes") {
      DataExtractor data(*contents, /*IsLittleEndian=*/true, /*AddressSize=*/8);
      uint64_t offset = 0;
      while (data.isValidOffsetForAddress(offset)) {
        data.getAddress(&offset);
        largest = std::max(largest, data.getULEB128(&offset));
      }
    }
    if (!name)
      consumeError(name.takeError());
    if (!contents)
      consumeError(contents.takeError());
  }
  return largest + 8;
}

} // namespace

Result<GeneratedObject> generateObject(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true))
    return Error::usage("unsupported", "this machine's code generator writes no objects");
  passes.run(module);
  GeneratedObject object;
  object.bytes.assign(bytes.begin(), bytes.end());
  object.stackBytes = largestFrame(object.bytes);
  return object;
}

} // namespace assay::lowering
