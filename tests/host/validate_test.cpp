// Every mistake in a dispatch, with its whole message.
#include "host/validate.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

ArgumentInfo bufferArgument(std::string name, uint32_t index, std::string type, uint32_t bytes,
                            uint32_t align) {
  ArgumentInfo argument;
  argument.name = std::move(name);
  argument.index = index;
  argument.type = std::move(type);
  argument.pointeeBytes = bytes;
  argument.pointeeAlign = align;
  return argument;
}

/// A kernel with a pointer, a reference, a dynamic threadgroup slot and a built-in, everything bound.
class Validate : public testing::Test {
protected:
  Validate() {
    kernel.name = "blur";
    kernel.arguments.push_back(bufferArgument("pixels", 0, "device float4 *", 16, 16));
    kernel.arguments.push_back(bufferArgument("params", 2, "constant Params &", 24, 8));
    kernel.arguments.back().isReference = true;
    kernel.arguments.push_back(bufferArgument("tile", 0, "threadgroup float *", 4, 4));
    kernel.arguments.back().kind = ArgumentKind::ThreadgroupMemory;
    ArgumentInfo id;
    id.kind = ArgumentKind::Builtin;
    id.index = 9;
    kernel.arguments.push_back(id);
    facts = {&kernel, kernel.arguments, 256, 0};
    bind(0, 64);
    bind(2, 24);
    table.threadgroup[0] = {512, true};
  }

  void bind(uint32_t index, uint64_t length, uint64_t offset = 0) {
    table.buffers[index] = {BufferBinding{memory, length, offset}, true};
  }

  static std::string text(const Error &error) {
    EXPECT_EQ(error.kind, ErrorKind::Usage);
    return renderDiagnostics(error.diagnostics);
  }
  std::string bindingsText() {
    const Result<void> result = validateBindings(facts, table);
    return result ? "" : text(result.error());
  }
  std::string sizeText(Size grid, Size threadgroup, bool whole = true) {
    const Result<Size> result = validateSize(facts, {grid, threadgroup, whole});
    return result ? "" : text(result.error());
  }

  const std::string has =
      "  kernel 'blur' has: buffer 0 (device float4 *pixels), buffer 2 (constant Params &params), "
      "threadgroup 0 (threadgroup float *tile)\n";
  uint8_t memory[64] = {};
  KernelInfo kernel;
  PipelineFacts facts;
  BindingTable table;
};

} // namespace

TEST_F(Validate, AcceptsWhatIsRight) {
  EXPECT_EQ(bindingsText(), "");
  EXPECT_EQ(sizeText({4, 2, 1}, {16, 16, 1}), "");
}

TEST_F(Validate, NamesAMissingBuffer) {
  table.buffers[0] = {};
  EXPECT_EQ(bindingsText(),
            "error: kernel 'blur' needs a buffer at index 0 (device float4 *pixels), none is bound "
            "[missing-binding]\n" +
                has);
}

TEST_F(Validate, DoesNotMissABufferThatTheCodeDoesNotUse) {
  table.buffers[0] = {};
  facts.usedBuffers &= ~1u;
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, DoesNotMissABufferThatAFunctionConstantTookAway) {
  table.buffers[0] = {};
  facts.activeArguments.erase(facts.activeArguments.begin());
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, AcceptsABufferForAnArgumentThatAFunctionConstantTookAway) {
  facts.activeArguments.erase(facts.activeArguments.begin());
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, NamesASurplusBuffer) {
  bind(1, 4);
  EXPECT_EQ(bindingsText(),
            "error: a buffer is bound at index 1, kernel 'blur' has no argument there [surplus-binding]\n" +
                has);
}

TEST_F(Validate, ForgivesASurplusBufferOfAnEarlierDispatch) {
  bind(1, 4);
  table.buffers[1].fresh = false;
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, NamesSurplusThreadgroupMemory) {
  table.threadgroup[3] = {16, true};
  EXPECT_EQ(bindingsText(),
            "error: a threadgroup memory length is set at index 3, kernel 'blur' has no argument "
            "there [surplus-binding]\n" +
                has);
}

TEST_F(Validate, NamesAnOffsetPastTheEnd) {
  bind(0, 64, 80);
  EXPECT_EQ(bindingsText(), "error: offset 80 at buffer index 0 is past the end of the buffer, which has 64 "
                            "bytes [buffer-offset]\n");
}

