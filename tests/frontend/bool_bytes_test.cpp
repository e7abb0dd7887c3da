// How the front end writes down the bytes of bools.
#include "frontend/bool_bytes.h"
#include "frontend/compile.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string irOf(const std::string &body) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "kernel void k(device bool *o [[buffer(0)]], const device bool *p [[buffer(1)]],\n"
                 "              device uchar *u [[buffer(2)]]) {\n" +
                 body + "\n}\n";
  const Result<CompiledModule> module = compile(request);
  if (!module)
    return renderDiagnostics(module.error().diagnostics);
  llvm::LLVMContext context;
  auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(module->bitcode, "k"), context);
  if (!read)
    return llvm::toString(read.takeError());
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*read)->print(stream, nullptr);
  return text;
}

} // namespace

TEST(BoolBytes, ACopyIsExtended) {
  const std::string ir = irOf("o[0] = p[0];");
  EXPECT_THAT(ir, HasSubstr("trunc i8"));
  EXPECT_THAT(ir, HasSubstr("zext i1"));
  EXPECT_THAT(ir, Not(HasSubstr("select i1")));
  EXPECT_THAT(ir, Not(HasSubstr("!range")));
}

TEST(BoolBytes, AConversionIsAChoice) {
  const std::string ir = irOf("u[0] = p[0];");
  EXPECT_THAT(ir, HasSubstr("i8 1, i8 0"));
  EXPECT_THAT(ir, Not(HasSubstr("zext i1")));
}

} // namespace assay::frontend
