// Every field goes there and back. Every field here has a value that is not its default, so that one that is
// forgotten in either direction shows.
#include "host/cache_entries.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const SourcePlace kPlace{"a.metal", 12, 34};

const TensorUse kTensor{PackedFormat::uint2b_format, true,   AddressSpace::Constant, Access::ReadWrite,
                        ScalarType::Short,           {4, 31}};

CachedModule someModule() {
  ArgumentInfo argument{
      "out",
      ArgumentKind::ThreadgroupMemory,
      7,
      AddressSpace::Threadgroup,
      "threadgroup half4 *",
      true,
      8,
      16,
      ScalarType::Half,
      Access::Write,
      Builtin::ThreadsPerGrid,
      TextureType::Type3D,
      true,
      5,
      "has_mask",
      "has_mask_symbol",
      "slot",
      "slot_symbol",
      {{"inner.a", 3, "device int *", 24, 8, 2, AddressSpace::Device, Access::ReadWrite,
        TextureUse{TextureType::Type3D, true, ScalarType::Half, Access::Write}, true, true, kTensor}},
      0,
      kTensor,
      3};
  ArgumentInfo bare{"x",
                    ArgumentKind::Builtin,
                    1,
                    AddressSpace::Constant,
                    "uint",
                    false,
                    2,
                    4,
                    std::nullopt,
                    Access::ReadWrite,
                    std::nullopt,
                    TextureType::Type1D,
                    false,
                    2,
                    "",
                    "",
                    "",
                    "",
                    {},
                    std::nullopt,
                    std::nullopt,
                    1};
  StructInfo structure{"ns::Params",
                       48,
                       {{"next[]",
                         16,
                         FieldKind::Address,
                         ScalarType::ULong,
                         {{3, 8}},
                         "device half4 *",
                         4,
                         2,
                         PointeeInfo{Access::ReadWrite, 8, 4, ScalarType::Half, 4, 1},
                         TextureUse{TextureType::Type3D, true, ScalarType::Half, Access::Write},
                         true,
                         true,
                         kTensor}},
                       "a bit-field"};
  KernelInfo kernel{"entry",   "ns::function", "entry.symbol", {argument, bare}, 128,
                    {8, 4, 1}, 4096,           {200, 300},     "why not",        kPlace};
  FunctionConstantInfo constant{"ns::has_mask", 300, ScalarType::UShort, 3, "_ZN2nsE", true};
  Diagnostic warning{Severity::Warning, kPlace, "message", "rule", "hint", "source line", {{1, 2}, {3, 4}}};
  return {{{kernel},
           {{"shade", "visible", kPlace, "float (int)", "_Z5shadei", {1, 2}}},
           {constant},
           {structure},
           {"needed"},
           {"given"}},
          {warning}};
}

CachedPipeline somePipeline() {
  SiteInfo site{SiteKind::Simd,
                kPlace,
                3,
                {{4, 5}, {6, 7}},
                SimdOp::ShuffleXor,
                ScalarType::BFloat,
                8,
                AccessKind::Atomic,
                AtomicKind::Store,
                9,
                MemoryKind::ThreadgroupSlot,
                10,
                "memory",
                11,
                12,
                "probe",
                13,
                Decision::None,
                16,
                true,
                true,
                17,
                {{IndexOp::Multiply, 32, -7}}};
  return {{"entry",
           "symbol",
           {site},
           13,
           20,
           32,
           true,
           false,
           true,
           true,
           30,
           "a barrier apart",
           14,
           {{"tile", "f<1>::tile", 15, 16, {2, 8}}},
           {{"shade", "float (int)"}},
           17,
           19,
           18,
           true,
           true,
           true,
           true,
           true,
           true,
           {true, 20, 21, true},
           {21, 22},
           {{"acc", kPlace}},
           {{23, 24}},
           {{{25, true, true, {{WorkKind::Divisions, 26, 27, 28}}}}, {29}}},
          std::string("\x7f"
                      "ELF\0\xff",
                      6)};
}

} // namespace

