#include "compound_set.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace assay::kernels::foundry {
namespace {

void addDecode(std::vector<CompoundKernel> &all, const StageTypes &t) {
  constexpr char kFile[] = "foundry/decode_kernels.metal";
  const std::string suffix = fmt::format("{}_d{}", t.bfloat ? "bf16" : "f16", t.headDim);
  all.push_back({kFile, "flash_decode_" + suffix, {headLayoutStage(t), flashDecodeStage(t)}});
  all.push_back({kFile,
                 "flash_decode_rope_" + suffix,
                 {headLayoutStage(t), ropeStage(t, "FlashDecodeParams", std::to_string(t.headDim)),
                  flashDecodeFusedStage(t)}});
}

void addPrefill(std::vector<CompoundKernel> &all, const StageTypes &t) {
  constexpr char kSplitKFile[] = "foundry/prefill_splitk.metal";
  const std::string suffix = fmt::format("_d{}_w{}{}", t.headDim, t.warps, t.bfloat ? "_bf16" : "");
  all.push_back({"foundry/prefill_online.metal", "flash_prefill_tiled" + suffix, {sdpaPrefillStage(t)}});
  all.push_back({kSplitKFile, "flash_prefill_splitk_part" + suffix, {sdpaPrefillSplitKPartStage(t)}});
  all.push_back({kSplitKFile, "flash_prefill_splitk_reduce" + suffix, {sdpaPrefillSplitKReduceStage(t)}});
}

void addPreparation(std::vector<CompoundKernel> &all, const StageTypes &t) {
  constexpr char kFile[] = "foundry/kv_prep.metal";
  const std::string suffix = t.bfloat ? "bf16" : "f16";
  const Stage rope = ropeStage(t, "KvPrepParams", "p.head_dim");
  all.push_back({kFile, "flash_pack_q_" + suffix, {queryLayoutStage(t), queryPackStage(t)}});
  all.push_back({kFile, "flash_pack_q_rope_" + suffix, {queryLayoutStage(t), rope, queryPackFusedStage(t)}});
  all.push_back({kFile, "flash_write_kv_" + suffix, {kvLayoutStage(t), kvWriteStage(t)}});
  all.push_back({kFile, "flash_write_kv_rope_" + suffix, {kvLayoutStage(t), rope, kvWriteFusedStage(t)}});
}

} // namespace

const std::vector<CompoundKernel> &compoundKernels() {
  static const std::vector<CompoundKernel> all = [] {
    std::vector<CompoundKernel> made;
    for (const bool bfloat : {false, true}) {
      for (const int headDim : {32, 64, 80, 96, 128, 256}) {
        addDecode(made, {bfloat, headDim});
        for (const int warps : {4, 8})
          addPrefill(made, {bfloat, headDim, warps});
      }
      addPreparation(made, {bfloat});
    }
    return made;
  }();
  return all;
}

const CompoundKernel *findCompound(std::string_view file, std::string_view kernel) {
  using Key = std::pair<std::string_view, std::string_view>;
  static const std::map<Key, const CompoundKernel *> known = [] {
    std::map<Key, const CompoundKernel *> made;
    for (const CompoundKernel &compound : compoundKernels())
      made.emplace(Key(compound.file, compound.name), &compound);
    return made;
  }();
  const auto it = known.find({file, kernel});
  return it == known.end() ? nullptr : it->second;
}

KernelSource compoundSource(std::filesystem::path folder) {
  return [folder = std::move(folder)](std::string_view file,
                                      std::string_view kernel) -> Result<std::optional<std::string>> {
    const CompoundKernel *compound = findCompound(file, kernel);
    if (!compound)
      return std::optional<std::string>();
    const Result<std::string> text = composeKernel(compound->name, compound->stages);
    if (!text)
      return text.error();
    Result<std::string> whole = pasteHeaders(*text, folder / "foundry");
    if (!whole)
      return whole.error();
    return std::optional(std::move(*whole));
  };
}

KernelSet compoundSet(const KernelSet &kernels) {
  KernelSet set(kernels.folder(), kernels.pipelineOptions());
  set.generateFrom(compoundSource(kernels.folder()));
  return set;
}

} // namespace assay::kernels::foundry
