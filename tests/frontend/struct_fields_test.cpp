// Which fields structs of buffer arguments have, and where. The offsets are C's: each field at a multiple of
// its alignment, which the specification's tables of types give (MSL 2.1 to 2.4).
#include "frontend/compile.h"
#include "frontend/struct_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

using namespace assay;
using testing::ElementsAre;

namespace {

frontend::CompiledModule mustCompile(const std::string &text) {
  frontend::SourceRequest request;
  request.path = "test.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n" + text;
  auto result = frontend::compile(request);
  EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
  return result ? std::move(*result) : frontend::CompiledModule();
}

// "a[3:4] float @8": three elements, four bytes from one to the next, at byte 8.
std::vector<std::string> fieldsOf(const StructInfo &info) {
  std::vector<std::string> lines;
  for (const FieldInfo &field : info.fields) {
    std::string line;
    std::string_view rest = field.name;
    for (const FieldExtent &extent : field.extents) {
      const size_t at = rest.find("[]");
      EXPECT_NE(at, rest.npos) << field.name;
      line += fmt::format("{}[{}:{}]", rest.substr(0, at), extent.count, extent.bytes);
      rest.remove_prefix(at + 2);
    }
    EXPECT_EQ(rest.find("[]"), rest.npos) << field.name;
    line += fmt::format("{} {} @{}", rest,
                        field.kind == FieldKind::Address  ? "address"
                        : field.kind == FieldKind::Handle ? "handle"
                                                          : scalarTypeInfo(field.type).metalName,
                        field.offset);
    lines.push_back(std::move(line));
  }
  return lines;
}

const StructInfo &structOf(const frontend::CompiledModule &module, size_t argument = 0) {
  static const StructInfo none;
  const KernelInfo &kernel = module.info.kernels.at(0);
  const StructInfo *info = module.info.structOf(kernel.arguments.at(argument));
  EXPECT_NE(info, nullptr) << kernel.arguments.at(argument).name;
  return info ? *info : none;
}

constexpr const char *kUse =
    "kernel void f(constant P &p [[buffer(0)]], device int *o [[buffer(1)]]) { *o = 1; }\n";

TEST(StructFields, HaveTheNamesAndOffsetsOfTheDeclaration) {
  const auto module =
      mustCompile("struct P { int B, H; float scale; char c; int64_t strides[3]; half h; bool b;\n"
                  "  bfloat w; uchar u; ushort s; ulong l; };\n" +
                  std::string(kUse));
  const StructInfo &info = structOf(module);
  EXPECT_EQ(info.name, "P");
  EXPECT_EQ(info.bytes, 64u);
  EXPECT_EQ(info.unsupported, "");
  EXPECT_THAT(fieldsOf(info), ElementsAre("B int @0", "H int @4", "scale float @8", "c char @12",
                                          "strides[3:8] long @16", "h half @40", "b bool @42", "w bfloat @44",
                                          "u uchar @46", "s ushort @48", "l ulong @56"));
}

TEST(StructFields, OfVectorsMatricesAndArraysAreExtents) {
  const auto module = mustCompile(
      "struct P { float3 v; packed_float3 p; float a; half2x3 m; array<uint2, 2> r; short g[2][3];\n"
      "  bool2 flags; atomic_int count; enum class Kind : ushort { a, b } kind; };\n" +
      std::string(kUse));
  EXPECT_THAT(fieldsOf(structOf(module)),
              ElementsAre("v[3:4] float @0", "p[3:4] float @16", "a float @28", "m[2:8][3:2] half @32",
                          "r[2:8][2:4] uint @48", "g[2:6][3:2] short @64", "flags[2:1] bool @76",
                          "count int @80", "kind ushort @84"));
}

TEST(StructFields, OfStructsInsideAreFlattened) {
  const auto module =
      mustCompile("namespace n { template <class T> struct In { T a; char b[2]; }; }\n"
                  "struct Base { int first; };\n"
                  "struct P : Base { n::In<int> one, many[3]; union { float f; uint bits; };\n"
                  "  struct { short x, y; }; };\n" +
                  std::string(kUse));
  EXPECT_THAT(fieldsOf(structOf(module)),
              ElementsAre("first int @0", "one.a int @4", "one.b[2:1] char @8", "many[3:8].a int @12",
                          "many[3:8].b[2:1] char @16", "f float @36", "bits uint @36", "x short @40",
                          "y short @42"));
}

TEST(StructFields, OfArgumentBuffersAreAddressesAndHandles) {
  const auto module =
      mustCompile("struct P { device float *data; constant int *more[2]; texture2d<float> t;\n"
                  "  array<sampler, 2> s; uint n; };\n" +
                  std::string(kUse));
  EXPECT_THAT(fieldsOf(structOf(module)), ElementsAre("data address @0", "more[2:8] address @8",
                                                      "t handle @24", "s[2:8] handle @32", "n uint @48"));
}

TEST(StructFields, SayWhatAddressesAndHandlesAreOf) {
  const auto module = mustCompile(
      "struct Q; struct In { half4 h; constant Q *q; };\n"
      "struct P { device P *next; constant In *in[2]; const device packed_float3 *v;\n"
      "  texture2d<half, access::write> t; array<sampler, 2> s; float3x4 m; void device *any; };\n"
      "kernel void f(constant P &p [[buffer(0)]], device int *o [[buffer(1)]]) { *o = p.v[1].x; }\n");
  const StructInfo &info = structOf(module);
  const auto field = [&](const char *name) -> const FieldInfo & {
    return *std::find_if(info.fields.begin(), info.fields.end(),
                         [&](const FieldInfo &f) { return f.name == name; });
  };
  const PointeeInfo next = *field("next").pointee, in = *field("in[]").pointee, v = *field("v").pointee;
  EXPECT_EQ(&module.info.structs.at(*next.structure), &info); // a list of itself
  EXPECT_EQ(next.access, Access::ReadWrite);
  EXPECT_EQ(next.bytes, info.bytes);
  EXPECT_THAT(fieldsOf(module.info.structs.at(*in.structure)), ElementsAre("h[4:2] half @0", "q address @8"));
  EXPECT_EQ(module.info.structs.at(*in.structure).fields[1].pointee->bytes,
            0u); // of a type that is only declared
  EXPECT_EQ(in.access, Access::Read);
  EXPECT_FALSE(v.structure);
  EXPECT_EQ(v.element, ScalarType::Float);
  EXPECT_EQ(v.bytes, 12u);
  EXPECT_EQ(v.align, 4u);
  EXPECT_EQ(v.access, Access::Read);
  EXPECT_EQ(field("any").pointee->bytes, 0u);
  EXPECT_EQ(field("t").texture->access, Access::Write);
  EXPECT_EQ(field("t").spelling, "texture2d<half, access::write>");
  EXPECT_TRUE(field("s[]").sampler);
  EXPECT_EQ(field("s[]").spelling, "sampler");
  EXPECT_EQ(field("m[][]").columns, 3u);
  EXPECT_EQ(field("m[][]").components, 4u);
  EXPECT_EQ(field("m[][]").spelling, "float3x4");
}

TEST(StructFields, AreListedOnceForEachType) {
  const auto module = mustCompile("namespace n { struct P { int a; }; }\n"
                                  "template <class T> struct G { T a; };\n"
                                  "kernel void f(constant n::P &p, device n::P *q, constant G<half> &g, "
                                  "device float *x, constant uint2 &y,\n"
                                  "              threadgroup n::P *t) { x[0] = p.a + g.a; }\n"
                                  "kernel void h(constant n::P &p, device int *o) { *o = p.a; }\n");
  EXPECT_EQ(module.info.structs.size(), 2u);
  EXPECT_EQ(structOf(module, 0).name, "n::P");
  EXPECT_EQ(&structOf(module, 0), &structOf(module, 1));
  EXPECT_EQ(structOf(module, 2).name, "G<half>");
  const auto &arguments = module.info.kernels.at(0).arguments;
  for (size_t i : {3, 4, 5})
    EXPECT_EQ(module.info.structOf(arguments.at(i)), nullptr) << arguments.at(i).name;
  EXPECT_EQ(module.info.kernels.at(1).arguments.at(0).structure, arguments.at(0).structure);
}

TEST(StructFields, SayWhatTheyCannotExpress) {
  EXPECT_EQ(structOf(mustCompile("struct P { int a; uint b : 3; };\n" + std::string(kUse))).unsupported,
            "the bit-field 'b'");
  EXPECT_TRUE(structOf(mustCompile("struct P { int a; uint b : 3; };\n" + std::string(kUse))).fields.empty());
  // 2^20 leaves in 21 lines: the list ends before memory does.
  std::string doubling = "struct S0 { int a, b; };\n";
  for (int i = 1; i < 20; ++i)
    doubling += fmt::format("struct S{} {{ S{} a, b; }};\n", i, i - 1);
  EXPECT_EQ(structOf(mustCompile(doubling + "using P = S19;\n" + kUse)).unsupported,
            fmt::format("more than {} fields", frontend::StructFields::kMostFields));
}

} // namespace
