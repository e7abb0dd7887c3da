#include "stages.h"

#include <fmt/format.h>

namespace assay::kernels::foundry {
namespace {

using Slot = StageArgument::Slot;

StageArgument buffer(uint32_t index, std::string type, std::string name, std::string condition = {}) {
  return {std::move(type), std::move(name), Slot::Buffer, index, {}, std::move(condition)};
}
StageArgument threadgroupMemory(uint32_t index, std::string type, std::string name) {
  return {std::move(type), std::move(name), Slot::Threadgroup, index};
}
StageArgument builtin(std::string type, std::string name, std::string attribute) {
  return {std::move(type), std::move(name), Slot::Builtin, 0, std::move(attribute)};
}

const StageArgument kGid = builtin("uint3", "gid", "threadgroup_position_in_grid");
const StageArgument kThread = builtin("uint", "thread_", "thread_index_in_threadgroup");
const StageArgument kThreads = builtin("uint3", "threads", "threads_per_threadgroup");
const StageArgument kSimdgroup = builtin("ushort", "simdgroup_", "simdgroup_index_in_threadgroup");
const StageArgument kLane = builtin("ushort", "lane", "thread_index_in_simdgroup");

constexpr char kDecodeParams[] = "FlashDecodeParams";
constexpr char kPrefillParams[] = "PrefillParams";
constexpr char kKvPrepParams[] = "KvPrepParams";

StageArgument params(std::string_view type) {
  return buffer(4, fmt::format("constant {} &", type), "p");
}
std::string in(const StageTypes &t) {
  return fmt::format("device const {} *", t.element());
}
std::string out(const StageTypes &t) {
  return fmt::format("device {} *", t.element());
}
StageValue rowOf(const StageTypes &t, std::string value = {}) {
  return {in(t), "row", std::move(value)};
}
StageValue place(std::string value = {}) {
  return {"const ulong", "place", std::move(value)};
}
StageValue rotated(const StageTypes &t, bool mustBeTaken = false) {
  return {fmt::format("threadgroup {} *", t.element()), "rotated", {}, mustBeTaken};
}
StageValue here(std::string_view type, const StageTypes &t) {
  return {fmt::format("const {}<{}>", type, t.element()), "here"};
}

StageArgument partials() {
  return threadgroupMemory(1, "threadgroup float *", "partials");
}
StageArgument stats() {
  return threadgroupMemory(2, "threadgroup float *", "stats");
}

std::string walkOf(const StageTypes &t) {
  return fmt::format("{}, {}, {}", t.element(), t.headDim, t.warps);
}

/// What prefill and the part of Split-K share: what scores are made of, and the tiles.
Stage prefillWalk(const StageTypes &t, std::string name, std::string purpose) {
  Stage s;
  s.name = std::move(name), s.purpose = std::move(purpose), s.headers = {"prefill_stages.h"};
  s.mostThreads = uint32_t(t.warps) * 32;
  s.arguments = {buffer(0, in(t), "Q"),
                 buffer(1, in(t), "K", "k_typed"),
                 buffer(2, in(t), "V", "v_typed"),
                 params(kPrefillParams),
                 buffer(5, in(t), "mask", "has_mask"),
                 buffer(6, "device const uchar *", "padding", "has_padding"),
                 buffer(10, "device const uchar *", "kq", "k_quantised"),
                 buffer(11, "device const uchar *", "kq_scales", "k_quantised"),
                 buffer(12, "device const uchar *", "kq_zeros", "k_has_zeros"),
                 buffer(13, "device const uint *", "kq_outliers", "k_outliers"),
                 buffer(14, "device const uchar *", "vq", "v_quantised"),
                 buffer(15, "device const uchar *", "vq_scales", "v_quantised"),
                 buffer(16, "device const uchar *", "vq_zeros", "v_has_zeros"),
                 buffer(17, "device const uint *", "vq_outliers", "v_outliers"),
                 kGid,
                 kSimdgroup,
                 kLane};
  s.statements = {fmt::format("using Walk = PrefillWalk<{}>;", walkOf(t)),
                  "threadgroup Walk::Four q_tile[Walk::kRows * Walk::kFours];",
                  "threadgroup Walk::Four kv_tile[kTileKeys * Walk::kPitch];"};
  return s;
}

std::string prefillHead(const StageTypes &t, std::string_view batch) {
  return fmt::format("const PrefillHead<{}> head(p, Q, {{K, kq, kq_scales, kq_zeros, kq_outliers}},\n"
                     "    {{V, vq, vq_scales, vq_zeros, vq_outliers}}, has_mask ? mask : nullptr,\n"
                     "    has_padding ? padding : nullptr, gid.y, {});",
                     t.element(), batch);
}

} // namespace

Stage headLayoutStage(const StageTypes &t) {
  Stage s;
  s.name = "HeadLayoutStage", s.purpose = "the rows of head gid.x of batch gid.y";
  s.headers = {"head_layout_stage.h"};
  s.arguments = {buffer(0, in(t), "q"),
                 buffer(1, in(t), "k", "k_typed"),
                 buffer(2, in(t), "v", "v_typed"),
                 buffer(3, out(t), "out"),
                 params(kDecodeParams),
                 buffer(5, "device const uchar *", "kq", "k_quantised"),
                 buffer(6, "device const uchar *", "kq_scales", "k_quantised"),
                 buffer(7, "device const uchar *", "vq", "v_quantised"),
                 buffer(8, "device const uchar *", "vq_scales", "v_quantised"),
                 buffer(18, "device const uchar *", "kq_zeros", "k_has_zeros"),
                 buffer(19, "device const uint *", "kq_outliers", "k_outliers"),
                 buffer(20, "device const uchar *", "vq_zeros", "v_has_zeros"),
                 buffer(21, "device const uint *", "vq_outliers", "v_outliers"),
                 buffer(9, "device const uint *", "lengths", "has_lengths"),
                 buffer(10, "device const uchar *", "padding", "has_padding"),
                 buffer(11, "device const char *", "mask", "has_mask"),
                 kGid};
  s.leaves = {here("DecodeHead", t), rowOf(t, "here.q"), place("gid.y")};
  s.statements = {
      fmt::format("const DecodeHead<{0}> here = head_layout<{0}, {1}>(\n"
                  "    q, {{k, kq, kq_scales, kq_zeros, kq_outliers}},\n"
                  "    {{v, vq, vq_scales, vq_zeros, vq_outliers}}, out, p, lengths, padding, mask, gid);",
                  t.element(), t.headDim)};
  return s;
}

Stage ropeStage(const StageTypes &t, const std::string &paramsType, const std::string &headDim) {
  Stage s;
  s.name = "RopeStage", s.purpose = "the row at its position, rotated, in threadgroup memory";
  s.headers = {"rope_stage.h"};
  s.arguments = {params(paramsType),
                 buffer(12, "device const float *", "cos_table"),
                 buffer(13, "device const float *", "sin_table"),
                 buffer(14, "device const uint *", "positions"),
                 threadgroupMemory(0, rotated(t).type, rotated(t).name),
                 kThread,
                 kThreads};
  s.takes = {rowOf(t), place()};
  s.leaves = {rotated(t, true)};
  s.statements = {
      fmt::format("rope_stage(row, rotated, cos_table, sin_table, positions[place] * p.table_row, "
                  "p.rope_size,\n    {}, thread_, threads.x);",
                  headDim)};
  return s;
}

Stage flashDecodeStage(const StageTypes &t) {
  Stage s;
  s.name = "FlashDecodeStage", s.purpose = "the query is staged as it is and attends to the keys of its head";
  s.headers = {"flash_decode_stage.h"};
  s.arguments = {params(kDecodeParams),
                 threadgroupMemory(0, fmt::format("threadgroup {} *", t.element()), "query"), partials(),
                 stats(), kThread};
  s.takes = {here("DecodeHead", t), rowOf(t)};
  s.statements = {
      fmt::format("flash_decode_stage<{}, {}>(row, query, here, p.scale, partials, stats, thread_);",
                  t.element(), t.headDim)};
  return s;
}

Stage flashDecodeFusedStage(const StageTypes &t) {
  Stage s;
  s.name = "FlashDecodeFusedStage", s.purpose = "the rotated query attends to the keys of its head";
  s.headers = {"flash_decode_stage.h"};
  s.arguments = {params(kDecodeParams), partials(), stats(), kThread};
  s.takes = {here("DecodeHead", t), rotated(t)};
  s.statements = {
      fmt::format("flash_decode_fused_stage<{}, {}>(rotated, here, p.scale, partials, stats, thread_);",
                  t.element(), t.headDim)};
  return s;
}

Stage sdpaPrefillStage(const StageTypes &t) {
  Stage s = prefillWalk(t, "SdpaPrefillStage", "tile gid.x of the queries of head gid.y of batch gid.z");
  s.arguments.push_back(buffer(3, out(t), "Out"));
  s.statements.push_back(prefillHead(t, "gid.z"));
  s.statements.push_back(
      fmt::format("sdpa_prefill_stage<{}>(p, head, Out + gid.z * p.out_batch + gid.y * p.out_head, q_tile,\n"
                  "    kv_tile, gid, simdgroup_, lane);",
                  walkOf(t)));
  return s;
}

Stage sdpaPrefillSplitKPartStage(const StageTypes &t) {
  Stage s = prefillWalk(t, "SdpaPrefillSplitKPartStage",
                        "tile gid.x of head gid.y over one split of the keys; gid.z is batch and split");
  s.arguments.push_back(buffer(7, "device float *", "partial_o"));
  s.arguments.push_back(buffer(8, "device float *", "partial_m"));
  s.arguments.push_back(buffer(9, "device float *", "partial_l"));
  s.statements.push_back("const uint batch = gid.z / p.split_k, split = gid.z % p.split_k;");
  s.statements.push_back(prefillHead(t, "batch"));
  s.statements.push_back(
      fmt::format("sdpa_prefill_splitk_part_stage<{}>(p, head, partial_o, partial_m, partial_l, q_tile,\n"
                  "    kv_tile, batch, split, gid, simdgroup_, lane);",
                  walkOf(t)));
  return s;
}

Stage sdpaPrefillSplitKReduceStage(const StageTypes &t) {
  Stage s;
  s.name = "SdpaPrefillSplitKReduceStage";
  s.purpose = "the splits of tile gid.x of head gid.y of batch gid.z, put together";
  s.headers = {"prefill_stages.h"};
  s.mostThreads = uint32_t(t.warps) * 32;
  s.arguments = {buffer(3, out(t), "Out"),
                 params(kPrefillParams),
                 buffer(7, "device const float *", "partial_o"),
                 buffer(8, "device const float *", "partial_m"),
                 buffer(9, "device const float *", "partial_l"),
                 kGid,
                 kSimdgroup,
                 kLane};
  s.statements = {
      fmt::format("device {} *out = Out + gid.z * p.out_batch + gid.y * p.out_head;", t.element()),
      fmt::format("sdpa_prefill_splitk_reduce_stage<{}>(p, partial_o, partial_m, partial_l, out, gid,\n"
                  "    simdgroup_, lane);",
                  walkOf(t))};
  return s;
}

Stage queryLayoutStage(const StageTypes &t) {
  Stage s;
  s.name = "QueryLayoutStage", s.purpose = "query gid.x of head gid.y of batch gid.z, and where it is packed";
  s.headers = {"kv_stages.h"};
  s.arguments = {buffer(0, in(t), "q"), buffer(3, out(t), "packed"), params(kKvPrepParams), kGid};
  s.leaves = {here("QueryRow", t), rowOf(t, "here.row"), place("here.place")};
  s.statements = {fmt::format("const QueryRow<{}> here = query_layout(q, packed, p, gid);", t.element())};
  return s;
}

Stage kvLayoutStage(const StageTypes &t) {
  Stage s;
  s.name = "KvLayoutStage";
  s.purpose = "new token gid.x of key head gid.y of batch gid.z, and its row of the cache";
  s.headers = {"kv_stages.h"};
  s.arguments = {buffer(1, out(t), "k"),
                 buffer(2, out(t), "v"),
                 params(kKvPrepParams),
                 buffer(5, in(t), "new_k"),
                 buffer(6, in(t), "new_v"),
                 buffer(7, "device const uint *", "starts"),
                 kGid};
  s.leaves = {here("KvRow", t), rowOf(t, "here.key"), place("here.place")};
  s.statements = {
      fmt::format("const KvRow<{}> here = kv_layout(new_k, new_v, k, v, starts, p, gid);", t.element())};
  return s;
}

namespace {

/// A stage that stores what the layout has found, or what RopeStage has left.
Stage store(std::string name, std::string purpose, StageValue found, std::string_view function,
            const StageValue *fused) {
  Stage s;
  s.name = std::move(name), s.purpose = std::move(purpose), s.headers = {"kv_stages.h"};
  s.arguments = {params(kKvPrepParams), kThread, kThreads};
  s.takes = {std::move(found)};
  if (fused)
    s.takes.push_back(*fused);
  s.statements = {
      fmt::format("{}({}here, p.head_dim, thread_, threads.x);", function, fused ? "rotated, " : "")};
  return s;
}

} // namespace

Stage queryPackStage(const StageTypes &t) {
  return store("QueryPackStage", "the query as it is", here("QueryRow", t), "query_pack_stage", nullptr);
}
Stage queryPackFusedStage(const StageTypes &t) {
  const StageValue taken = rotated(t);
  return store("QueryPackFusedStage", "the rotated query", here("QueryRow", t), "query_pack_fused_stage",
               &taken);
}
Stage kvWriteStage(const StageTypes &t) {
  return store("KvWriteStage", "the key as it is, and the value", here("KvRow", t), "kv_write_stage",
               nullptr);
}
Stage kvWriteFusedStage(const StageTypes &t) {
  const StageValue taken = rotated(t);
  return store("KvWriteFusedStage", "the rotated key, and the value", here("KvRow", t),
               "kv_write_fused_stage", &taken);
}

} // namespace assay::kernels::foundry