TEST_F(Validate, NamesAMisalignedOffset) {
  bind(0, 64, 8);
  EXPECT_EQ(bindingsText(),
            "error: offset 8 at buffer index 0 is not a multiple of 16, the alignment of device "
            "float4 *pixels [misaligned-offset]\n");
  bind(0, 64, 16);
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, NamesABufferThatIsShorterThanWhatAReferenceRefersTo) {
  bind(2, 40, 24);
  EXPECT_EQ(bindingsText(),
            "error: 16 bytes are bound at buffer index 2, constant Params &params refers to 24 bytes "
            "[buffer-too-small]\n");
  bind(2, 48, 24);
  EXPECT_EQ(bindingsText(), "");
}

TEST_F(Validate, DoesNotMissAThreadgroupLengthThatTheCodeDoesNotUse) {
  table.threadgroup[0] = {};
  facts.usedThreadgroup &= ~1u;
  EXPECT_EQ(bindingsText(), "");
  table.threadgroup[0].length = 500;
  EXPECT_NE(bindingsText(), "");
}

TEST_F(Validate, NamesAMissingThreadgroupLength) {
  table.threadgroup[0] = {};
  EXPECT_EQ(bindingsText(),
            "error: kernel 'blur' needs a threadgroup memory length at index 0 (threadgroup float "
            "*tile), none is set [missing-binding]\n" +
                has);
}

TEST_F(Validate, NamesAThreadgroupLengthThatIsNoMultipleOf16) {
  table.threadgroup[0].length = 500;
  EXPECT_EQ(bindingsText(), "error: threadgroup memory length 500 at index 0 is not a multiple of 16 "
                            "[threadgroup-memory-length]\n  512 is the next that is\n");
}

TEST_F(Validate, NamesTooMuchThreadgroupMemory) {
  facts.staticThreadgroupBytes = 32768 - 512;
  EXPECT_EQ(bindingsText(), "");
  facts.staticThreadgroupBytes += 1;
  EXPECT_EQ(bindingsText(),
            "error: 32769 bytes of threadgroup memory (32257 of the kernel's variables, 512 of "
            "lengths set) are more than 32768 [threadgroup-memory]\n");
}

TEST_F(Validate, NamesAnEmptyGridAndAnEmptyThreadgroup) {
  EXPECT_EQ(sizeText({4, 0, 1}, {1}), "error: a grid of 4 x 0 x 1 threadgroups is empty [empty-dispatch]\n");
  EXPECT_EQ(sizeText({0, 1, 1}, {1}, false),
            "error: a grid of 0 x 1 x 1 threads is empty [empty-dispatch]\n");
  EXPECT_EQ(sizeText({4}, {32, 1, 0}),
            "error: a threadgroup of 32 x 1 x 0 threads is empty [empty-dispatch]\n");
}

TEST_F(Validate, NamesAThreadgroupOfMoreThan1024Threads) {
  facts.maxThreads = 1024;
  EXPECT_EQ(sizeText({1}, {32, 32, 1}), "");
  EXPECT_EQ(sizeText({1}, {32, 33, 1}),
            "error: a threadgroup of 32 x 33 x 1 = 1056 threads is more than the largest, "
            "1024 threads [threadgroup-size]\n");
  EXPECT_EQ(
      sizeText({1}, {uint64_t(1) << 63, 2, 1}),
      "error: a threadgroup of 9223372036854775808 x 2 x 1 threads is more than the largest, 1024 threads "
      "[threadgroup-size]\n");
}

TEST_F(Validate, NamesAThreadgroupOfMoreThreadsThanTheKernelAllows) {
  kernel.maxTotalThreads = 256;
  EXPECT_EQ(sizeText({1}, {256}), "");
  EXPECT_EQ(sizeText({1}, {257}),
            "error: a threadgroup of 257 x 1 x 1 = 257 threads is more than the 256 that kernel "
            "'blur' allows [threadgroup-size]\n"
            "  its max_total_threads_per_threadgroup attribute says so\n");
  facts.maxThreads = 128;
  EXPECT_EQ(sizeText({1}, {129}),
            "error: a threadgroup of 129 x 1 x 1 = 129 threads is more than the 128 that kernel "
            "'blur' allows [threadgroup-size]\n"
            "  the pipeline was made for so many: maxTotalThreadsPerThreadgroup\n");
}

