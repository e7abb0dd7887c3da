// The oracle of attention masks: pictures drawn by hand.
#include "attention_mask.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::oracle {
namespace {

/// A row of text for each query: x where it attends.
std::string picture(const AttentionMaskRules &rules) {
  std::string text;
  const std::vector<uint16_t> cells = attendedCells(rules);
  for (size_t i = 0; i < cells.size(); ++i) {
    text += cells[i] ? 'x' : '.';
    if ((i + 1) % size_t(rules.keys) == 0)
      text += '\n';
  }
  return text;
}

AttentionMaskRules rules(int queries, int keys) {
  AttentionMaskRules r;
  r.queries = queries, r.keys = keys;
  return r;
}

TEST(AttentionMask, WithoutRulesAttendsToEverything) {
  EXPECT_EQ(picture(rules(2, 3)), "xxx\n"
                                  "xxx\n");
}

TEST(AttentionMask, CausalQueriesSeeThemselvesAndWhatIsBefore) {
  AttentionMaskRules r = rules(3, 4);
  r.causal = true;
  EXPECT_EQ(picture(r), "x...\n"
                        "xx..\n"
                        "xxx.\n");
  r.offset = 2;
  EXPECT_EQ(picture(r), "xxx.\n"
                        "xxxx\n"
                        "xxxx\n");
}

TEST(AttentionMask, AWindowEndsAtThePosition) {
  AttentionMaskRules r = rules(4, 5);
  r.window = 2;
  EXPECT_EQ(picture(r), "xxxxx\n"
                        "xxxxx\n"
                        ".xxxx\n"
                        "..xxx\n");
  r.causal = true;
  r.offset = 1;
  EXPECT_EQ(picture(r), "xx...\n"
                        ".xx..\n"
                        "..xx.\n"
                        "...xx\n");
}

TEST(AttentionMask, PaddingHidesKeysOfItsBatch) {
  AttentionMaskRules r = rules(1, 3);
  r.batches = 2;
  r.padding = {0, 1, 1, 1, 0, 2};
  EXPECT_EQ(picture(r), ".xx\n"
                        "x.x\n");
}

TEST(AttentionMask, DocumentsDoNotSeeEachOther) {
  AttentionMaskRules r = rules(5, 5);
  r.causal = true;
  r.queryDocuments = r.keyDocuments = {7, 7, 3, 3, 7};
  EXPECT_EQ(picture(r), "x....\n"
                        "xx...\n"
                        "..x..\n"
                        "..xx.\n"
                        "xx..x\n");
}

} // namespace
} // namespace assay::oracle
