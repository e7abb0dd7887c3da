// A kernel run in as many ways as a test likes: assay/testing.h's KernelSetup, without a look inside.
// A failure of the library is a failure of the test, with the library's own diagnostics as the message.
#pragma once

#include "debug_mode.h"

#include "emulator/host/assay.h"
#include "emulator/testing/kernel_setup.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::testing_support {

class KernelRun {
public:
  KernelRun(std::string file, std::string kernel) : setup_(std::move(file), std::nullopt, std::move(kernel)) {
    obeyDebugMode();
  }

  KernelRun &numerics(const NumericsProfile &profile) {
    return setup_.pipelineOptions().numerics = profile, *this;
  }
  /// How the file is compiled; Metal's defaults otherwise.
  KernelRun &compile(const CompileOptions &options) {
    setup_.compileOptions() = options;
    return obeyDebugMode(), *this;
  }
  KernelRun &constant(uint32_t index, bool value) { return constant(index, &value, DataType::Bool); }
  KernelRun &constant(uint32_t index, int value) { return constant(index, &value, DataType::Int); }
  KernelRun &constant(uint32_t index, uint32_t value) { return constant(index, &value, DataType::UInt); }
  KernelRun &constant(uint32_t index, float value) { return constant(index, &value, DataType::Float); }

  template <class T> KernelRun &input(uint32_t index, const std::vector<T> &values) {
    return bind(index, Role::Input, values.data(), values.size() * sizeof(T));
  }
  /// Written by the kernel; poisoned before each dispatch.
  template <class T> KernelRun &output(uint32_t index, size_t count) {
    return bind(index, Role::Output, nullptr, count * sizeof(T));
  }
  /// Added to by the kernel; zero before each dispatch.
  template <class T> KernelRun &accumulator(uint32_t index, size_t count) {
    return bind(index, Role::Accumulator, nullptr, count * sizeof(T));
  }
  /// Read and written by the kernel; these values before each dispatch.
  template <class T> KernelRun &inout(uint32_t index, const std::vector<T> &values) {
    return bind(index, Role::InOut, values.data(), values.size() * sizeof(T));
  }
  template <class T> KernelRun &bytes(uint32_t index, const T &value) {
    return setup_.setBytes(index, &value, sizeof(T)), *this;
  }
  KernelRun &threadgroupMemory(uint32_t index, uint32_t length) {
    return setup_.setThreadgroupMemory(index, length), *this;
  }

  /// One dispatch. `groups` or `threads` of grid, as Metal's two calls have it.
  ::testing::AssertionResult dispatchThreadgroups(Size groups, Size threadsPerThreadgroup,
                                                  const DispatchOptions &options = {});
  ::testing::AssertionResult dispatchThreads(Size threads, Size threadsPerThreadgroup,
                                             const DispatchOptions &options = {});

  /// What the last dispatch left in a buffer.
  template <class T> std::vector<T> read(uint32_t index) const {
    const std::span<const T> all = setup_.buffers().at(index).as<T>();
    return {all.begin(), all.end()};
  }
  const DispatchReport &report() const { return report_; }
  /// Of the last dispatch.
  ComputePipeline pipeline() { return *setup_.pipeline(); }

private:
  using Role = assay::testing::Role;

  void obeyDebugMode() {
    if (kernelsAreForTheDebugger())
      setup_.compileOptions().debug = setup_.pipelineOptions().debug = true;
  }

  KernelRun &constant(uint32_t index, const void *value, DataType type) {
    return setup_.constants().setConstantValue(value, type, index), *this;
  }
  KernelRun &bind(uint32_t index, Role role, const void *data, size_t length) {
    return setup_.bind(index, role, data, length), *this;
  }
  static DispatchOptions withChecks(DispatchOptions options);
  ::testing::AssertionResult checked(Result<DispatchReport> result);

  assay::testing::KernelSetup setup_;
  DispatchReport report_;
};

/// The ways to run a kernel that must all give the same bits. A kernel with float atomics has one order of
/// additions, so it is only tried with several numbers of workers. Runs under the checkers and for the
/// debugger repeat whole programs, and have two ways, or one with float atomics: the findings and the code
/// that those runs are about do not depend on the way.
struct Way {
  std::string name;
  DispatchOptions options;
};
std::vector<Way> allWays(bool floatAtomics);

/// Dispatches in every way and checks after each: dispatch(options) gives an assertion result, check()
/// asserts.
template <class Dispatch, class Check> void inAllWays(bool floatAtomics, Dispatch dispatch, Check check) {
  for (const Way &way : allWays(floatAtomics)) {
    SCOPED_TRACE(way.name);
    ASSERT_TRUE(dispatch(way.options));
    check();
    if (::testing::Test::HasFailure())
      return; // the other ways would say the same
  }
}

} // namespace assay::testing_support
