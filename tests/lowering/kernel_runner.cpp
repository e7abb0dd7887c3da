// Runs textual IR through lowerKernel and NativeKernel with a runtime made of recorders.
#include "kernel_runner.h"

#include "support/process/sanitizers.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <xmmintrin.h>

#include <cmath>
#include <csetjmp>

namespace assay::lowering::test {
namespace {

Kernel *current = nullptr;
std::jmp_buf leave;

Call &record(const char *name, uint32_t site) {
  current->calls.push_back({name, site, 0, 0, 0, current->counters});
  return current->calls.back();
}

void barrier(LaneAbi *, uint32_t site, uint32_t flags) {
  record("threadgroup_barrier", site).operand = flags;
}
void spin(LaneAbi *, uint32_t site) {
  record("spin", site);
}

void simdOp(LaneAbi *, uint32_t site, const void *in, void *out, uint32_t operand) {
  Call &call = record("simd_op", site);
  call.operand = operand;
  if (current->onSimd)
    current->onSimd(call, in, out);
}

void access(const char *name, uint32_t site, uint64_t address, uint64_t bytes) {
  Call &call = record(name, site);
  call.address = address;
  call.bytes = bytes;
}

void outOfBounds(LaneAbi *, uint32_t site, uint64_t address, uint64_t bytes) {
  access("out_of_bounds", site, address, bytes);
  std::longjmp(leave, 1);
}

void indexOperand(LaneAbi *, uint64_t value) {
  current->indexOperands.push_back(value);
}

void noFunction(LaneAbi *, uint32_t site, uint64_t value, uint64_t size) {
  access("no_function", site, value, size);
  std::longjmp(leave, 1);
}

void checkAccess(LaneAbi *, uint32_t site, uint64_t address, uint64_t bytes) {
  access("check_access", site, address, bytes);
  if (current->denyChecks)
    std::longjmp(leave, 1);
}

void observeAccess(LaneAbi *, uint32_t site, uint64_t address, uint64_t bytes) {
  access("observe_access", site, address, bytes);
}

void observeFence(LaneAbi *, uint32_t site, uint32_t flags, uint32_t order_scope) {
  Call &call = record("observe_fence", site);
  call.operand = flags;
  call.bytes = order_scope;
}

ShadowAbi *shadows(LaneAbi *) {
  return &current->shadows;
}
void undefined(LaneAbi *, uint32_t site, uint64_t origin, uint64_t address) {
  Call &call = record("undefined", site);
  call.address = address;
  call.origin = origin;
}
void written(LaneAbi *, uint64_t address, uint64_t bytes) {
  access("written", 0, address, bytes);
}

template <class F> void *pointer(F *function) {
  return reinterpret_cast<void *>(function);
}

const std::vector<RuntimeSymbol> &symbols() {
  static const std::vector<RuntimeSymbol> table = {
      {"assay_rt_threadgroup_barrier", pointer(barrier)},
      {"assay_rt_simd_op", pointer(simdOp)},
      {"assay_rt_spin", pointer(spin)},
      {"assay_rt_out_of_bounds", pointer(outOfBounds)},
      {"assay_rt_index_operand", pointer(indexOperand)},
      {"assay_rt_no_function", pointer(noFunction)},
      {"assay_rt_check_access", pointer(checkAccess)},
      {"assay_rt_observe_access", pointer(observeAccess)},
      {"assay_rt_observe_fence", pointer(observeFence)},
      {"assay_rt_shadows", pointer(shadows)},
      {"assay_rt_undefined", pointer(undefined)},
      {"assay_rt_written", pointer(written)},
      {"memcpy", pointer(std::memcpy)},
      {"memmove", pointer(std::memmove)},
      {"memset", pointer(std::memset)},
      {"fmaf", pointer<float(float, float, float)>(std::fma)},
      {"fmodf", pointer<float(float, float)>(std::fmod)},
  };
  return table;
}

constexpr const char *kPrologue = R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare ptr addrspace(5) @__assay_buffer_device(i32)
declare ptr addrspace(6) @__assay_buffer_constant(i32)
declare ptr addrspace(3) @__assay_threadgroup_slot(i32)
declare i32 @__assay_builtin(i32, i32)
declare i64 @__assay_function_constant(i32, i32)
declare zeroext i1 @__assay_is_function_constant_defined(ptr)
declare void @__assay_threadgroup_barrier(i32)
declare void @__assay_fence(i32, i32, i32)
declare void @__assay_simd_op(i32, i32, i32, ptr, ptr, i32)
)";

} // namespace

std::string bitcodeOf(const std::string &ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kPrologue + ir, diagnostic, context);
  if (!module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    diagnostic.print("test", stream);
    ADD_FAILURE() << text;
    return {};
  }
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*module, stream);
  stream.flush();
  return bitcode;
}

Result<LoweredKernel> Kernel::lower() const {
  return lowerKernel(bitcodeOf(ir), module, info, constants, options);
}

std::string Kernel::vectorCodeAfter(const std::string &pass, const std::string &cpu) {
  options.engine = Engine::Vector;
  options.cpu = cpu;
  options.printIrAfter = pass;
  testing::internal::CaptureStderr();
  const Result<LoweredKernel> lowered = lower();
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(lowered && lowered->info.threadsPerCall == 32) << cpu;
  return printed;
}

void Kernel::build() {
  Result<LoweredKernel> lowered = lower();
  ASSERT_TRUE(lowered) << renderDiagnostics(lowered.error().diagnostics);
  Result<std::unique_ptr<NativeKernel>> loaded = NativeKernel::load(std::move(*lowered), symbols());
  ASSERT_TRUE(loaded) << renderDiagnostics(loaded.error().diagnostics);
  native = std::move(*loaded);
}

ASSAY_CALLS_COMPILED_CODE bool Kernel::run() {
  if (!native)
    build();
  if (!native)
    return false;
  group.dispatch = &dispatch;
  group.arena = arena.data();
  counters.assign(code().loopCounters, 0xcccccccc);
  lane.group = &group;
  lane.loop = counters.data();
  published.assign(code().publishedBytes, 0);
  lane.published = published.data();
  wanted.resize(code().sites.size(), 1);
  accesses = {log.data(), log.data() + log.size(), wanted.data(), nullptr, nullptr};
  lane.accesses = &accesses;
  shadows.arena = int64_t(reinterpret_cast<uintptr_t>(arenaShadow.data())) -
                  int64_t(reinterpret_cast<uintptr_t>(arena.data()));
  shadows.arenaBase = reinterpret_cast<uintptr_t>(arena.data());
  shadows.arenaOrigins = arenaOrigins.data();
  shadows.lanes = &laneShadow;
  calls.clear();
  indexOperands.clear();
  current = this;
  const unsigned before = _mm_getcsr();
  const auto restore = [&] { _mm_setcsr(before); };
  if (setjmp(leave) != 0) {
    restore();
    return false;
  }
  if (options.numerics.flushesInHardware())
    _mm_setcsr(before | 0x8040);
  native->code().entry(&lane);
  restore();
  return true;
}

} // namespace assay::lowering::test
