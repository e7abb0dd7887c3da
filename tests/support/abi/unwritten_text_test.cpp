// The text of annotations is read as it was written.
#include "support/abi/unwritten_text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(UnwrittenText, IsReadAsItWasWritten) {
  const UnwrittenVariable variable{"v",
                                   {"a folder/k.metal", 12, 7},
                                   {{0, 4, 0, "v.x"}, {4, 1, 0, "v.tag"}, {16, 400, 4, "v.all of them"}}};
  const auto read = unwrittenVariableOf(textOf(variable));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->name, "v");
  EXPECT_EQ(read->where.file, "a folder/k.metal");
  EXPECT_EQ(read->where.line, 12u);
  EXPECT_EQ(read->where.column, 7u);
  EXPECT_EQ(read->parts, variable.parts);
}

TEST(UnwrittenText, OfAnotherAnnotationIsNone) {
  EXPECT_FALSE(unwrittenVariableOf("assay.kernel"));
  EXPECT_FALSE(unwrittenVariableOf(""));
}

} // namespace
} // namespace assay
