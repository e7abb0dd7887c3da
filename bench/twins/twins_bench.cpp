// The twins on Assay's two engines and written by hand; see measure.h. Bounds checks are on and pipelines are
// built before anything is timed. scripts/twins runs it in turn with twins_opencl.
//
// Option: --checks measures what the rules of `--check` cost instead, for scripts/check-costs: without them
// as a user runs a kernel (off) and on fibers of one processor (fiber), with the default ones, and with all.
#include "assay_way.h"
#include "measure.h"

namespace {

using namespace assay;
using namespace assay::twins;

std::string text(const Error &error) {
  return renderDiagnostics(error.diagnostics);
}

void onAssay(benchmark::State &state, const Twin &twin, Engine engine, const DispatchOptions &options = {},
             Clock clock = Clock::Wall) {
  Result<AssayWay> way = AssayWay::make(twin, engine, options);
  if (!way)
    return state.SkipWithError(text(way.error()).c_str());
  const Step step = [&]() -> std::string {
    const auto report = way->run();
    if (!report)
      return text(report.error());
    return report->findings.empty() ? "" : renderDiagnostics(diagnosticsOf(report->findings.front()));
  };
  std::string failure = step();
  if (failure.empty())
    failure = mismatch(twin, way->result());
  if (!failure.empty())
    return state.SkipWithError(failure.c_str());
  measure(state, step, way->isOnVectors() && engine == Engine::Vector, clock);
}

void byHand(benchmark::State &state, const Twin &twin) {
  Arguments arguments = twin.arguments;
  twin.byHand(arguments);
  if (const std::string failure = mismatch(twin, arguments[twin.result].bytes); !failure.empty())
    return state.SkipWithError(failure.c_str());
  measure(state, [&] {
    twin.byHand(arguments);
    return std::string();
  });
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "--checks") == 0) {
    std::rotate(argv + 1, argv + 2, argv + argc);
    const auto way = [](Engine engine, DispatchOptions options) -> Way {
      return [=](benchmark::State &state, const Twin &twin) {
        onAssay(state, twin, engine, options, Clock::Processor);
      };
    };
    DispatchOptions canonical;
    canonical.schedule.kind = ScheduleKind::Canonical;
    const auto checked = [](CheckRules rules) {
      DispatchOptions options;
      options.checks = rules;
      return options;
    };
    return measureTwins(argc - 1, argv,
                        {{"off", way(Engine::Auto, {})},
                         {"fiber", way(Engine::Fiber, canonical)},
                         {"default", way(Engine::Auto, checked(CheckRules::byDefault()))},
                         {"all", way(Engine::Auto, checked(CheckRules::all()))}});
  }
  return measureTwins(
      argc, argv,
      {{"fibers", [](benchmark::State &state, const Twin &twin) { onAssay(state, twin, Engine::Fiber); }},
       {"vectors", [](benchmark::State &state, const Twin &twin) { onAssay(state, twin, Engine::Vector); }},
       {"hand", byHand}});
}
