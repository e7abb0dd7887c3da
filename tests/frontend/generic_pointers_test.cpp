// Pointers without an address space: what Metal 4.1 accepts, and what neither it nor older versions do. What
// kernels with them compute: tests/host/generic_pointers_test.cpp.
// source: Apple's documentation of Metal, "Writing reusable GPU functions with generic pointers"
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kNegate = "void negate_(float *v) { *v = -*v; }\n";
constexpr const char *kRow = "struct Row {\n  float3 a;\n  float3 get(float n) const { return a * n; }\n"
                             "  Row &operator*=(const Row &other) { a *= other.a; return *this; }\n"
                             "  void clear() thread { a = 0; }\n};\n";

TEST(GenericPointers, ServeDeviceThreadgroupAndThreadMemory) {
  const std::string kernels[] = {
      std::string(kNegate) + "kernel void k(device float *o, threadgroup float *t [[threadgroup(0)]]) {\n"
                             "  float x = 1;\n  negate_(o), negate_(t), negate_(&x);\n}\n",
      std::string(kRow) +
          "kernel void k(device Row &r, const device Row &f, threadgroup Row &t [[threadgroup(0)]]) {\n"
          "  Row s = {float3(1)};\n  s.clear();\n  r *= s; r *= f; t *= r;\n"
          "  r.a += t.get(2) + f.get(3);\n}\n",
      "struct Light { float i; };\nstruct Lights { Light *all; uint n; };\n"
      "kernel void k(device Lights &l) { l.all[0].i = l.n; }\n",
      "kernel void k(device int *p, threadgroup int *t [[threadgroup(0)]], uint i "
      "[[thread_index_in_threadgroup]]) {\n"
      "  int x = 1;\n  int *q = p, &r = *t;\n  if (i) q = t; else q = &x;\n  r = *q;\n"
      "  auto f = [&](int &y) { y = 1; };\n  f(*p);\n  const int &c = *p;\n  x = c;\n"
      "  device int *d = static_cast<device int *>(q);\n  thread int *h = (thread int *)q;\n  *d = *h;\n"
      "  int *n = nullptr;\n  if (n == q) *p = int(q - n);\n}\n",
      "struct S { int a, b; };\nkernel void k(device int *o) { S s; S *p = new (&s) S{3, 4}; o[0] = p->a; "
      "}\n",
      "struct T {\n  int a;\n  T() thread { a = 1; }\n};\nstruct B {\n  T t[2];\n  B() thread {}\n};\n"
      "struct C : T {\n  T t = T();\n  C() thread : T() {}\n};\n"
      "template <typename T> void put(thread T &to, T v) { to = v; }\n"
      "template <typename T> struct V {\n  T x;\n  void set(T v) thread { put(x, v); }\n};\n"
      "void g(int *p) { B b; C c; V<int> v; v.set(c.a); put(p, &v.x); *p = b.t[0].a; }\n",
      "void f(thread float *p) { *p = 1; }\nkernel void k(device float *o) { float x; f(&x); o[0] = x; }\n",
  };
  for (const std::string &text : kernels) {
    EXPECT_EQ(messages41(text), "") << text;
  }
  // The last two are of every version.
  for (const std::string &text : std::span(kernels).first(5))
    EXPECT_THAT(messagesOf(text, LanguageVersion::Metal4_0), HasSubstr("error")) << text;
}

struct Refused {
  std::string text; ///< that begins on line 3
  const char *message;
};

