// The mappings of this folder against ggml's own kernels (ASSAY_GGML_DIR: a checkout of ggml or of llama.cpp)
// and the originals. The upstream files are the user's; without them a test is skipped and says so. Each case
// is judged twice: it holds as it is, and it fails when one word of the convention that it maps is taken
// away.
#include "tests/host/temporary_folder.h"
#include "tests/support/kernel_files.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The folder of ggml-metal.metal in a checkout, or empty.
fs::path ggmlMetal() {
  const char *given = std::getenv("ASSAY_GGML_DIR");
  if (!given || !*given)
    return {};
  for (const char *inside : {"src/ggml-metal", "ggml/src/ggml-metal"})
    if (fs::exists(fs::path(given) / inside / "ggml-metal.metal"))
      return fs::path(given) / inside;
  return {};
}

class DiffCases : public testing::Test {
protected:
  struct Outcome {
    int exitCode = -1;
    json document;
  };
  static std::string ggml() { return (ggmlMetal() / "ggml-metal.metal").string(); }
  static std::string mapping(const std::string &name) {
    return ASSAY_SOURCE_DIR "/tests/diff/mappings/" + name;
  }

  Outcome diff(const std::string &a, const std::string &b, const std::string &map,
               const std::string &options = "") {
    std::string command =
        "'" ASSAY_PROGRAM "' diff '" + a + "' '" + b + "' --mapping '" + map + "' --json " + options;
    if (const fs::path folder = ggmlMetal(); !folder.empty())
      command += " -I '" + folder.string() + "' -I '" + folder.parent_path().string() + "'";
    const int status = std::system((command + " >'" + (folder_ / "out.json") + "'").c_str());
    std::ifstream file(folder_ / "out.json");
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, json::parse(file, nullptr, false)};
  }
  void expectEqual(const std::string &a, const std::string &b, const std::string &map,
                   const std::string &options = "") {
    const Outcome outcome = diff(a, b, mapping(map), options);
    EXPECT_EQ(outcome.exitCode, 0) << map << " " << options << "\n" << outcome.document.dump(2);
    ASSERT_TRUE(outcome.document.contains("outputs"));
    for (const json &output : outcome.document["outputs"]) {
      EXPECT_EQ(output["unwrittenA"], 0) << output["name"];
      EXPECT_EQ(output["unwrittenB"], 0) << output["name"];
      EXPECT_EQ(output["nansA"], 0);
      RecordProperty(output["name"].get<std::string>(), output["largestAbsolute"].dump());
    }
  }
  /// A mapping with one text in place of another finds a difference.
  void expectDifferent(const std::string &a, const std::string &b, const std::string &map,
                       const std::string &from, const std::string &to) {
    std::ifstream file(mapping(map));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
    for (size_t path; (path = text.find("../../../kernels_msl")) != text.npos;)
      text.replace(path, 20, ASSAY_OWN_KERNELS);
    folder_.write("broken.toml", text);
    const Outcome outcome = diff(a, b, folder_ / "broken.toml");
    EXPECT_EQ(outcome.exitCode, 1) << to;
    EXPECT_EQ(outcome.document["equal"], false) << to << "\n" << outcome.document.dump(2);
  }
  testing_support::TemporaryFolder folder_;
};

#define ASSAY_NEEDS_GGML()                                                                                   \
  if (ggmlMetal().empty())                                                                                   \
  GTEST_SKIP() << "set ASSAY_GGML_DIR to a checkout of ggml or llama.cpp: its kernels are not part of this " \
                  "repository"

constexpr const char *kClassifier = "flash_attn_prefill_blk.metal", *kDeltaNet = "gated_delta_net.metal";

TEST_F(DiffCases, TheMaskClassifierSaysOfTheSameCellsWhatGgmlSays) {
  ASSAY_NEEDS_GGML();
  ASSAY_NEEDS_ORIGINAL(kClassifier);
  const std::string a = testing_support::originalKernel(kClassifier);
  for (const char *sizes :
       {"", "--set BQ=8 --set BK=8", "--set BQ=8 --set BK=32 --set C=32 --set qL=40",
        "--set kL=250 --set stride=270"}) // the last tile is partial on both sides, and mixed
    expectEqual(a, ggml(), "mask_classes.toml", sizes);
  expectDifferent(a, ggml(), "mask_classes.toml", "[\"-inf\", -65504]", "[\"-inf\", -60000]");
  expectDifferent(a, ggml(), "mask_classes.toml", "strides = [\"stride\", 1]",
                  "strides = [\"stride + 1\", 1]");
}

