// What a reader is told where functions of the shim do not fit.
#include "frontend/candidate_notes.h"

#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

// Of a statement in line 4 of k.metal.
std::string messageOf(const std::string &statement) {
  return frontend::messagesOf(
      "kernel void k(device int *a, constant int *c, device float3 *f, device atomic_uint "
      "*n, device uint *u, uint2 i [[thread_position_in_grid]]) {\n" +
      statement + "\n}\n");
}

// Clang's words for arrays, source: err_typecheck_subscript_not_integer.
TEST(CandidateNotes, ASubscriptIsAnInteger) {
  for (const char *statement :
       {"a[i] = 1;", "int x = c[i]; (void)x;", "int l[4]; l[i] = 1;", "threadgroup int s[4]; s[i] = 1;",
        "typedef device int *Ints; Ints p = a; p[i] = 1;", "float4 v; v[i] = 1;", "float2x2 m; m[i] = 1;",
        "array<int, 3> l; l[i] = 1;"}) {
    const std::string said = messageOf(statement);
    EXPECT_THAT(said, AllOf(HasSubstr("k.metal:4:"), HasSubstr("error: array subscript is not an integer\n")))
        << statement;
    EXPECT_THAT(said, Not(HasSubstr("note:"))) << statement;
  }
  // A class of the program has Clang's words and its own operators.
  EXPECT_THAT(messageOf("struct S { int operator[](float3) const; }; S s; int x = s[i]; (void)x;"),
              AllOf(HasSubstr("no viable overloaded operator[] for type 'S'"), HasSubstr("note: candidate")));
}

// Clang's words for its own vectors, source: err_typecheck_convert_incompatible.
TEST(CandidateNotes, AnAssignmentNamesBothTypes) {
  for (const auto &[statement, message] :
       {std::pair("float3 v; v = float4(1);", "assigning to 'float3' from incompatible type 'float4'"),
        std::pair("f[0] = float4(1);", "assigning to 'float3' from incompatible type 'float4'"),
        std::pair("packed_float3 v; v = float4(1);",
                  "assigning to 'packed_float3' from incompatible type 'float4'"),
        std::pair("half3 v; v = f[0];", "assigning to 'half3' from incompatible type 'float3'"),
        std::pair("float2x2 m; m = f[0];", "assigning to 'float2x2' from incompatible type 'float3'"),
        std::pair("float3 v; v += float4(1);",
                  "no viable overloaded '+=': 'float4' does not convert to 'float3'"),
        std::pair("*n = 1;", "an atomic object has no operator '=': use atomic_store_explicit"),
        std::pair("struct S { int x; }; S s; s = 1;", "no viable overloaded '='")}) {
    EXPECT_THAT(messageOf(statement),
                AllOf(HasSubstr("k.metal:4:"), HasSubstr("error: " + std::string(message) + "\n"),
                      Not(HasSubstr("msl_shim"))))
        << statement;
  }
}

TEST(CandidateNotes, BothSizesOfAsType) {
  EXPECT_EQ(
      messageOf("(void)as_type<int>(1.0h);"),
      "k.metal:4:7: error: invalid reinterpretation: sizes of 'int' (4 bytes) and 'half' (2 bytes) must "
      "match\n"
      "  (void)as_type<int>(1.0h);\n"
      "        ^~~~~~~~~~~~\n");
  EXPECT_THAT(messageOf("(void)as_type<float4>(f[0].xy);"),
              HasSubstr("sizes of 'float4' (16 bytes) and 'float2' (8 bytes) must match"));
}

TEST(CandidateNotes, HaveNoMacroOfTheShim) {
  const std::string begin = "static void f(texture2d<float> t, texture2d<float, access::write> w, sampler s, "
                            "uint2 p, float4 v) {\n";
  EXPECT_EQ(frontend::messagesOf(begin + "t.sample(s, p);\n}\n"),
            "k.metal:4:3: error: no matching member function for call to 'sample'\n"
            "  t.sample(s, p);\n"
            "  ~~^~~~~~\n"
            "note: candidate function not viable: no known conversion from 'uint2' to 'float2' for 2nd "
            "argument\n");
  EXPECT_EQ(frontend::messagesOf(begin + "t.gather(s, p);\n}\n"),
            "k.metal:4:13: error: no viable conversion from 'uint2' to 'float2'\n"
            "  t.gather(s, p);\n"
            "              ^\n");
  EXPECT_THAT(frontend::messagesOf(begin + "w.write(p, v);\n}\n"),
              AllOf(HasSubstr("no known conversion from 'uint2' to 'float4' for 1st argument\n"),
                    HasSubstr("void write(vec<_T, 4> value, vec<unsigned, 2> c, unsigned lod = 0)"),
                    Not(HasSubstr("__")), Not(HasSubstr("imageblock"))));
  EXPECT_THAT(frontend::messagesOf(begin + "t.sample(s);\n}\n"),
              AllOf(HasSubstr("note: candidate function not viable: requires at least 3 arguments, but 1 was "
                              "provided\n"),
                    Not(HasSubstr("__"))));
}

TEST(CandidateNotes, AnAtomicFunctionAsksForAnAtomicObject) {
  EXPECT_EQ(messageOf("atomic_fetch_add_explicit(u, 1u, memory_order_relaxed);"),
            "k.metal:4:1: error: no matching function for call to 'atomic_fetch_add_explicit'\n"
            "  atomic_fetch_add_explicit(u, 1u, memory_order_relaxed);\n"
            "  ^~~~~~~~~~~~~~~~~~~~~~~~~\n"
            "note: 'device uint' is not atomic: declare it 'device atomic_uint'\n");
  EXPECT_THAT(messageOf("threadgroup int s; atomic_store_explicit(&s, 1, memory_order_relaxed);"),
              HasSubstr("note: 'threadgroup int' is not atomic: declare it 'threadgroup atomic_int'\n"));
  EXPECT_THAT(messageOf("atomic_store_explicit(u[0], 1, memory_order_relaxed);"),
              AllOf(HasSubstr("note: 'uint' is no pointer to an atomic object\n"), Not(HasSubstr("_T"))));
  EXPECT_THAT(messageOf("(void)atomic_load_explicit(f, memory_order_relaxed);"),
              HasSubstr("note: the object is not atomic\n"));
}

TEST(CandidateNotes, AnAmbiguousCallOfTheLibraryIsToldOfOneType) {
  EXPECT_THAT(
      frontend::messagesOf("float f(float x) {\n  return max(x, 0); }\n"),
      HasSubstr("k.metal:4:10: error: call to 'max' is ambiguous: the arguments convert to the types of "
                "several functions; give them one type, such as 0.0f for 0\n"));
  EXPECT_THAT(frontend::messagesOf(
                  "int f(float x) { return 1; }\nint f(half x) { return 2; }\nint g() { return f(1); }\n"),
              HasSubstr("k.metal:5:18: error: call to 'f' is ambiguous\n"));
}

} // namespace
