// What kernels compute that call visible functions through tables. Values are those of plain arithmetic in
// C++, in every way in which a pipeline can be made.
#include "function_table_fixture.h"

namespace assay {
namespace {

std::string nameOf(const testing::TestParamInfo<Mode> &info) {
  constexpr const char *kNames[] = {"Release", "Debug", "Lockstep", "Unchecked"};
  return kNames[size_t(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Modes, FunctionTableModes,
                         testing::Values(Mode::Release, Mode::Debug, Mode::Lockstep, Mode::Unchecked),
                         nameOf);

} // namespace

TEST_P(FunctionTableModes, EachLaneCallsItsOwnFunctionAndAllMeetAfterwards) {
  const std::vector<const char *> names = {"twice", "squared", "negated", "hidden", "halved_float"};
  const ComputePipeline made = pipeline("apply", names, options());
  std::vector<uint32_t> which(32);
  for (uint32_t i = 0; i < 32; ++i)
    which[i] = (i * 7 + i / 5) % 5;
  Buffer met = device.newBuffer(32 * 4);
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBytes(which.data(), which.size() * 4, 2);
    encoder.setBuffer(met, 0, 3);
  });
  for (uint32_t i = 0; i < 32; ++i) {
    const float x = float(i), expected[] = {2 * x, x * x, -x, x + 100, x / 2};
    EXPECT_EQ(out[i], expected[which[i]]) << i;
    EXPECT_EQ(met.as<float>()[i], 32) << i;
  }
}

TEST_P(FunctionTableModes, ATableInAnArgumentBufferIsCalledAsAnyOther) {
  const ComputePipeline made = pipeline("from_buffer", {"twice", "squared", "negated"}, options());
  const VisibleFunctionTable one = table(made, {"twice", "squared"}), two = table(made, {"negated"});
  struct {
    float scale;
    uint64_t one, inner[2];
  } arguments = {10, one.gpuAddress(), {0, two.gpuAddress()}};
  const auto runWith = [&](uint64_t first) {
    arguments.inner[0] = first;
    return run(made, 8, [&](ComputeCommandEncoder &encoder) {
      encoder.setBytes(&arguments, sizeof arguments, 1);
      encoder.useResource(one, ResourceUsage::Read);
      encoder.useResource(two, ResourceUsage::Read);
    });
  };
  const std::vector<float> without = runWith(0), with = runWith(one.gpuAddress());
  for (uint32_t i = 0; i < 8; ++i) {
    const float x = float(i), common = (i % 2 ? x * x : 2 * x) * 10 - x * 100;
    EXPECT_EQ(without[i], common + 1000) << i;
    EXPECT_EQ(with[i], common + 2 * x) << i;
  }
}

// Reflection does not follow pointers; what is linked is known all the same.
TEST_P(FunctionTableModes, ATableIsReachedThroughAddresses) {
  const ComputePipeline made = pipeline("through_pointer", {"twice", "squared"}, options());
  const VisibleFunctionTable squares = table(made, {"squared"});
  Buffer inner = device.newBuffer(16);
  inner.as<uint64_t>()[1] = squares.gpuAddress();
  const uint64_t far = inner.gpuAddress();
  const std::vector<float> out = run(made, 8, [&](ComputeCommandEncoder &encoder) {
    encoder.setBytes(&far, sizeof far, 1);
    encoder.useResource(inner, ResourceUsage::Read);
    encoder.useResource(squares, ResourceUsage::Read);
  });
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(out[i], float(i * i)) << i;
}

TEST_P(FunctionTableModes, ASimdOperationIsAmongTheLanesThatCallTheSameFunction) {
  const std::vector<const char *> names = {"total", "highest", "twice"};
  const ComputePipeline made = pipeline("apply", names, options());
  Buffer met = device.newBuffer(32 * 4);
  std::vector<uint32_t> which(32);
  for (uint32_t i = 0; i < 32; ++i)
    which[i] = i % 3;
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBytes(which.data(), which.size() * 4, 2);
    encoder.setBuffer(met, 0, 3);
  });
  float sum = 0;
  for (uint32_t i = 0; i < 32; i += 3)
    sum += float(i);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 3 == 0 ? sum : i % 3 == 1 ? 31 : 2.0f * float(i)) << i;
    EXPECT_EQ(met.as<float>()[i], 32) << i;
  }
}

