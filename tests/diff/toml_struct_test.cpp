// Structs of a mapping file: C's layout, by bytes counted by hand.
#include "cli/diff/mapping.h"

#include <gmock/gmock.h>

namespace assay::cli::diff {
namespace {

Result<Mapping> parse(const std::string &buffer) {
  return parseMapping(
      "[sizes]\nn = 3\n[outputs.O]\nshape = [1]\n[A]\nfile = \"a.metal\"\nkernel = \"k\"\n"
      "grid = [1]\nthreads = [1]\noutputs.O = { buffer = 0, type = \"f32\" }\n[A.buffers]\n2 = " +
          buffer + "\n[B]\nrecorded = { O = \"o.npy\" }\n",
      "m.toml", {});
}
std::string bytesOf(const std::string &buffer) {
  const Result<Mapping> mapping = parse(buffer);
  return mapping ? mapping->sides[0].structs.at(2) : mapping.error().message();
}

TEST(TomlStruct, AlignsFieldsAndTheWhole) {
  EXPECT_EQ(bytesOf("{ struct = [{ u8 = 1 }, { u32 = \"n * 2\" }, { u16 = [7, 8] }] }"),
            std::string("\1\0\0\0\6\0\0\0\7\0\10\0", 12));
  EXPECT_EQ(bytesOf("{ struct = [{ u64 = 1 }, { u8 = 2 }] }"),
            std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(bytesOf("{ packed = true, struct = [{ u8 = 1 }, { u32 = 2 }] }"), std::string("\1\2\0\0\0", 5));
}

TEST(TomlStruct, RefusesWhatIsNoField) {
  EXPECT_EQ(bytesOf("{ struct = [{ u8 = 256 }] }"), "256 is no value of u8");
  EXPECT_EQ(bytesOf("{ struct = [{ u8 = 1, u16 = 2 }] }"),
            "a field has one type and its value, this one has 2");
  EXPECT_EQ(bytesOf("{ struct = [{ u33 = 1 }] }"), "no type 'u33'");
  EXPECT_EQ(bytesOf("{ struct = [] }"), "a struct of 0 bytes is not in 1..4096");
}

} // namespace
} // namespace assay::cli::diff