// Equality of bytes is equality of values: the same writer wrote both, and it writes every field
// (serialize.cpp does not compile otherwise). What is read back wrong is then written differently.
TEST(Serialize, ModulesGoThereAndBack) {
  const std::string bytes = toBytes(someModule());
  const std::optional<CachedModule> back = fromBytes<CachedModule>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(toBytes(*back), bytes);
  const ArgumentInfo &argument = back->info.kernels.at(0).arguments.at(0);
  EXPECT_EQ(argument.name, "out");
  EXPECT_EQ(argument.element, ScalarType::Half);
  EXPECT_EQ(argument.builtin, Builtin::ThreadsPerGrid);
  EXPECT_EQ(argument.condition, "has_mask");
  EXPECT_EQ(argument.conditionSymbol, "has_mask_symbol");
  EXPECT_EQ(back->info.kernels[0].arguments[1].element, std::nullopt);
  EXPECT_EQ(back->info.functionConstants.at(0).symbol, "_ZN2nsE");
  EXPECT_EQ(argument.structure, 0u);
  EXPECT_EQ(argument.tensor.value().extents.at(1), 31u);
  EXPECT_EQ(argument.members.at(0).tensor.value().index, ScalarType::Short);
  EXPECT_EQ(argument.components, 3u);
  const FieldInfo &field = back->info.structs.at(0).fields.at(0);
  EXPECT_EQ(field.spelling, "device half4 *");
  EXPECT_EQ(field.pointee.value().structure, 1u);
  EXPECT_EQ(field.texture.value().access, Access::Write);
  EXPECT_EQ(back->info.structs[0].unsupported, "a bit-field");
  EXPECT_EQ(back->info.gives.at(0), "given");
  EXPECT_EQ(back->diagnostics.at(0).ranges.at(1), (std::pair<uint32_t, uint32_t>(3, 4)));
  EXPECT_EQ(back->diagnostics[0].where, kPlace);
}

TEST(Serialize, PipelinesGoThereAndBack) {
  const std::string bytes = toBytes(somePipeline());
  const std::optional<CachedPipeline> back = fromBytes<CachedPipeline>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(toBytes(*back), bytes);
  EXPECT_EQ(back->object, somePipeline().object);
  EXPECT_EQ(back->info.sites.at(0).loops.at(1).counter, 7u);
  EXPECT_EQ(back->info.sites[0].memoryName, "memory");
  EXPECT_EQ(back->info.sites[0].name, "probe");
  ASSERT_EQ(back->info.sites[0].index.size(), 1u);
  EXPECT_EQ(back->info.sites[0].index[0].op, IndexOp::Multiply);
  EXPECT_EQ(back->info.sites[0].index[0].value, -7);
  EXPECT_EQ(back->info.threadgroupVariables.at(0).fullName, "f<1>::tile");
  EXPECT_TRUE(back->info.usesFloatAtomics);
  EXPECT_EQ(back->info.zeroConstants, (std::vector<uint32_t>{21, 22}));
  EXPECT_EQ(back->info.work.blocks.at(0).items.at(0).bytes, 27u);
  EXPECT_EQ(back->info.work.parents, (std::vector<uint32_t>{29}));
}

TEST(Serialize, FactsGoThereAndBack) {
  const std::string bytes = toBytes(CachedFacts{somePipeline().info, {1, 0, 1}});
  const std::optional<CachedFacts> back = fromBytes<CachedFacts>(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(toBytes(*back), bytes);
  EXPECT_EQ(back->active, (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(back->info.sites.at(0).memoryName, "memory");
}

TEST(Serialize, ManifestsGoThereAndBack) {
  const Manifest manifest{{{{{"a.metal", "digest"}, {"b.h", ""}}, "key1"}, {{}, "key2"}}};
  const std::optional<Manifest> back = fromBytes<Manifest>(toBytes(manifest));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->variants.at(0).dependencies.at(1).path, "b.h");
  EXPECT_EQ(back->variants.at(1).moduleKey, "key2");
}

TEST(Serialize, EveryTruncationAndEveryExtensionIsRefused) {
  const std::string bytes = toBytes(someModule());
  for (size_t length = 0; length < bytes.size(); ++length)
    ASSERT_FALSE(fromBytes<CachedModule>(std::string_view(bytes).substr(0, length))) << length;
  EXPECT_FALSE(fromBytes<CachedModule>(bytes + "x"));
}

TEST(Serialize, ASwitchIsZeroOrOne) {
  std::string bytes = toBytes(somePipeline());
  KernelCodeInfo other = somePipeline().info;
  other.usesFloatAtomics = !other.usesFloatAtomics;
  const std::string flipped = toBytes(CachedPipeline{other, somePipeline().object});
  const size_t at = size_t(std::mismatch(bytes.begin(), bytes.end(), flipped.begin()).first - bytes.begin());
  ASSERT_LT(at, bytes.size());
  bytes[at] = 2;
  EXPECT_FALSE(fromBytes<CachedPipeline>(bytes));
}

// What is accepted in spite of it takes as many bytes when it is written: each byte was read once. The bytes
// themselves may differ, because a bool of 0xff is written as 1.
TEST(Serialize, NoFlippedByteCrashesOrAllocatesWithoutBound) {
  const std::string bytes = toBytes(someModule());
  size_t accepted = 0, refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(0xff);
    const std::optional<CachedModule> module = fromBytes<CachedModule>(bad);
    ++(module ? accepted : refused);
    if (module) {
      ASSERT_EQ(toBytes(*module).size(), bytes.size()) << "byte " << i;
    }
  }
  EXPECT_GT(accepted, 0u) << "a letter of a name may be any";
  EXPECT_GT(refused, 0u) << "a length must fit into the entry";
}

} // namespace assay