TEST_P(FunctionTableModes, LanesMeetInEachIteration) {
  const std::vector<const char *> names = {"total", "twice", "highest"};
  const ComputePipeline made = pipeline("repeat", names, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, names), 1);
  });
  // Sums of 32 eighths of small integers are exact.
  std::vector<float> x(32);
  std::iota(x.begin(), x.end(), 0.0f);
  for (uint32_t n = 0; n < 5; ++n) {
    const auto entry = [&](uint32_t i) { return (i + n * (i / 8)) % 3; };
    float sum = 0, highest = -1;
    for (uint32_t i = 0; i < 32; ++i) {
      sum += entry(i) == 0 ? x[i] : 0;
      highest = entry(i) == 2 ? std::max(highest, x[i]) : highest;
    }
    for (uint32_t i = 0; i < 32; ++i)
      x[i] = (entry(i) == 0 ? sum : entry(i) == 1 ? 2 * x[i] : highest) * 0.125f;
  }
  EXPECT_THAT(out, testing::ElementsAreArray(x));
}

TEST_P(FunctionTableModes, OnlyLanesThatCallTakePart) {
  const ComputePipeline made = pipeline("some", {"total"}, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"total"}), 1);
  });
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i >= 1 && i < 10 ? 45 : i) << i;
}

TEST_P(FunctionTableModes, AnInactiveLaneIsReadAsInACallByName) {
  const ComputePipeline made = pipeline("some", {"up"}, options());
  const std::vector<float> out = run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"up"}), 1);
  });
  EXPECT_THAT(out, testing::ElementsAreArray(run(pipeline("direct", {}, options()), 32, [](auto &) {})));
  if (GetParam() != Mode::Debug) { // there a parameter is a variable of its own (lowering/inactive_lanes.h)
    for (uint32_t i = 1; i < 10; ++i)
      EXPECT_EQ(out[i], i + (i - 1)) << i;
  }
}

TEST_P(FunctionTableModes, TakeEveryKindOfArgumentAndResult) {
  const std::vector<const char *> names = {"halves", "brain", "pair", "big", "store", "across", "change"};
  const ComputePipeline made = pipeline("types", names, options());
  const std::vector<float> out = run(
      made, 64,
      [&](ComputeCommandEncoder &encoder) {
        for (uint32_t i = 0; i < names.size(); ++i)
          encoder.setVisibleFunctionTable(table(made, {names[i]}), i + 1);
      },
      8);
  for (uint32_t i = 0; i < 64; ++i) {
    const float x = float(i), *o = out.data() + i * 8;
    EXPECT_EQ(o[0], x + 0.5f) << i;
    EXPECT_EQ(o[1], x * 3) << i; // up to 189: eight bits
    EXPECT_EQ(o[2], (x + 0.5f) * 1000 + (x - 1)) << i;
    EXPECT_EQ(o[3], x + 7) << i;
    EXPECT_EQ(o[4], x) << i;
    EXPECT_EQ(o[5], 63 - x) << i;
    EXPECT_EQ(o[6], x + 1) << i;
    EXPECT_EQ(o[7], i % 2 ? x + 1 : -(x + 1)) << i;
  }
}

TEST_P(FunctionTableModes, TablesAndPointersAreValues) {
  const ComputePipeline made = pipeline("pointers", {"twice", "squared"}, options());
  const std::vector<float> out = run(made, 8, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"twice", "squared"}), 1);
  });
  for (uint32_t i = 0; i < 8; ++i) {
    const float x = float(i);
    EXPECT_EQ(out[i], 2 * x + x * x * 10 + (i % 2 ? x - 1 : x * x) * 100 + (x - 1) * 1000) << i;
  }
}

TEST_P(FunctionTableModes, APointerMayChooseAmongFunctionsWithoutATable) {
  const std::vector<float> out = run(pipeline("choice", {}, options()), 4, [](auto &) {});
  EXPECT_THAT(out, ElementsAre(0 + 20, 0 + 9, 4 + 20, 2 + 9));
}

