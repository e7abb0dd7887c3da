// A kernel with everything that a test binds to it, run as often and in as many ways as the test likes.
//
// Outputs are poisoned before every dispatch, accumulators zeroed, so that no run sees what another wrote.
// A failure of the library is a failure of the test, with the library's own diagnostics as the message.
#pragma once

#include "emulator/host/assay.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::testing_support {

class KernelRun {
public:
  KernelRun(std::string file, std::string kernel) : file_(std::move(file)), kernel_(std::move(kernel)) {}

  KernelRun &numerics(const NumericsProfile &profile);
  /// How the file is compiled; Metal's defaults otherwise.
  KernelRun &compile(const CompileOptions &options);
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
    return setBytes(index, &value, sizeof(T));
  }
  KernelRun &threadgroupMemory(uint32_t index, uint32_t length);

  /// One dispatch. `groups` or `threads` of grid, as Metal's two calls have it.
  ::testing::AssertionResult dispatchThreadgroups(Size groups, Size threadsPerThreadgroup,
                                                  const DispatchOptions &options = {});
  ::testing::AssertionResult dispatchThreads(Size threads, Size threadsPerThreadgroup,
                                             const DispatchOptions &options = {});

  /// What the last dispatch left in a buffer.
  template <class T> std::vector<T> read(uint32_t index) const {
    const std::span<const T> all = buffers_.at(index).buffer.as<T>();
    return {all.begin(), all.end()};
  }
  const DispatchReport &report() const { return report_; }
  const ComputePipeline &pipeline() const { return *pipeline_; }

private:
  enum class Role { Input, Output, Accumulator, InOut };
  struct Bound {
    Buffer buffer;
    Role role;
    std::vector<std::byte> initial;
  };

  KernelRun &constant(uint32_t index, const void *value, DataType type);
  KernelRun &bind(uint32_t index, Role role, const void *data, size_t length);
  KernelRun &setBytes(uint32_t index, const void *data, size_t length);
  Result<DispatchReport> dispatch(bool groups, Size size, Size threads, const DispatchOptions &options);
  ::testing::AssertionResult checked(Result<DispatchReport> result);

  std::string file_, kernel_;
  CompileOptions compile_;
  PipelineOptions options_;
  FunctionConstantValues constants_;
  std::map<uint32_t, Bound> buffers_;
  std::map<uint32_t, std::vector<std::byte>> bytes_;
  std::map<uint32_t, uint32_t> threadgroupMemory_;
  std::optional<ComputePipeline> pipeline_;
  DispatchReport report_;
};

/// The ways to run a kernel that must all give the same bits. A kernel with float atomics has one order of
/// additions, so it is only tried with several numbers of workers.
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