TEST_F(Validate, NamesAThreadgroupOfAnotherSizeThanTheKernelRequires) {
  kernel.requiredThreads = {8, 4, 1};
  EXPECT_EQ(sizeText({1}, {8, 4, 1}), "");
  EXPECT_EQ(sizeText({1}, {4, 8, 1}),
            "error: a threadgroup of 4 x 8 x 1 threads is not the 8 x 4 x 1 that kernel 'blur' requires "
            "[threadgroup-size]\n"
            "  its required_threads_per_threadgroup attribute says so\n");
  facts.requiredThreads = Size(32);
  EXPECT_EQ(sizeText({1}, {8, 4, 1}),
            "error: a threadgroup of 8 x 4 x 1 threads is not the 32 x 1 x 1 that kernel 'blur' requires "
            "[threadgroup-size]\n"
            "  the pipeline was made for this size: requiredThreadsPerThreadgroup\n");
  kernel.requiredThreads.clear();
  EXPECT_EQ(sizeText({1}, {32}), "");
}

TEST_F(Validate, GivesTheWholeGridInThreads) {
  const Result<Size> groups = validateSize(facts, {{3, 2, 1}, {8, 4, 2}, true});
  ASSERT_TRUE(groups);
  EXPECT_EQ(*groups, Size(24, 8, 2));
  const Result<Size> threads = validateSize(facts, {{3, 2, 1}, {8, 4, 2}, false});
  ASSERT_TRUE(threads);
  EXPECT_EQ(*threads, Size(3, 2, 1));
}

TEST_F(Validate, NamesAGridWhosePositionsDoNotFit32Bits) {
  EXPECT_EQ(sizeText({0xffffffff}, {1}), "");
  EXPECT_EQ(
      sizeText({1, uint64_t(1) << 32, 1}, {1}, false),
      "error: a grid of 1 x 4294967296 x 1 threads is more than 4294967295 threads along y [grid-size]\n");
  EXPECT_EQ(
      sizeText({uint64_t(1) << 30}, {8}),
      "error: a grid of 1073741824 x 1 x 1 threadgroups of 8 x 1 x 1 threads is more than 4294967295 threads "
      "along x [grid-size]\n");
  EXPECT_EQ(sizeText({0xffffffff, 0xffffffff, 2}, {1}, false),
            "error: a grid of 4294967295 x 4294967295 x 2 threads is more than 18446744073709551615 in total "
            "[grid-size]\n");
}

// What the declaration alone tells: nothing of what is missing, and nothing of an argument that depends on a
// function constant.
TEST_F(Validate, TheDeclarationShowsWhatIsBoundWrongly) {
  const auto rule = [&] {
    const Result<void> checked = validateDeclared(kernel, table, {{4}, {8}, true});
    return checked ? std::string() : checked.error().rule();
  };
  EXPECT_EQ(rule(), "");
  bind(2, 23);
  EXPECT_EQ(rule(), "buffer-too-small");
  kernel.arguments[1].condition = "wide";
  EXPECT_EQ(rule(), "");
  bind(5, 4);
  EXPECT_EQ(rule(), "surplus-binding");
  kernel.arguments[0].indexConstant = "place"; // it may be 5
  EXPECT_EQ(rule(), "");
  kernel.maxTotalThreads = 4;
  EXPECT_EQ(rule(), "threadgroup-size");
  kernel.arguments.clear();
  kernel.maxTotalThreads = 0;
  table = {};
  EXPECT_EQ(rule(), "");
}

TEST(ValidateSetter, NamesAnIndexPastTheLast) {
  EXPECT_TRUE(validateIndex(30, SlotKind::Buffer));
  const Result<void> result = validateIndex(31, SlotKind::Buffer);
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "error: buffer index 31 is more than the largest, 30 [buffer-index]\n");
}

TEST(ValidateSetter, NamesTooManyInlineBytes) {
  EXPECT_TRUE(validateInlineBytes(4096, 1));
  const Result<void> result = validateInlineBytes(4097, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "error: setBytes of 4097 bytes at index 1 is more than the largest, 4096 bytes [inline-bytes]\n  "
            "put them "
            "into a buffer\n");
}

} // namespace assay