TEST_P(FunctionTableModes, AFunctionInATableCallsThroughAnother) {
  const ComputePipeline made = pipeline("nested", {"node", "squared", "twice"}, options());
  const std::vector<float> out = run(made, 4, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"squared"}), 1);
    encoder.setVisibleFunctionTable(table(made, {"node"}), 2);
  });
  EXPECT_THAT(out, ElementsAre(1, 2, 5, 10));
}

TEST_P(FunctionTableModes, TwoTablesHaveTheirOwnSizesAndEntries) {
  const ComputePipeline made = pipeline("two", {"negated", "squared"}, options());
  const std::vector<float> out = run(made, 4, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
    encoder.setVisibleFunctionTable(table(made, {nullptr, "squared", nullptr}), 5);
  });
  EXPECT_THAT(out, ElementsAre(3100, 3099, 3104, 3097));
}

TEST_P(FunctionTableModes, AKernelAsksWhetherThereIsATableAndAnEntry) {
  const ComputePipeline made = pipeline("careful", {"twice"}, options());
  const auto with = [&](const VisibleFunctionTable &bound) {
    return run(made, 2, [&](ComputeCommandEncoder &encoder) { encoder.setVisibleFunctionTable(bound, 1); });
  };
  EXPECT_THAT(with({}), ElementsAre(-1, -1));
  EXPECT_THAT(with(table(made, {})), ElementsAre(-2, -2));
  EXPECT_THAT(with(table(made, {nullptr})), ElementsAre(-3, -3));
  EXPECT_THAT(with(table(made, {"twice"})), ElementsAre(0, 2));
}

TEST_P(FunctionTableModes, ATableThatAFunctionConstantTookAwayNeedsNoBinding) {
  for (const bool has : {false, true}) {
    FunctionConstantValues constants;
    constants.setConstantValue(&has, DataType(ScalarType::Bool), 1);
    const ComputePipeline made = pipeline("maybe", {"negated"}, options(), constants);
    EXPECT_EQ(made.activeArguments().size(), has ? 3u : 2u);
    const std::vector<float> out = run(made, 3, [&](ComputeCommandEncoder &encoder) {
      if (has)
        encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
    });
    EXPECT_EQ(out[2], has ? -2 : -1);
  }
}

TEST_P(FunctionTableModes, ACallOfANullFunctionIsAnErrorAtItsLine) {
  const ComputePipeline made = pipeline("apply", {"twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"twice", nullptr}), 1),
            "source.metal:23:12: error: a call of a null function [function-table]\n"
            "  set every entry of the table that the kernel calls\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AFunctionOfAnotherTypeIsAnErrorThatNamesIt) {
  const ComputePipeline made = pipeline("apply", {"product", "twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"product"}), 0),
            "source.metal:23:12: error: a call of 'product', which is of type float (float, float), as a "
            "function of another type [function-table]\n"
            "  the functions in a table must have the table's type\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AnIndexPastTheTableIsAnError) {
  const ComputePipeline made = pipeline("apply", {"twice"}, options());
  EXPECT_EQ(applyText(made, table(made, {"twice", nullptr}), 2),
            "source.metal:23:12: error: index 2 of a function table, which has 2 entries [function-table]\n"
            "  check the index against size()\n" +
                std::string(kNoFunctionNote));
  EXPECT_EQ(applyText(made, table(made, {"twice"}), 0xFFFFFFFF),
            "source.metal:23:12: error: index 4294967295 of a function table, which has 1 entry "
            "[function-table]\n"
            "  check the index against size()\n" +
                std::string(kNoFunctionNote));
  EXPECT_EQ(applyText(made, {}, 0),
            "source.metal:23:12: error: index 0 of a function table that is null or has no entries "
            "[function-table]\n"
            "  bind a table, or ask is_null_visible_function_table first\n" +
                std::string(kNoFunctionNote));
}

TEST_P(FunctionTableModes, AFunctionThatReachesItselfThroughAPointerIsRefusedByName) {
  EXPECT_EQ(
      text(tryPipeline("recursive", {"down"}, options())),
      "source.metal:152:14: error: recursion: down may call itself through a function pointer [unsupported]\n"
      "  Apple's GPUs run it up to maxCallStackDepth, here all calls are inlined: write a loop, or link no "
      "function of its type that calls through a pointer\n");
  EXPECT_TRUE(tryPipeline("recursive", {}, options())) << "nothing is linked that could recur";
}

} // namespace assay
