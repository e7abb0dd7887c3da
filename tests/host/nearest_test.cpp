#include "host/nearest.h"

#include <gtest/gtest.h>

namespace assay {

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("abc", "abc"), 0u);
  EXPECT_EQ(editDistance("abc", "abxc"), 1u);
  EXPECT_EQ(editDistance("abc", "ac"), 1u);
  EXPECT_EQ(editDistance("abc", "axc"), 1u);
  EXPECT_EQ(editDistance("abcd", "acbd"), 1u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(NearestName, FindsTheTypo) {
  EXPECT_EQ(nearestName("redcue_sum", {"add", "reduce_max", "reduce_sum"}), "reduce_sum");
  EXPECT_EQ(nearestName("ad", {"add", "sub"}), "add");
}

TEST(NearestName, FindsTheNameOfWhichAPartWasTyped) {
  EXPECT_EQ(nearestName("attention", {"add", "attention_train_bwd_bf16_d64"}),
            "attention_train_bwd_bf16_d64");
}

TEST(NearestName, OffersNothingThatIsTooFarOff) {
  EXPECT_EQ(nearestName("softmax", {"add", "gemm"}), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(NearestHint, ListsWhatThereIsIfNothingIsNear) {
  EXPECT_EQ(nearestHint("softmax", {"add", "gemm"}, "kernels"), "kernels: add, gemm");
  EXPECT_EQ(nearestHint("addd", {"add", "gemm"}, "kernels"), "did you mean 'add'?");
  EXPECT_EQ(nearestHint("x", {}, "kernels"), "there are no kernels");
  EXPECT_EQ(nearestHint("softmax", std::vector<std::string>(9, "ab"), "kernels"),
            "kernels: ab, ab, ab, ab, ab, ab, ab, ab and 1 more");
}

} // namespace assay
