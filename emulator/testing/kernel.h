// A kernel in a GoogleTest: from a file or from a string, with its arguments and its probes.
//
//   Kernel kernel = Kernel::fromFile("scale.metal", "scale");
//   kernel.input(0, std::vector<float>{1, 2}).output<float>(1, 2).probeAfter("float y = a * x;", "y", "y");
//   const LaneRun run = kernel.run(1, 2);
//
// A mistake in the request, a compile error, or a fault of the kernel fails the test at the line of run(),
// with the library's own diagnostics.
#pragma once

#include "kernel_setup.h"
#include "lane_run.h"

#include <string>
#include <utility>
#include <vector>

namespace assay::testing {

class Kernel {
public:
  static Kernel fromFile(std::string path, std::string name) {
    return {std::move(path), std::nullopt, std::move(name)};
  }
  /// Messages call the text source.metal; compile().name changes that.
  static Kernel fromSource(std::string source, std::string name) {
    return {"", std::move(source), std::move(name)};
  }

  CompileOptions &compile() { return setup_.compileOptions(); }
  PipelineOptions &pipeline() { return setup_.pipelineOptions(); }
  Kernel &numerics(const NumericsProfile &profile) { return pipeline().numerics = profile, *this; }

  Kernel &constant(auto at, bool value) { return constant(at, &value, DataType::Bool); }
  Kernel &constant(auto at, int value) { return constant(at, &value, DataType::Int); }
  Kernel &constant(auto at, uint32_t value) { return constant(at, &value, DataType::UInt); }
  Kernel &constant(auto at, float value) { return constant(at, &value, DataType::Float); }
  /// at   index or name of the function constant
  Kernel &constant(auto at, const void *value, DataType type) {
    setup_.constants().setConstantValue(value, type, at);
    return *this;
  }

  template <class T> Kernel &input(uint32_t index, const std::vector<T> &values) {
    return bind(index, Role::Input, values.data(), values.size() * sizeof(T));
  }
  /// Written by the kernel; poisoned before each run.
  template <class T> Kernel &output(uint32_t index, size_t count) {
    return bind(index, Role::Output, nullptr, count * sizeof(T));
  }
  /// Read and written by the kernel; these values before each run.
  template <class T> Kernel &inout(uint32_t index, const std::vector<T> &values) {
    return bind(index, Role::InOut, values.data(), values.size() * sizeof(T));
  }
  /// Added to by the kernel; zero before each run.
  template <class T> Kernel &accumulator(uint32_t index, size_t count) {
    return bind(index, Role::Accumulator, nullptr, count * sizeof(T));
  }
  template <class T> Kernel &bytes(uint32_t index, const T &value) {
    setup_.setBytes(index, &value, sizeof(T));
    return *this;
  }
  Kernel &threadgroupMemory(uint32_t index, uint32_t length) {
    return setup_.setThreadgroupMemory(index, length), *this;
  }
  Kernel &texture(uint32_t index, const Texture &texture) { return setup_.setTexture(index, texture), *this; }
  Kernel &sampler(uint32_t index, const SamplerState &sampler) {
    return setup_.setSampler(index, sampler), *this;
  }
  /// Binds what input, output and so on have put at the index as a tensor. Dimensions are innermost first.
  Kernel &tensor(uint32_t index, TensorDescriptor descriptor) {
    return setup_.setTensor(index, std::move(descriptor)), *this;
  }
  /// Where the attributes of [[stage_in]] come from: buffers that input and so on have bound.
  Kernel &stageInput(StageInputDescriptor input) { return pipeline().stageInput = std::move(input), *this; }
  Kernel &stageInRegion(const StageInRegion &region) { return setup_.setStageInRegion(region), *this; }

  /// A probe: a statement put before or after the anchor when the file is compiled; the file itself does not
  /// change. An anchor is a text that occurs once in the file, or the number of a line.
  ///   file   the end of the path of an included file; empty: the kernel's own
  Kernel &probeBefore(std::string anchor, std::string name, std::string expression, std::string file = {}) {
    return probe(
        {std::move(name), std::move(expression), std::move(anchor), 0, ProbeSide::Before, std::move(file)});
  }
  Kernel &probeAfter(std::string anchor, std::string name, std::string expression, std::string file = {}) {
    return probe(
        {std::move(name), std::move(expression), std::move(anchor), 0, ProbeSide::After, std::move(file)});
  }
  Kernel &probeBefore(uint32_t line, std::string name, std::string expression, std::string file = {}) {
    return probe({std::move(name), std::move(expression), "", line, ProbeSide::Before, std::move(file)});
  }
  Kernel &probeAfter(uint32_t line, std::string name, std::string expression, std::string file = {}) {
    return probe({std::move(name), std::move(expression), "", line, ProbeSide::After, std::move(file)});
  }

  /// The threadgroup to record; without it, the first.
  Kernel &lookAt(uint32_t x, uint32_t y = 0, uint32_t z = 0) { return request_.group = {x, y, z}, *this; }
  Kernel &recordAtMost(uint64_t bytes) { return request_.limitBytes = bytes, *this; }
  /// The options of the run. The recorder replaces their observer.
  DispatchOptions &options() { return request_.options; }

  LaneRun run(Size groups, Size threadsPerThreadgroup, Where where = Where::current()) {
    return LaneRun(orFail(tryRun(DispatchSize::threadgroups(groups, threadsPerThreadgroup)), where));
  }
  LaneRun runThreads(Size grid, Size threadsPerThreadgroup, Where where = Where::current()) {
    return LaneRun(orFail(tryRun(DispatchSize::threads(grid, threadsPerThreadgroup)), where));
  }
  /// For a run that should fail.
  Result<SharedRecording> tryRun(const DispatchSize &size) {
    request_.size = size;
    return record(setup_, request_);
  }

  /// Runs the kernel under the checkers, and returns what they found, in order of places. The rules are
  /// options().checks, or the default ones if that is empty.
  std::vector<Finding> check(Size groups, Size threadsPerThreadgroup, Where where = Where::current()) {
    return orFail(tryCheck(DispatchSize::threadgroups(groups, threadsPerThreadgroup)), where);
  }
  std::vector<Finding> checkThreads(Size grid, Size threadsPerThreadgroup, Where where = Where::current()) {
    return orFail(tryCheck(DispatchSize::threads(grid, threadsPerThreadgroup)), where);
  }
  Result<std::vector<Finding>> tryCheck(const DispatchSize &size) {
    DispatchOptions options = request_.options;
    if (!options.checks.any())
      options.checks = CheckRules::byDefault();
    Result<DispatchReport> report = setup_.dispatch(size, options);
    if (!report)
      return report.error();
    return std::move(report->findings);
  }

private:
  static constexpr uint64_t kDefaultLimit = 256 << 20;

  Kernel(std::string path, std::optional<std::string> source, std::string name)
      : setup_(std::move(path), std::move(source), std::move(name)) {
    request_.limitBytes = kDefaultLimit;
  }
  Kernel &bind(uint32_t index, Role role, const void *data, size_t length) {
    setup_.bind(index, role, data, length);
    return *this;
  }
  Kernel &probe(SourceProbe probe) {
    compile().probes.push_back(std::move(probe));
    return *this;
  }

  KernelSetup setup_;
  RecordRequest request_;
};

} // namespace assay::testing
