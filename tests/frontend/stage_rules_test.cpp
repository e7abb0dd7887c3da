// Attributes where Metal does not allow them, and signatures of graphics functions. More rows are in
// tests/language/stages.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::AllOf;
using testing::HasSubstr;

namespace {

TEST(StageRules, SayWhatIsWrongAndWhere) {
  const struct {
    const char *text, *place, *message;
  } cases[] = {
      {"struct I {\n  float4 a [[attribute(31)]];\n};",
       "k.metal:4:", "attribute(31) is out of range: attribute has slots 0 to 30"},
      {"struct I { packed_float3 a [[attribute(0)]]; };\n"
       "vertex float4 v(I i [[stage_in]]) { return float4(i.a, 1); }",
       "k.metal:3:",
       "attribute 'a' cannot have type 'packed_float3': it is a number, or a vector that is not packed"},
      {"struct V { float3 p [[position]]; };", "k.metal:3:", "'p' with [[position]] is a float4"},
      {"struct O { float4 c [[color(0)]];\n  half d [[depth(any)]]; };",
       "k.metal:4:", "'d' with [[depth]] is a float"},
      {"vertex float4 v(\n    int i [[vertex_id]]) { return float4(i); }",
       "k.metal:4:", "'i' with [[vertex_id]] is ushort or uint"},
      {"fragment float4 f(float4 p [[position]],\n    uint i [[vertex_id]]) { return p * i; }", "k.metal:4:",
       "argument 'i' of the fragment function 'f' cannot have [[vertex_id]]: vertex functions take it"},
      {"vertex float4 v(uint i [[vertex_id]],\n    uint t [[threads_per_grid]]) { return float4(i + t); }",
       "k.metal:4:",
       "argument 't' of the vertex function 'v' cannot have [[threads_per_grid]]: kernel, object and mesh "
       "functions "
       "take it"},
      {"kernel void k(device int *p, uint i [[thread_position_in_grid]],\n"
       "    uint j [[thread_position_in_grid]]) { p[i] = j; }",
       "k.metal:4:", "argument 'j' cannot have [[thread_position_in_grid]]: argument 'i' has it"},
      {"struct V { float2 uv; };\nvertex V v() { return {0}; }",
       "k.metal:4:", "the vertex function 'v' cannot return 'V': no member has the attribute position"},
      {"vertex\nfloat3 v() { return 1; }",
       "k.metal:4:", "the vertex function 'v' cannot return 'float3': a number is the position, a float4"},
      {"fragment bool f() { return true; }", "k.metal:3:",
       "the fragment function 'f' cannot return 'bool': a color is float, half, int, uint, short, ushort "
       "or a vector of these"},
      {"struct O { float4 a [[color(2)]]; float b [[color(2)]]; };\nfragment O f() { return {0, 0}; }",
       "k.metal:4:", "the fragment function 'f' cannot return 'O': 'a' and 'b' are both color(2)"},
      {"fragment float4 f(constant float4 &a [[buffer(3)]],\n    constant float4 &b [[buffer(3)]]) {\n"
       "  return a + b;\n}",
       "k.metal:4:", "buffer(3) is already used by argument 'a'"},
      {"kernel void k(device int *p [[buffer(0), buffer(1)]]) { p[0] = 1; }",
       "k.metal:3:", "'p' has the attribute buffer twice"},
      {"struct I { float4 a [[attribute(2)]];\n  float4 b [[attribute(2)]]; };\n"
       "vertex float4 v(I in [[stage_in]]) { return in.a + in.b; }",
       "k.metal:4:", "attribute(2) is already used by argument 'in.a'"},
      {"vertex float4 v(\n    float x) { return x; }", "k.metal:4:",
       "argument 'x' of type 'float' of a vertex function has no attribute such as [[vertex_id]]"},
      {"fragment float4 f(\n    thread float4 *x [[buffer(0)]]) { return *x; }",
       "k.metal:4:", "argument 'x' of type 'float4 *' of a fragment function is in thread memory"},
      {"fragment float4 f(\n    sampler s [[texture(0)]]) { return 0; }",
       "k.metal:4:", "argument 's' of type 'sampler' cannot be a texture: write [[sampler(..)]]"},
      {"fragment float4 f(\n    float x [[buffer(0)]]) { return x; }",
       "k.metal:4:", "argument 'x' of type 'float' cannot be a buffer: a buffer is a pointer or a reference"},
      {"struct V { float2 uv; };\nvertex V\nv() { return {0}; }",
       "k.metal:4:", "the vertex function 'v' cannot return 'V': no member has the attribute position"},
      {"[[fragment]] kernel void k(device int *p) { p[0] = 1; }",
       "k.metal:3:", "'k' cannot be a kernel function and a fragment function"},
  };
  for (const auto &c : cases)
    EXPECT_THAT(messagesOf(c.text), AllOf(HasSubstr(c.place), HasSubstr(c.message))) << c.text;
}

// What the rules do not know is left alone.
TEST(StageRules, AskOnlyAboutWhatIsKnown) {
  for (const char *text :
       {"struct B { float4 p [[position]]; };\nstruct V : B { float2 uv; };\nvertex V v() { return V(); }",
        "struct N { float2 uv; };\nstruct V { float4 p [[position]]; N n; };\nvertex V v() { return V(); }",
        "template <class T> struct I { T a [[attribute(0)]]; };\n"
        "template <class T> vertex T v() { return T(); }",
        "struct C { float4 p [[attribute(0)]]; };\nstruct P { patch_control_point<C> c; };\n"
        "[[patch(quad, 4)]] vertex float4 v(P p [[stage_in]]) { return p.c[0].p; }",
        "constant bool w [[function_constant(0)]];\nconstant bool n = !w;\n"
        "kernel void k(device int *p, uint i [[thread_position_in_grid, function_constant(w)]],\n"
        "  uint j [[thread_position_in_grid, function_constant(n)]]) { p[0] = w ? i : j; }",
        "vertex float4 v(uint i [[vertex_id]], uint lane [[thread_index_in_simdgroup]],\n"
        "  ushort a [[amplification_id]]) { return float4(i + lane + a); }",
        "vertex void v(device float *p [[buffer(0)]], uint i [[vertex_id]]) { p[i] = 1; }"})
    EXPECT_EQ(messagesOf(text), "") << text;
}

} // namespace
