// What generated kernels contain, and that a seed always means the same one.
#include "generator.h"

#include "support/abi/simd_op.h"

#include <gmock/gmock.h>

#include <set>

namespace assay::engines {
namespace {

// The text of many kernels.
const std::string &corpus() {
  static const std::string text = [] {
    std::string all;
    for (uint64_t seed = 1; seed <= 400; ++seed)
      all += metalOf(generate(seed));
    return all;
  }();
  return text;
}

} // namespace

TEST(Generator, GivesTheSameKernelForTheSameSeed) {
  EXPECT_EQ(metalOf(generate(7)), metalOf(generate(7)));
  EXPECT_EQ(commandOf(generate(7), "k.metal"), commandOf(generate(7), "k.metal"));
  std::set<std::string> kernels;
  for (uint64_t seed = 1; seed <= 100; ++seed)
    kernels.insert(metalOf(generate(seed)));
  EXPECT_EQ(kernels.size(), 100u);
}

TEST(Generator, MakesWellFormedPrograms) {
  for (uint64_t seed = 1; seed <= 100; ++seed)
    EXPECT_TRUE(wellFormed(generate(seed))) << metalOf(generate(seed));
}

TEST(Generator, ReachesEachOperationBetweenLanes) {
  for (const SimdOpInfo &info : kSimdOps) {
    if (info.op == SimdOp::Lockstep || info.op == SimdOp::MultiplyFragments)
      continue; // no function of Metal; a tensor's
    EXPECT_NE(corpus().find(std::string(info.text) + "("), std::string::npos) << info.text;
  }
}

TEST(Generator, ReachesEachConstruct) {
  for (const char *text : {"for (uint",
                           "while (",
                           "do {",
                           "switch (",
                           "default:",
                           "break;",
                           "continue;",
                           "  return;",
                           "  return ",
                           "else {",
                           " ? ",
                           "threadgroup_barrier(",
                           "simdgroup_barrier(mem_flags::mem_none)",
                           "shared_[",
                           "lanes_[",
                           "atomic_fetch_add_explicit",
                           "atomic_fetch_xor_explicit",
                           "totals_[",
                           "atomic_fetch_add_explicit((own_",
                           "atomic_fetch_sub_explicit(((device atomic_float *)own_",
                           "atomic_exchange_explicit((near_",
                           "atomic_compare_exchange_weak_explicit(",
                           "select(",
                           "as_type<",
                           "fma(",
                           " % ",
                           "simdgroup_load(",
                           "f0(",
                           "f1(",
                           "min(",
                           ".zy",
                           "((slot) * size.x"})
    EXPECT_NE(corpus().find(text), std::string::npos) << text;
  for (const ScalarTypeInfo &type : kScalarTypes)
    for (const char *width : {" v", "2 v", "3 v", "4 v"})
      EXPECT_NE(corpus().find(std::string(type.metalName) + width), std::string::npos)
          << type.metalName << width;
}

// Code without barriers goes through simdgroups and threadgroups by itself.
TEST(Generator, MakesKernelsWithoutBarriersOfManyThreadgroups) {
  uint32_t without = 0;
  bool many = false;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = generate(seed);
    if (metalOf(program).find("threadgroup_barrier(") != std::string::npos)
      continue;
    ++without;
    many |= program.grid.x > 5 * program.group.x && program.grid.x % program.group.x != 0;
  }
  EXPECT_GT(without, 20u);
  EXPECT_TRUE(many);
}

TEST(Generator, HasPartialGroupsAndAllDimensions) {
  bool partialSimdgroup = false, partialGroup = false, oneThread = false;
  std::set<uint32_t> dimensions;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = generate(seed);
    EXPECT_GT(program.outputWords(), 0u);
    EXPECT_LE(program.group.count(), 1024u);
    partialSimdgroup |= program.group.count() % 32 != 0;
    partialGroup |= program.grid.x % program.group.x != 0;
    oneThread |= program.group.count() == 1;
    dimensions.insert(1 + (program.group.y > 1) + (program.group.z > 1));
  }
  EXPECT_TRUE(partialSimdgroup && partialGroup && oneThread);
  EXPECT_EQ(dimensions, (std::set<uint32_t>{1, 2, 3}));
}

TEST(Generator, GivesSpecialValues) {
  std::set<uint32_t> words;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Program program = generate(seed);
    words.insert(program.input.begin(), program.input.end());
  }
  for (const uint32_t special : {0x7f800000u, 0x80000000u, 0x00000001u, 0x7fc00000u})
    EXPECT_TRUE(words.contains(special)) << std::hex << special;
}

} // namespace assay::engines
