// Machine code of a lowered kernel as text.
#include "kernel_runner.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

namespace assay::lowering::test {

std::string disassemble(const LoweredKernel &kernel) {
  using namespace llvm;
  InitializeNativeTarget();
  InitializeNativeTargetDisassembler();
  const std::string triple = sys::getProcessTriple();
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> assembly(target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  std::unique_ptr<MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, sys::getHostCPUName(), ""));
  MCContext context(Triple(triple), assembly.get(), registers.get(), subtarget.get());
  std::unique_ptr<MCDisassembler> disassembler(target->createMCDisassembler(*subtarget, context));
  std::unique_ptr<MCInstPrinter> printer(target->createMCInstPrinter(
      Triple(triple), assembly->getAssemblerDialect(), *assembly, *instructions, *registers));
  std::string text;
  raw_string_ostream out(text);
  auto object = cantFail(object::ObjectFile::createObjectFile(MemoryBufferRef(kernel.object, "kernel")));
  for (const object::SectionRef &section : object->sections()) {
    if (!section.isText())
      continue;
    const StringRef contents = cantFail(section.getContents());
    const ArrayRef<uint8_t> bytes(contents.bytes_begin(), contents.size());
    for (uint64_t at = 0, size = 0; at < bytes.size(); at += std::max<uint64_t>(size, 1)) {
      MCInst instruction;
      if (disassembler->getInstruction(instruction, size, bytes.slice(at), at, nulls()) ==
          MCDisassembler::Success)
        printer->printInst(&instruction, at, "", *subtarget, out);
      out << '\n';
    }
  }
  return out.str();
}

} // namespace assay::lowering::test
