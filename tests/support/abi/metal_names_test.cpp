// Vectors under Metal's names.
#include "support/abi/metal_names.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(VectorNames, AreMetalsWhereItHasOne) {
  const struct {
    const char *clangs, *metals;
  } kRows[] = {
      {"'vec<float[4]>'", "'float4'"},
      {"__assay_vectors::vec<unsigned int[2]>", "uint2"},
      {"f<__assay_vectors::vec<_Float16 [3]> >(int)", "f<half3 >(int)"},
      {"packed_vec<half[3], vec<half[3]>> *", "packed_half3 *"},
      {"__assay_vectors::packed_vec<char [4], __assay_vectors::vec<char [4]> >", "packed_char4"},
      {"vec<bool[4]> and vec<__bf16[2]>", "bool4 and bfloat2"},
      {"vec<float[8]>", "vec<float, 8>"},
      {"vec<T[N]>", "vec<T, N>"},
      {"vector<vec<int[3]>>", "vector<int3>"},
      {"vec<float, 4>", "vec<float, 4>"},
      {"myvec<int[4]>", "myvec<int[4]>"},
      {"vec<vec<int[2]>", "vec<int2"},
      {"vec<int[4", "vec<int[4"},
      {"", ""},
  };
  for (const auto &row : kRows)
    EXPECT_EQ(vectorNames(row.clangs), row.metals);
}

} // namespace
} // namespace assay
