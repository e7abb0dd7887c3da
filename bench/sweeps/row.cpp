#include "row.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace assay::sweeps {
namespace {

PipelineOptions countingOptions() {
  PipelineOptions options;
  options.countWork = true;
  return options;
}

// One dispatch after another: a simdgroup of the second begins where the longest of the first has ended.
void append(WorkCounts &all, const WorkCounts &more) {
  const uint64_t longest = all.longestSimdgroup + more.longestSimdgroup;
  all += more;
  all.longestSimdgroup = longest;
}

[[noreturn]] void giveUp(const Error &error) {
  fmt::print(stderr, "{}", renderDiagnostics(error.diagnostics));
  std::exit(1);
}

} // namespace

Meter::Meter(int times)
    : counting_(ASSAY_OWN_KERNELS, countingOptions()), timed_(ASSAY_OWN_KERNELS), times_(times) {
  counting_.options().countWork = true;
}

void Meter::measure(Row &row, const Run &run) {
  counting_.options().finished = [&](const DispatchRecord &record) {
    if (record.work)
      append(row.work, *record.work);
    ++row.dispatches;
  };
  if (const Result<void> done = run(counting_); !done) {
    if (done.error().kind != ErrorKind::Usage)
      giveUp(done.error());
    row.refused = done.error().rule();
    return;
  }
  double spent = 0;
  for (int i = -1; i < times_ && times_ && spent < 100; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (const Result<void> done = run(timed_); !done)
      giveUp(done.error());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (i < 0)
      continue; // it compiled
    spent += took.count();
    if (i == 0 || took.count() < row.milliseconds)
      row.milliseconds = took.count();
  }
}

void printHeader() {
  fmt::print(
      "sweep\thead_dim\theads\tm\tkv_len\tvariant\tdefault\ttotal\tlongest\tdevice_bytes\t"
      "threadgroup_bytes\tdevice_accesses\tthreadgroup_accesses\tbarriers\tsimd\tfloat\tmath\tinteger\t"
      "busy\taccesses_busy\tdispatches\tms\trefused\n");
}

void print(const Row &row) {
  const WorkCounts &w = row.work;
  const auto bytes = [&](auto... kinds) { return (w[kinds].bytes + ...); };
  const auto steps = [&](auto... kinds) { return (w[kinds].simdgroups + ...); };
  using K = WorkKind;
  const uint64_t flops =
      w[K::FloatOperations].lanes + 2 * w[K::FusedOperations].lanes + w[K::Divisions].lanes;
  const Problem &p = row.problem;
  fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t", row.sweep, p.headDim, p.heads, p.queries, p.keys, row.variant,
             int(row.isDefault));
  fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.4f}\t{:.4f}\t{}\t{:.3f}\t{}\n",
             w.sum().simdgroups, w.longestSimdgroup, bytes(K::DeviceLoads, K::DeviceStores),
             bytes(K::ThreadgroupLoads, K::ThreadgroupStores), steps(K::DeviceLoads, K::DeviceStores),
             steps(K::ThreadgroupLoads, K::ThreadgroupStores), w[K::ThreadgroupBarriers].simdgroups,
             steps(K::SimdOperations, K::SimdgroupBarriers), flops, w[K::MathFunctions].lanes,
             w[K::IntegerOperations].lanes, w.sum().utilisation(), w.sum(WorkGroup::Access).utilisation(),
             row.dispatches, row.milliseconds, row.refused);
  std::fflush(stdout);
}

} // namespace assay::sweeps
