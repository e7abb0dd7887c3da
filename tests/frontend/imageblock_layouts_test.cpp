// Imageblocks whose layout follows from their structures: the messages. Accepted and refused: graphics.rows.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kBlocks = "struct Base { half4 a [[color(0)]]; };\n"
                                "struct Colors : Base { half b [[color(2)]]; };\n"
                                "struct Data { half4 a; };\n";

TEST(ImageblockLayouts, ASliceNamesAColorAndItsType) {
  const std::string text =
      std::string(kBlocks) +
      "void f(imageblock<Colors> b) {\n"
      "  (void)b.slice<half4>(0);\n  (void)b.slice<half>(2);\n  (void)b.slice<half>(1);\n"
      "  (void)b.slice<float>(2, ushort2(4));\n}\n";
  EXPECT_EQ(messagesOf(text),
            "k.metal:9:23: error: no member of 'Colors' has the attribute color(1)\n"
            "    (void)b.slice<half>(1);\n                        ^\n"
            "k.metal:10:24: error: color(2) of 'Colors' is of type 'half', and the slice is of "
            "'float'\n"
            "    (void)b.slice<float>(2, ushort2(4));\n                         ^\n");
}

TEST(ImageblockLayouts, TheLayoutFitsTheStructure) {
  const std::string text = kBlocks;
  EXPECT_THAT(messagesOf(text + "int f(imageblock<Data, imageblock_layout_implicit> b) {\n"
                                "  return b.get_width();\n}\n"),
              HasSubstr("k.metal:6:52: error: an imageblock with the implicit layout holds a structure with "
                        "members that are [[color(n)]]\n"));
  EXPECT_THAT(
      messagesOf(text + "int f(imageblock<float> b) {\n  return b.get_width();\n}\n"),
      HasSubstr("k.metal:6:7: error: an imageblock holds a structure: its T in imageblock<T> is none\n"));
}

} // namespace