TEST(GenericPointers, AreNeitherOfConstantMemoryNorOfThreadMemoryAlone) {
  const std::string get = "struct L { float n; float get() const { return n; } };\n";
  const std::string own = "struct L { float n; float get() const thread { return n; } };\n";
  const char *constant = "constant memory cannot be used as generic memory";
  const char *other = "a pointer or reference without an address space may be to other than thread memory";
  for (const auto &[text, message] : {
           Refused{"void f(float *v) { *v = 1; }\nvoid g(device float *p) { f(p); }\n"
                   "kernel void k(constant float *c, device float *o) {\n  const float *p = c;\n  o[0] = "
                   "*p;\n}\n",
                   constant},
           {get + "kernel void k(constant L *l, device float *o) {\n\n  o[0] = l->get();\n}\n",
            "'get' is declared for an object in device, threadgroup or thread memory, and this one is in "
            "constant"},
           {own + "kernel void k(device L *l, device float *o) {\n\n  o[0] = l->get();\n}\n",
            "'get' is declared for an object in thread memory, and this one is in device memory"},
           {own + "float f(L *l) {\n\n  return l->get(); }\n",
            "'get' is declared for an object in thread memory, and this one may be in other memory"},
           {"void f(thread float *v) { *v = -*v; }\nkernel void k(device float *c) {\n\n  f(c);\n}\n",
            "device memory cannot be used as thread memory"},
           {"struct F {\n  float v[4];\n  thread float &at(short i) {\n    return v[i]; } };\n", other},
           {"float sum(thread float2 *p) { return p->x; }\nstruct S {\n  float2 p[8];\n  float go() { return "
            "sum(p); }\n};\n",
            other},
           {"void g(float *v) {\n\n\n  thread float *q = v + 1; *q = 1; }\n", other},
           {"template <typename T> struct F {\n  T v[4];\n  thread T &at(short i) {\n    return v[i]; }\n};\n"
            "void g() { F<int> f; f.at(0) = 1; }\n",
            other},
           {"struct T { int a; T() thread { a = 1; } };\nstruct B {\n  T t[2];\n  B(int n) { t[0].a = n; } "
            "};\n",
            "the member 't' has a constructor for thread memory"},
           {"template <typename U> struct T { U a; T(U n) thread { a = n; } };\nstruct B : T<int> {\n"
            "  T<float> t;\n  B(int n) : T<int>(n), t(1) {} };\n",
            "the base 'T' has a constructor for thread memory"},
           {"template <typename T> void put(thread T &p, T v) { p = v; }\ntemplate <typename T> struct V {\n"
            "  T x;\n  void set(T v) { put(x, v); } };\nvoid f() { V<int> v; v.set(1); }\n",
            other},
           {"template <typename T> struct V { T x; void add(thread T &v) { v += 1; } };\n"
            "void f(device int *p) {\n  V<int> v;\n  v.add(*p); }\n",
            "device memory cannot be used as thread memory"},
           {"\n\n\nkernel void k(float *o) { o[0] = 1; }\n", "kernel argument 'o' needs an address space"},
           {"\n\n\nkernel void k(device int *o) { int *p = new int; o[0] = *p; }\n",
            "new is not supported in Metal"},
           {"\n\n\nint f(thread const int v) { return v; }\n",
            "parameter 'v' is passed by value and has no address space from Metal 4.1 on"},
       })
    EXPECT_THAT(messages41(text), testing::AllOf(HasSubstr("k.metal:6:"), HasSubstr(message))) << text;
}

// A member function without a space is one for thread memory before 4.1, and a generic one from then on.
TEST(GenericPointers, MemberFunctionsThatWereForThreadMemoryAreRefused) {
  for (const char *text : {
           // Apple: "reference to type 'thread float' could not bind to an lvalue of type '__metal_generic
           // float'" (https://github.com/ml-explore/mlx/pull/3963)
           "struct Four { float v[4]; thread float &at(short i) { return v[i]; } };\n"
           "void f(device float *o) { Four four; four.at(1) = 2; o[0] = four.at(1); }\n",
           // Apple: "constructor for 'BlockMMA<...>' must explicitly initialize the member 'Atile' which does
           // not have a default constructor" (https://github.com/pytorch/executorch/issues/22981)
           "struct Tile { float v; Tile() thread { v = 0; } };\n"
           "template <typename T> struct Tiles { Tile t; ushort n; Tiles(ushort a) { n = a; } };\n"
           "void f(device float *o) { Tiles<float> t(3); o[0] = t.t.v + t.n; }\n",
           // Source: https://github.com/RandyGaul/cute_framework/pull/528
           "float last(thread float2 *p, int n) { return p[n - 1].x; }\n"
           "struct Points { float2 p[8]; float run() { p[7] = 5; return last(p, 8); } };\n"
           "void f(device float *o) { Points p; o[0] = p.run(); }\n",
       }) {
    EXPECT_EQ(messagesOf(text, LanguageVersion::Metal4_0), "") << text;
    EXPECT_THAT(messages41(text), HasSubstr("error: ")) << text;
  }
}

TEST(GenericPointers, AreAskedForTheirMemory) {
  EXPECT_EQ(
      messages41("kernel void k(device int *o) {\n  int *p = o;\n  if (is_device_addrspace(p)) o[0] = 1;\n"
                 "  if (addrspace_cast<thread int *>(p)) o[1] = 1;\n"
                 "  if (addrspace_cast<const threadgroup int *>((const void *)p)) o[2] = 1;\n}\n"),
      "");
  for (const auto &[text, message] : {
           Refused{"void f(int *p) {\n\n\n  device float *q = addrspace_cast<device float *>(p); *q = 1; }\n",
                   "error"},
           {"bool f(int *p) {\n\n\n  return addrspace_cast<constant int *>(p); }\n", "error"},
           {"bool f(int *p) {\n\n\n  return addrspace_cast<const int *>(p); }\n",
            "addrspace_cast leads to a pointer into one memory"},
           {"bool f(constant int *p) {\n\n\n  return is_device_addrspace(p); }\n", "deleted function"},
       })
    EXPECT_THAT(messages41(text), HasSubstr(message)) << text;
}

} // namespace
