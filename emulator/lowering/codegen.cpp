// Module → ELF object in memory.
#include "codegen.h"

#include "large_functions.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

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

// With AVX-512, LLVM looks for integer arithmetic that pays in mask registers. The time that takes grows
// faster than the kernel: 78 of 89 seconds for a password hash. Only an option of LLVM's command line turns
// it off.
void disableDomainReassignment() {
  static std::once_flag once;
  std::call_once(once, [] {
    StringMap<cl::Option *> &options = cl::getRegisteredOptions();
    if (const auto option = options.find("disable-x86-domain-reassignment"); option != options.end())
      option->second->addOccurrence(0, "", "true");
  });
}

// TargetPassConfig::addISelPasses without CodeGenPrepare (large_functions.h). False: the target has no such
// passes.
class PassesOfLargeFunctions : public TargetPassConfig {
public:
  static bool add(TargetPassConfig &config, legacy::PassManager &passes, LLVMTargetMachine &machine) {
    passes.add(createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
    passes.add(createPreISelIntrinsicLoweringPass());
    passes.add(createExpandLargeDivRemPass());
    passes.add(createExpandLargeFpConvertPass());
    config.addIRPasses();
    config.addPassesToHandleExceptions();
    config.addISelPrepare();
    return !(config.*(&PassesOfLargeFunctions::addCoreISelPasses))(); // protected
  }
};

// TargetMachine::addPassesToEmitFile, without the pass that follows variables through registers for a
// debugger: it takes up to a third of the time, and optimised code has line tables only. Nor is code
// scheduled once more after registers are given out: processors order instructions by themselves. False:
// there is no code generator.
bool addPasses(legacy::PassManager &passes, TargetMachine &target, raw_pwrite_stream &stream, bool variables,
               bool large) {
  auto &machine = static_cast<LLVMTargetMachine &>(target); // as every target of LLVM's
  auto *information = new MachineModuleInfoWrapperPass(&machine);
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  if (!variables)
    config->disablePass(&LiveDebugValuesID);
  config->disablePass(&PostRASchedulerID);
  passes.add(config);
  passes.add(information);
  if (large ? !PassesOfLargeFunctions::add(*config, passes, machine) : config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, CodeGenFileType::ObjectFile,
                            information->getMMI().getContext()))
    return false;
  passes.add(createFreeMachineFunctionPass());
  return true;
}

} // namespace

Result<GeneratedObject> generateObject(Module &module, TargetMachine &machine, bool variables,
                                       size_t largeFunction) {
  disableDomainReassignment();
  bool large = false;
  for (Function &function : module)
    if (function.getInstructionCount() > largeFunction) {
      splitLongBlocks(function);
      large = true;
    }
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (!addPasses(passes, machine, stream, variables, large))
    return Error::usage("unsupported", "this machine's code generator writes no objects");
  passes.run(module);
  GeneratedObject object;
  object.bytes.assign(bytes.begin(), bytes.end());
  object.stackBytes = largestFrame(object.bytes);
  return object;
}

} // namespace assay::lowering
