// Copies and fills of several elements.
#include "both.h"

#include <gtest/gtest.h>

namespace assay::vector_test {
namespace {

const std::string kTypes =
    "struct Three { uchar a, b, c; }; struct Mixed { uint a; ushort b; uchar c[6]; uint d; };\n"
    "struct Large { uint a[20]; };\n";

void everywhere(const std::string &body) {
  SCOPED_TRACE(body);
  run(body, {{32, 1, 1}, {32, 1, 1}}, kTypes);
  run("if (lane % 3 != 1) {" + body + "}", {{32, 1, 1}, {32, 1, 1}}, kTypes);
  run(body, {{19, 1, 1}, {32, 1, 1}}, kTypes);
}

} // namespace

TEST(VectorCopies, BetweenPlacesInMemory) {
  everywhere("((device Three *)out)[i] = ((const device Three *)in)[i * 2];");
  everywhere("((device Mixed *)out)[i] = ((const device Mixed *)in)[15 - (i & 15)];");
  everywhere("((device Mixed *)out)[i] = ((const device Mixed *)in)[(in[i] >> 9) % 16];");
  everywhere("((device Large *)out)[i & 7] = ((const device Large *)in)[i % 3];");
  everywhere("((device Mixed *)out)[2] = ((const device Mixed *)in)[i & 15];");
  everywhere("((device Mixed *)out)[i & 15] = ((const device Mixed *)in)[3];");
  everywhere("((device Large *)out)[1] = ((const device Large *)in)[2];");
  everywhere("((device Mixed *)out)[in[7] & 1] = *(const device Mixed *)(in + 5);");
}

TEST(VectorCopies, WithPrivateVariables) {
  everywhere("Mixed m = ((const device Mixed *)in)[i & 15]; m.c[in[i] % 6] += 3;\n"
             "if (lane < 16) ((device Mixed *)out)[lane] = m;");
  everywhere("Large m = ((const device Large *)in)[i % 3]; m.a[in[i] % 20] += 3; Large n = m;\n"
             "n.a[lane % 20] = i; if (lane & 1) m = n; if (lane < 3) ((device Large *)out)[lane] = m;");
  everywhere("Large m[2] = {((const device Large *)in)[0], ((const device Large *)in)[1]};\n"
             "m[lane & 1].a[in[i] % 20] = i; out[i] = m[in[i] >> 8 & 1].a[lane % 20];\n"
             "if (lane < 2) ((device Large *)(out + 40))[lane] = m[lane];");
}

TEST(VectorCopies, Fills) {
  everywhere("((device Mixed *)out)[i & 15] = Mixed{};");
  everywhere("((device Large *)out)[i & 7] = Large{};");
  everywhere("for (uint k = 0; k < 3; ++k) ((device uchar *)out)[i * 3 + k] = uchar(in[i]);");
  everywhere("for (uint k = 0; k < (in[0] & 3) + 5; ++k) out[i * 5 + k] = 0;");
}

} // namespace assay::vector_test
