// Function tables in the host API: reflection, linking, handles, entries, bindings, observers.
#include "function_table_fixture.h"

namespace assay {

TEST_F(FunctionTable, AreReflected) {
  const ModuleInfo &module = library->reflection();
  const OtherFunctionInfo *product = module.findOther("product");
  ASSERT_TRUE(product);
  EXPECT_EQ(product->type, "float (float, float)");
  EXPECT_EQ(product->kind, "visible");
  EXPECT_EQ(module.findOther("halved_float")->type, "float (float)");
  EXPECT_EQ(module.findOther("negated")->kind, "stitchable");
  EXPECT_THAT(module.findOther("scaled")->functionConstants, ElementsAre(0));
  const ArgumentInfo &argument = function("apply").info().arguments.at(1);
  EXPECT_EQ(argument.kind, ArgumentKind::FunctionTable);
  EXPECT_EQ(argument.type, "visible_function_table<F>");
  EXPECT_EQ(argument.index, 1u);
  EXPECT_EQ(function("pointers").info().arguments.at(1).index, 1u) << "the next free index of buffers";
}

TEST_F(FunctionTable, InArgumentBuffersAreMembers) {
  const ArgumentInfo &argument = function("from_buffer").info().arguments.at(1);
  EXPECT_EQ(argument.kind, ArgumentKind::Buffer);
  ASSERT_EQ(argument.members.size(), 3u);
  const MemberInfo &one = argument.members[1], &inner = argument.members[2];
  EXPECT_FALSE(argument.members[0].functionTable);
  EXPECT_TRUE(one.functionTable && inner.functionTable);
  EXPECT_EQ(std::make_tuple(one.id, one.offset, one.bytes, one.count), std::make_tuple(1u, 8u, 8u, 1u));
  EXPECT_EQ(std::make_tuple(inner.id, inner.offset, inner.bytes, inner.count),
            std::make_tuple(2u, 16u, 8u, 2u));
  EXPECT_EQ(inner.name, "inner.t");
  EXPECT_TRUE(function("from_buffer").info().takesFunctionTables());
  EXPECT_FALSE(function("direct").info().takesFunctionTables());
}

TEST_F(FunctionTable, AVisibleFunctionIsAFunctionAndNoKernel) {
  const Function twice = function("twice");
  EXPECT_TRUE(twice.isVisible());
  EXPECT_FALSE(function("apply").isVisible());
  EXPECT_EQ(twice.name(), "twice");
  EXPECT_TRUE(twice.functionConstants().empty());
  ASSERT_EQ(function("scaled").functionConstants().size(), 1u);
  EXPECT_EQ(text(device.newComputePipelineState(twice)),
            "error: 'twice' is a visible function: a pipeline is made of a kernel [not-a-kernel]\n"
            "  link it to a kernel that calls it through a function table\n");
}

TEST_F(FunctionTable, OnlyVisibleFunctionsOfTheLibraryAreLinkedOnce) {
  EXPECT_EQ(text(tryPipeline("apply", {"two"})),
            "error: 'two' is linked to kernel 'apply' and is not a visible function [linked-functions]\n"
            "  a function table holds functions with the attribute [[visible]]\n");
  EXPECT_EQ(text(tryPipeline("apply", {"twice", "twice"})),
            "error: function 'twice' is linked twice [linked-functions]\n");
  const auto second = device.newLibraryWithSource("[[visible]] float thrice(float x) { return 3 * x; }\n");
  ASSERT_TRUE(second);
  PipelineOptions options;
  options.linkedFunctions.functions = {*second->newFunction("thrice")};
  EXPECT_EQ(
      text(device.newComputePipelineState(function("apply"), options)),
      "error: function 'thrice' and kernel 'apply' are of two libraries: functions are linked within one "
      "library [unsupported]\n"
      "  compile both in one source\n");
}

TEST_F(FunctionTable, TwoFunctionsOfOneNameAreRefused) {
  const auto overloaded = device.newLibraryWithSource(
      "[[visible]] float f(float x) { return x; }\n[[visible]] int f(int x) { return x; }\n");
  ASSERT_TRUE(overloaded) << text(overloaded);
  EXPECT_EQ(text(overloaded->newFunction("f")),
            "source.metal:2:17: error: two visible functions have the name 'f' [unsupported]\n"
            "  give each a host_name of its own\n");
}

TEST_F(FunctionTable, FunctionConstantsOfTheKernelAndOfLinkedFunctionsGoTogether) {
  FunctionConstantValues three, four;
  const float values[] = {3, 4};
  three.setConstantValue(&values[0], DataType(ScalarType::Float), 0);
  four.setConstantValue(&values[1], DataType(ScalarType::Float), 0);
  PipelineOptions options;
  // The kernel does not read the constant: it is the function's.
  options.linkedFunctions.functions = {function("scaled", three)};
  const auto made = device.newComputePipelineState(function("some", four), options);
  ASSERT_TRUE(made) << text(made);
  VisibleFunctionTable bound = made->newVisibleFunctionTable(1);
  ASSERT_TRUE(bound.setFunction(*made->functionHandle(function("scaled")), 0));
  EXPECT_EQ(
      run(*made, 4, [&](ComputeCommandEncoder &encoder) { encoder.setVisibleFunctionTable(bound, 1); })[2],
      6);
  // Both read it.
  EXPECT_EQ(text(device.newComputePipelineState(function("reads_both", four), options)),
            "error: 'reads_both' and 'scaled' were made with different values of function constant 0 "
            "[linked-functions]\n"
            "  a pipeline has one value for its kernel and for the functions that are linked to it\n");
  EXPECT_EQ(text(device.newComputePipelineState(function("reads_both", three), options)), "it succeeded");
}

TEST_F(FunctionTable, AHandleIsOfAFunctionThatIsLinked) {
  const ComputePipeline made = pipeline("apply", {"twice"});
  EXPECT_EQ(text(made.functionHandle(function("squared"))),
            "error: function 'squared' is not linked to the pipeline of kernel 'apply' [function-table]\n"
            "  add it to PipelineOptions::linkedFunctions\n");
  EXPECT_FALSE(made.functionHandle(function("apply")));
  EXPECT_FALSE(made.functionHandle(Function()));
  EXPECT_FALSE(FunctionHandle());
  EXPECT_EQ(FunctionHandle().name(), "");
}

TEST_F(FunctionTable, EntriesAreSetWithinTheTableAndByItsOwnPipeline) {
  const ComputePipeline made = pipeline("apply", {"twice"}), other = pipeline("some", {"twice"});
  const FunctionHandle twice = *made.functionHandle(function("twice")),
                       foreign = *other.functionHandle(function("twice"));
  VisibleFunctionTable bound = made.newVisibleFunctionTable(2);
  EXPECT_EQ(bound.functionCount(), 2u);
  EXPECT_EQ(text(bound.setFunction(twice, 2)),
            "error: index 2 of a function table, which has 2 entries [function-table]\n");
  const FunctionHandle three[] = {twice, twice, twice};
  EXPECT_EQ(text(bound.setFunctions(three, 0)),
            "error: index 2 of a function table, which has 2 entries [function-table]\n");
  EXPECT_EQ(
      text(bound.setFunction(foreign, 0)),
      "error: the handle of 'twice' is of another pipeline (of kernel 'some') than the table (of kernel "
      "'apply') [function-table]\n"
      "  call functionHandle of the pipeline that made the table\n");
  EXPECT_THAT(applyText(made, bound, 0), HasSubstr("a call of a null function")) << "nothing was set";
  EXPECT_TRUE(bound.setFunctions({three, 2}, 0));
  EXPECT_EQ(applyText(made, bound, 1), "it succeeded");
  EXPECT_TRUE(bound.setFunction({}, 1));
  EXPECT_THAT(applyText(made, bound, 1), HasSubstr("a call of a null function"));
  EXPECT_EQ(VisibleFunctionTable().functionCount(), 0u);
  EXPECT_FALSE(VisibleFunctionTable().setFunction(twice, 0));
}

TEST_F(FunctionTable, ATableIsNoBufferAndABufferNoTable) {
  const ComputePipeline made = pipeline("some", {"twice"}), other = pipeline("some", {"twice"});
  const Buffer buffer = device.newBuffer(64);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(made);
  encoder.setBuffer(buffer, 0, 0);
  encoder.setBuffer(buffer, 0, 1);
  const auto dispatch = [&] { return text(encoder.dispatchThreads(Size(1), Size(1))); };
  EXPECT_EQ(dispatch(), "error: kernel 'some' needs a function table at buffer index 1 "
                        "(visible_function_table<F> t), a buffer is bound [function-table]\n"
                        "  bind it by setVisibleFunctionTable\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 1);
  EXPECT_EQ(dispatch(), "it succeeded");
  encoder.setVisibleFunctionTable(table(other, {"twice"}), 1);
  EXPECT_EQ(dispatch(),
            "error: the function table at buffer index 1 was made by another pipeline than the one "
            "of kernel 'some' that runs [function-table]\n"
            "  make it by newVisibleFunctionTable of the pipeline that is set\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 1);
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 0);
  EXPECT_THAT(dispatch(), StartsWith("error: kernel 'some' needs a buffer at index 0 (device float *out), a "
                                     "function table is bound [function-table]\n"));
  encoder.setBuffer(buffer, 0, 0);
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 7);
  EXPECT_EQ(
      dispatch(),
      "error: a function table is bound at index 7, kernel 'some' has no argument there "
      "[surplus-binding]\n"
      "  kernel 'some' has: buffer 0 (device float *out), function table 1 (visible_function_table<F> t)\n");
  encoder.setVisibleFunctionTable(table(made, {"twice"}), 99);
  EXPECT_THAT(dispatch(), HasSubstr("[buffer-index]"));
}

TEST_F(FunctionTable, ACommandBufferReadsEntriesWhenItRuns) {
  const ComputePipeline made = pipeline("some", {"twice", "negated"});
  VisibleFunctionTable bound = table(made, {"twice"});
  Buffer out = device.newBuffer(16 * 4);
  CommandBuffer commands = device.newCommandQueue().commandBuffer();
  ComputeCommandEncoder encoder = commands.computeCommandEncoder();
  encoder.setComputePipelineState(made);
  encoder.setBuffer(out, 0, 0);
  encoder.setVisibleFunctionTable(bound, 1);
  ASSERT_TRUE(encoder.dispatchThreads(Size(16), Size(16)));
  encoder.endEncoding();
  ASSERT_TRUE(bound.setFunction(*made.functionHandle(function("negated")), 0));
  bound = {}; // the dispatch keeps its memory
  ASSERT_TRUE(commands.commit());
  commands.waitUntilCompleted();
  EXPECT_FALSE(commands.error());
  EXPECT_EQ(out.as<float>()[5], -5);
  EXPECT_EQ(out.as<float>()[12], 12);
}

TEST_F(FunctionTable, CodeInTheCacheIsOfTheLinkedFunctions) {
  EXPECT_FALSE(pipeline("some", {"twice"}).fromCache());
  EXPECT_FALSE(pipeline("some", {"twice", "negated"}).fromCache());
  EXPECT_FALSE(pipeline("some", {"negated"}).fromCache());
  const ComputePipeline made = pipeline("some", {"negated", "twice"});
  EXPECT_TRUE(made.fromCache()) << "their order does not matter";
  EXPECT_EQ(run(made, 8,
                [&](ComputeCommandEncoder &encoder) {
                  encoder.setVisibleFunctionTable(table(made, {"negated"}), 1);
                })[3],
            -3);
}

namespace {

class TableReads : public Observer {
public:
  bool wantsMemory() const override { return true; }
  void access(const GroupEvent &, const AccessEvent &event) override {
    reads += event.site->memoryName == "t" && event.site->access == AccessKind::Read;
  }
  void simdOp(const GroupEvent &, const SimdEvent &event) override { masks.push_back(event.activeMask); }
  uint32_t reads = 0;
  std::vector<uint32_t> masks;
};

} // namespace

TEST_F(FunctionTable, ObserversSeeTheReadsOfTheTableAndTheOperationsInFunctions) {
  PipelineOptions options;
  options.observeMemory = true;
  const ComputePipeline made = pipeline("some", {"total"}, options);
  TableReads seen;
  DispatchOptions dispatch;
  dispatch.observer = &seen;
  run(made, 32, [&](ComputeCommandEncoder &encoder) {
    encoder.setVisibleFunctionTable(table(made, {"total"}), 1);
    encoder.setOptions(dispatch);
  });
  EXPECT_EQ(seen.reads, 9u * 2) << "for each call, the size and the entry";
  EXPECT_THAT(seen.masks, ElementsAre(0x3FEu));
}

TEST_F(FunctionTable, ManyThreadgroupsOnManyWorkersShareATable) {
  const std::vector<const char *> names = {"twice", "total", "negated"};
  const ComputePipeline made = pipeline("apply", names);
  constexpr uint32_t kThreads = 64 * 32;
  std::vector<uint32_t> which(kThreads);
  for (uint32_t i = 0; i < kThreads; ++i)
    which[i] = i / 32 % 3;
  Buffer out = device.newBuffer(kThreads * 4), met = device.newBuffer(kThreads * 4),
         entries = device.newBuffer(which.data(), kThreads * 4);
  for (uint32_t workers : {1u, 3u, 8u}) {
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    DispatchOptions options;
    options.workers = workers;
    encoder.setOptions(options);
    encoder.setComputePipelineState(made);
    encoder.setBuffer(out, 0, 0);
    encoder.setVisibleFunctionTable(table(made, names), 1);
    encoder.setBuffer(entries, 0, 2);
    encoder.setBuffer(met, 0, 3);
    ASSERT_TRUE(encoder.dispatchThreads(Size(kThreads), Size(64)));
    for (uint32_t i = 0; i < kThreads; ++i) {
      const uint32_t group = i / 32 * 32;
      const float x = float(i), sum = 32.0f * float(group) + 496;
      EXPECT_EQ(out.as<float>()[i], which[i] == 0 ? 2 * x : which[i] == 1 ? sum : -x) << i;
    }
  }
}

} // namespace assay
