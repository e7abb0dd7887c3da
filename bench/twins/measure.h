// What the two programs of the twins do alike: which twins they are asked for, and how a way is timed.
//
//   PROGRAM [--tiny] [options of Google Benchmark]
//
// A benchmark is called TWIN/WAY. It runs and judges its way once, then measures wall time. The counter
// `fastest_ms` is the fastest of all its iterations: on a machine with other work, that is the one that met
// the least of it. `on_vectors` is 1 for a run in which simdgroups were one program.
#pragma once

#include "twin.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>

namespace assay::twins {

/// Runs the way once; empty, or why it failed.
using Step = std::function<std::string()>;

/// What the counter `fastest_ms` counts. Processor: the time of all threads on their processors, which other
/// work on the machine does not lengthen however long an iteration takes.
enum class Clock { Wall, Processor };

inline double milliseconds(Clock clock) {
  timespec now{};
  clock_gettime(clock == Clock::Wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

inline void measure(benchmark::State &state, const Step &step, bool onVectors = false,
                    Clock clock = Clock::Wall) {
  double fastest = 1e9;
  for (auto _ : state) {
    const double start = milliseconds(clock);
    const std::string failure = step();
    const double took = milliseconds(clock) - start;
    if (!failure.empty())
      return state.SkipWithError(failure.c_str());
    fastest = std::min(fastest, took);
  }
  state.counters["fastest_ms"] = fastest;
  state.counters["on_vectors"] = onVectors;
}

/// One way: gets the twin and measures it.
using Way = std::function<void(benchmark::State &, const Twin &)>;

/// The main of a program whose ways these are.
inline int measureTwins(int argc, char **argv, const std::vector<std::pair<std::string, Way>> &ways) {
  Scale scale = Scale::Full;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--tiny") == 0) {
      scale = Scale::Tiny;
      std::rotate(argv + i, argv + i + 1, argv + argc--);
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  for (const TwinMaker &maker : allTwins()) {
    if (!maker.absent.empty()) {
      std::fprintf(stderr, "skipped: %s: %s\n", maker.name.c_str(), maker.absent.c_str());
      continue;
    }
    for (const auto &[name, way] : ways)
      benchmark::RegisterBenchmark((maker.name + "/" + name).c_str(),
                                   [&maker, &way, scale](benchmark::State &state) {
                                     // The same benchmark is called several times in a row.
                                     static Twin twin;
                                     if (twin.name != maker.name)
                                       twin = maker.make(scale);
                                     way(state, twin);
                                   })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
  }
  return benchmark::RunSpecifiedBenchmarks() == 0 ? 2 : 0;
}

} // namespace assay::twins
