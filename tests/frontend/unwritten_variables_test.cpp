// Which variables the front end calls declared without a value, and what it says of their parts.
#include "frontend/unwritten_variables.h"

#include "frontend/compile.h"
#include "support/abi/unwritten_text.h"

#include <gmock/gmock.h>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>

using namespace assay;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

// By name.
std::map<std::string, UnwrittenVariable> variablesOf(const std::string &body,
                                                     const std::string &before = "") {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + before +
                 "kernel void k(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n" +
                 body + "\n}\n";
  const auto compiled = frontend::compile(request);
  EXPECT_TRUE(compiled) << renderDiagnostics(compiled.error().diagnostics);
  std::map<std::string, UnwrittenVariable> variables;
  llvm::LLVMContext context;
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(compiled->bitcode, "test"), context);
  EXPECT_TRUE(bool(module));
  for (llvm::Function &function : **module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const llvm::MDNode *node = instruction.getMetadata(kUnwritten))
        if (auto variable = unwrittenVariableOf(llvm::cast<llvm::MDString>(node->getOperand(0))->getString()))
          variables.emplace(variable->name, *variable);
  return variables;
}

std::vector<std::string> names(const UnwrittenVariable &variable) {
  std::vector<std::string> all;
  for (const UnwrittenPart &part : variable.parts)
    all.push_back(part.name);
  return all;
}

} // namespace

TEST(UnwrittenVariables, AreThoseWithoutAnInitialiser) {
  const auto found =
      variablesOf("float a, b = 1; float c = i; uint d{}; float4 e(1); float4 f; float4 g = float4();\n"
                  "for (uint h = 0; h < 2; ++h) { float j; j = h; out[h] = j; }\n"
                  "device float *p; p = out; a = c = d = e.x = f.x = g.x = b; *p = a;");
  std::vector<std::string> names;
  for (const auto &[name, variable] : found)
    names.push_back(name);
  EXPECT_THAT(names, ElementsAre("a", "f", "j"));
  EXPECT_EQ(found.at("a").where.file, "test.metal");
  EXPECT_EQ(found.at("a").where.line, 4u);
  EXPECT_EQ(found.at("a").where.column, 7u);
}

TEST(UnwrittenVariables, PartsLeaveOutPadding) {
  const auto found =
      variablesOf("S s; s.a = i; out[i] = s.a;", "struct S { uchar a; float3 b; half c[2]; };\n");
  EXPECT_THAT(found.at("s").parts,
              ElementsAre(UnwrittenPart{0, 1, 0, "s.a"}, UnwrittenPart{16, 4, 0, "s.b.x"},
                          UnwrittenPart{20, 4, 0, "s.b.y"}, UnwrittenPart{24, 4, 0, "s.b.z"},
                          UnwrittenPart{32, 2, 0, "s.c[0]"}, UnwrittenPart{34, 2, 0, "s.c[1]"}));
}

TEST(UnwrittenVariables, LargeArraysAreOnePart) {
  const auto found = variablesOf("float a[100]; float3 b[30]; a[i] = 1; b[i].x = 2; out[i] = a[i] + b[i].x;");
  EXPECT_THAT(found.at("a").parts, ElementsAre(UnwrittenPart{0, 400, 4, "a"}));
  EXPECT_EQ(found.at("b").parts.size(), 90u) << "each element ends with padding";
  EXPECT_EQ(found.at("b").parts[3], (UnwrittenPart{16, 4, 0, "b[1].x"}));
}

TEST(UnwrittenVariables, OfTemplatesAreThoseOfTheirInstantiations) {
  const auto found =
      variablesOf("out[i] = last<float>(2);",
                  "template <class T> T last(T x) { T kept[2]; kept[1] = x; return kept[1]; }\n");
  EXPECT_THAT(names(found.at("kept")), ElementsAre("kept[0]", "kept[1]"));
}

TEST(UnwrittenVariables, AClassWithAConstructorThatDoesNothingIsOne) {
  EXPECT_EQ(variablesOf("simdgroup_float8x8 m; simdgroup_store(m, out);").count("m"), 1u);
  EXPECT_THAT(variablesOf("simdgroup_float8x8 m(1.0f); simdgroup_store(m, out);"), IsEmpty());
}
