// A kernel run in as many ways as a test likes. See kernel_run.h.
#include "kernel_run.h"

#include "check_mode.h"
#include "debug_mode.h"

namespace assay::testing_support {

::testing::AssertionResult KernelRun::checked(Result<DispatchReport> result) {
  if (!result)
    return ::testing::AssertionFailure() << renderDiagnostics(result.error().diagnostics);
  report_ = *result;
  if (const std::vector<Finding> findings = notAccepted(report_.findings); !findings.empty())
    return ::testing::AssertionFailure() << renderDiagnostics(diagnosticsOf(findings.front()));
  return ::testing::AssertionSuccess();
}

DispatchOptions KernelRun::withChecks(DispatchOptions options) {
  options.checks = rulesOfThisRun();
  return options;
}

::testing::AssertionResult KernelRun::dispatchThreadgroups(Size groups, Size threads,
                                                           const DispatchOptions &options) {
  return checked(setup_.dispatch(DispatchSize::threadgroups(groups, threads), withChecks(options)));
}

::testing::AssertionResult KernelRun::dispatchThreads(Size threads, Size perThreadgroup,
                                                      const DispatchOptions &options) {
  return checked(setup_.dispatch(DispatchSize::threads(threads, perThreadgroup), withChecks(options)));
}

std::vector<Way> allWays(bool floatAtomics) {
  std::vector<Way> ways;
  const auto add = [&](std::string name, Schedule schedule, uint32_t workers) {
    DispatchOptions options;
    options.schedule = schedule;
    options.workers = workers;
    ways.push_back({std::move(name), options});
  };
  const bool again = rulesOfThisRun().any() || kernelsAreForTheDebugger();
  for (const uint32_t workers : again ? std::vector<uint32_t>{7} : std::vector<uint32_t>{1, 2, 7})
    add(std::to_string(workers) + " workers", {}, workers);
  if (floatAtomics)
    return ways;
  if (again) {
    add("shuffle:1", {ScheduleKind::Shuffle, 1}, 0);
    return ways;
  }
  add("canonical", {ScheduleKind::Canonical}, 0);
  add("parallel", {ScheduleKind::Parallel}, 3);
  for (const uint64_t seed : {1, 2, 3})
    add("shuffle:" + std::to_string(seed), {ScheduleKind::Shuffle, seed}, 0);
  return ways;
}

} // namespace assay::testing_support
