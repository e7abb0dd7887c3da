// See host_target.h.
//
// Results must not depend on it: whatever the CPU could round in its own way (bfloat conversions, fused
// operations, reciprocal estimates) is either expanded before code generation or switched off here. Fusion
// happens only through llvm.fma, which the numerics passes put where the profile wants it. To see that this
// holds, tests generate for other CPUs, such as x86-64 or x86-64-v3.
#include "host_target.h"

#include "large_functions.h"
#include "lower.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace assay::lowering {
namespace {

struct Host {
  std::string triple, cpu, features;
};

const Host &host() {
  static const Host instance = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    Host h{llvm::sys::getProcessTriple(), llvm::sys::getHostCPUName().str(), {}};
    std::vector<std::string> names;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      names.push_back(fmt::format("{}{}", feature.getValue() ? '+' : '-', feature.getKey().str()));
    std::sort(names.begin(), names.end());
    for (const std::string &name : names)
      h.features += h.features.empty() ? name : ',' + name;
    return h;
  }();
  return instance;
}

// Of a CPU that the caller names, LLVM knows the features.
Host target(const std::string &cpu) {
  return cpu.empty() ? host() : Host{host().triple, cpu, {}};
}

} // namespace

std::string targetKey(const std::string &cpu) {
  const Host h = target(cpu);
  const std::string large = largeFunction() == kLargeFunction ? "" : fmt::format(" {}", largeFunction());
  return fmt::format("{} {} {}{}", h.triple, h.cpu, h.features, large);
}

Result<std::unique_ptr<llvm::TargetMachine>> makeHostTarget(const std::string &cpu, bool debug) {
  const Host h = lowering::target(cpu);
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(h.triple, message);
  if (!target)
    return Error::usage("unsupported",
                        fmt::format("no code generator for this machine ({}): {}", h.triple, message));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.UnsafeFPMath = false;
  options.NoInfsFPMath = options.NoNaNsFPMath = options.NoSignedZerosFPMath = false;
  options.EmitStackSizeSection = true;
  options.TrapUnreachable = true; // falling off the end of a block must not run into other code
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      h.triple, h.cpu, h.features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      debug ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    return Error::usage("unsupported", fmt::format("no code generator for this machine ({})", h.triple));
  return machine;
}

} // namespace assay::lowering