TEST_F(DiffCases, OurTileClassesAreThoseOfGgml) {
  ASSAY_NEEDS_GGML();
  expectEqual("-", ggml(), "tile_class.toml");
  expectEqual("-", ggml(), "tile_class.toml", "--set Q=16 --set C=32 --set columns=160");
  expectDifferent("-", ggml(), "tile_class.toml", "masked_below = -1e30", "masked_below = 1");
}

TEST_F(DiffCases, TheGatedDeltaNetComputesWhatGgmlComputes) {
  ASSAY_NEEDS_GGML();
  ASSAY_NEEDS_ORIGINAL(kDeltaNet);
  const std::string a = testing_support::originalKernel(kDeltaNet);
  for (const char *sizes :
       {"", "--set D=32 --set T=20", "--set D=128 --set T=2 --set S=1", "--set KH=3 --set VH=6 --set S=1"})
    expectEqual(a, ggml(), "gated_delta_net.toml", sizes);
  expectDifferent(a, ggml(), "gated_delta_net.toml", "scale = -1", "scale = 1");
  expectDifferent(a, ggml(), "gated_delta_net.toml", "scale = \"sqrt(D)\"", "scale = 1");
}

TEST_F(DiffCases, OurGatedDeltaNetComputesWhatGgmlComputes) {
  ASSAY_NEEDS_GGML();
  for (const char *sizes : {"", "--set D=128 --set T=2 --set S=1"})
    expectEqual("-", ggml(), "gated_delta_net.toml", sizes);
  expectDifferent("-", ggml(), "gated_delta_net.toml", "offset = \"S * T * VH * D\"",
                  "offset = \"S * T * VH * D + 1\"");
}

TEST_F(DiffCases, TheTwoFlashAttentionsOfGgmlAgree) {
  ASSAY_NEEDS_GGML();
  for (const char *sizes : {"", "--set NQ=5", "--set H=3 --set HK=1 --set NQ=8 --set NK=64"})
    expectEqual(ggml(), ggml(), "flash_attention_ggml.toml", sizes);
  expectDifferent(ggml(), ggml(), "flash_attention_ggml.toml", "{ f32 = [\"1 / sqrt(D)\"",
                  "{ f32 = [\"1 / D\"");
  expectDifferent(ggml(), ggml(), "flash_attention_ggml.toml", "order = [\"i\", \"h\", \"d\"]",
                  "order = [\"h\", \"i\", \"d\"]");
}

TEST_F(DiffCases, OurPrefillAttentionComputesWhatGgmlComputes) {
  ASSAY_NEEDS_GGML();
  for (const char *sizes : {"", "--set H=3 --set HK=1 --set NQ=32 --set NK=64", "--set NQ=5"})
    expectEqual("-", ggml(), "flash_attention_prefill.toml", sizes);
  expectDifferent("-", ggml(), "flash_attention_prefill.toml", "{ f32 = [\"1 / sqrt(D)\", 1]",
                  "{ f32 = [\"1 / D\", 1]");
}

TEST_F(DiffCases, OurMaskClassifierSaysOfTheSameCellsWhatGgmlSays) {
  ASSAY_NEEDS_GGML();
  for (const char *sizes : {"", "--set BQ=8 --set BK=8", "--set kL=250 --set stride=270"})
    expectEqual("-", ggml(), "mask_classes.toml", sizes);
}

TEST_F(DiffCases, OurGatedDeltaNetHasTheBitsOfTheOriginal) {
  ASSAY_NEEDS_ORIGINAL(kDeltaNet);
  const std::string b = testing_support::originalKernel(kDeltaNet);
  expectEqual("-", b, "gated_delta_net_original.toml");
  expectEqual("-", b, "gated_delta_net_original.toml", "--set D=48 --set T=11 --set KH=1");
  expectDifferent("-", b, "gated_delta_net_original.toml", "state = { buffer = 5 }",
                  "state = { buffer = 5, scale = 2 }");
}

} // namespace
} // namespace assay
