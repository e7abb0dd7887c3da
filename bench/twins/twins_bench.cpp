// The twins on Assay's two engines and written by hand; see measure.h. Bounds checks are on and pipelines are
// built before anything is timed. scripts/twins runs it in turn with twins_opencl.
#include "assay_way.h"
#include "measure.h"

namespace {

using namespace assay;
using namespace assay::twins;

std::string text(const Error &error) {
  return renderDiagnostics(error.diagnostics);
}

void onAssay(benchmark::State &state, const Twin &twin, Engine engine) {
  Result<AssayWay> way = AssayWay::make(twin, engine);
  if (!way)
    return state.SkipWithError(text(way.error()).c_str());
  const Step step = [&] {
    const auto report = way->run();
    return report ? std::string() : text(report.error());
  };
  std::string failure = step();
  if (failure.empty())
    failure = mismatch(twin, way->result());
  if (!failure.empty())
    return state.SkipWithError(failure.c_str());
  measure(state, step, way->isOnVectors() && engine == Engine::Vector);
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
  return measureTwins(
      argc, argv,
      {{"fibers", [](benchmark::State &state, const Twin &twin) { onAssay(state, twin, Engine::Fiber); }},
       {"vectors", [](benchmark::State &state, const Twin &twin) { onAssay(state, twin, Engine::Vector); }},
       {"hand", byHand}});
}
