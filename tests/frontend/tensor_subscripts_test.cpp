// Subscripts of tensors with several indices.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

std::string inKernel(const std::string &text) {
  return "#include <metal_tensor>\n#define AT(t, i, j) t[i, j]\n"
         "template <class T> float trace(T t) { return t[0, 0] + t[1, 1]; }\n"
         "template <class T> struct H { T t; T get(int, int) const { return t; }\n"
         "  float f() { return this->t[1, 0] + get(1, 2)[0, 1] + (t)[1, 1]; } };\n"
         "template <class T, class I> float nested(T t, I i) { return t[i[0, 1], i[i[1, 0], 0]]; }\n"
         "template <int A, int B> int least(int c) { return min(A, min(B, c)); }\n"
         "kernel void k(device float *p, device int *n, uint2 g [[thread_position_in_grid]]) {\n"
         "  auto t = tensor(p, dextents<int, 2>(4, 4)); auto i = tensor(n, dextents<int, 2>(4, 4));\n"
         "  auto one = tensor(p, dextents<int, 1>(16)); int a[3] = {n[0], n[1], n[2]};\n  " +
         text + " }\n";
}

TEST(TensorSubscripts, TakeOneIndexForEachDimension) {
  for (const char *text :
       {"p[0] = t[1, 2];", "t[g.x, g.y] = t[g.y, g.x] + t[ulong(1), short(2)];", "t[0, 1] += 2; ++t[1, 0];",
        "t[i[0, 1], i[2, i[3, 3]]] = 1;", "t[least<3, 1>(2), (g.x, 2)] = 1;", "p[0] = AT(t, 1, g.x);",
        "p[0] = trace(t) + nested(t, i);", "H<decltype(t)> h{t}; p[0] = h.f();",
        "auto s = t.slice(1, 1); s[a[0], a[1]] = s[0,\n 0];", "const auto c = t; p[0] = c[0, 1];"})
    EXPECT_EQ(messagesOf(inKernel(text)), "") << text;
}

TEST(TensorSubscripts, AreOperatorsWhereNoTensorIs) {
  EXPECT_EQ(messagesOf(inKernel("a[0, 1] = 3; p[g.x, g.y] = one[(g.x, g.y)] + one[g.y];")), "");
}

// Other errors of this kind are not about tensors.
TEST(TensorSubscripts, LeaveOtherErrors) {
  EXPECT_THAT(messagesOf("kernel void k(device atomic_int *p, device int *q) {\n"
                         "  atomic_store_explicit(&p[q[0], 1], 1, memory_order_seq_cst); }\n"),
              HasSubstr("order"));
}

TEST(TensorSubscripts, WithAnotherNumberOfIndicesAreErrors) {
  for (const char *text : {"p[0] = t[1];", "p[0] = t[1, 2, 3];", "p[0] = t[(1, 2)];"})
    EXPECT_THAT(messagesOf(inKernel(text)), HasSubstr("tensor: give one index for each dimension")) << text;
  EXPECT_THAT(messagesOf(inKernel("p[0] = t[1, q];")), HasSubstr("undeclared identifier 'q'"));
}

} // namespace
