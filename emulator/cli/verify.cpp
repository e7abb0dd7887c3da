// assay verify: what the result of one dispatch depends on.
#include "commands.h"
#include "junit.h"
#include "progress.h"
#include "run_plan.h"
#include "verify_ways.h"

#include "../support/files/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace assay::cli {
namespace {

struct VerifyArguments {
  RunArguments run;
  uint32_t schedules = 64;
};

/// What became of a way.
struct Tried {
  Way way;
  std::vector<ResultDifference> found; ///< from the baseline
  std::optional<Error> error;          ///< it did not end
  bool same() const { return found.empty() && !error; }
};

struct Verdict {
  RepeatedDispatch::Outcome baseline;
  std::vector<Finding> findings;
  size_t suppressed = 0;
  std::vector<Tried> tried;
  bool lockstep = false, engines = false; ///< whether the result depends on them

  std::vector<const Tried *> of(WaySubject subject, bool same) const {
    std::vector<const Tried *> some;
    for (const Tried &one : tried)
      if (one.way.subject == subject && one.same() == same)
        some.push_back(&one);
    return some;
  }
  bool isStable() const {
    return findings.empty() && !lockstep && !engines && of(WaySubject::Schedule, false).empty();
  }
};

std::string_view statusOf(const Way &way) {
  return nameOf(way.field->factOf(way.numerics.name).status);
}

std::string_view nameOf(WaySubject subject) {
  switch (subject) {
  case WaySubject::Schedule: return "schedule";
  case WaySubject::Engine: return "engine";
  case WaySubject::Lockstep: return "lockstep";
  case WaySubject::Numerics: return "numerics";
  default: return "baseline";
  }
}

std::string textOf(const Tried &one) {
  if (one.error)
    return fmt::format("{}: {}", one.way.name, one.error->diagnostics.front().message);
  std::vector<std::string> parts;
  for (const ResultDifference &difference : one.found)
    parts.push_back(differenceText(difference));
  return fmt::format("{}: {}", one.way.name, fmt::join(parts, "; "));
}

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// What the verdict on a subject says, in one line.
std::string scheduleText(const Verdict &verdict) {
  const size_t same = verdict.of(WaySubject::Schedule, true).size(),
               other = verdict.of(WaySubject::Schedule, false).size();
  return other ? fmt::format("different bits in {} of {} orders of threadgroups", other, same + other)
               : fmt::format("same bits in {}",
                             counted(same, "order of threadgroups", "orders of threadgroups"));
}
constexpr const char *kEnginesDiffer = "the engines give different bits";
constexpr const char *kLockstepCounts = "the result depends on it: lanes of a simdgroup race";

// A line for each subject, and one for each way that differs; of schedules the first few.
void reportSubjects(Output &out, const Verdict &verdict) {
  constexpr size_t kMostShown = 3;
  const auto head = [&](std::string_view subject, const std::string &text) {
    out.text(fmt::format("{:<10}{}", subject, text));
  };
  const auto differing = [&](WaySubject subject, size_t most) {
    const auto ways = verdict.of(subject, false);
    for (size_t i = 0; i < std::min(most, ways.size()); ++i)
      out.text("          " + textOf(*ways[i]));
    if (ways.size() > most)
      out.text(fmt::format("          and {} more", ways.size() - most));
  };
  head("schedules", scheduleText(verdict));
  differing(WaySubject::Schedule, kMostShown);

  std::vector<std::string> engines;
  for (const Tried *one : verdict.of(WaySubject::Engine, true))
    engines.push_back(one->way.name);
  head("engines", verdict.engines   ? kEnginesDiffer
                  : engines.empty() ? "see lockstep"
                                    : fmt::format("same bits on {}", fmt::join(engines, " and ")));
  differing(WaySubject::Engine, kMostShown);
  head("lockstep", verdict.lockstep ? kLockstepCounts : "same bits with and without it");
  differing(WaySubject::Lockstep, kMostShown);

  std::vector<std::string_view> fields;
  for (const NumericsField &field : numericsFields())
    if (std::none_of(verdict.tried.begin(), verdict.tried.end(),
                     [&](const Tried &one) { return one.way.field == &field && !one.same(); }))
      fields.push_back(field.name);
  head("numerics", fields.empty() ? "every field changes bits"
                                  : fmt::format("same bits whatever {} {}", fmt::join(fields, ", "),
                                                fields.size() == 1 ? "is" : "are"));
  for (const Tried *one : verdict.of(WaySubject::Numerics, false))
    out.text(fmt::format("          {} ({})", textOf(*one), statusOf(one->way)));
}

// One sentence.
std::string verdictText(const Verdict &verdict) {
  std::vector<std::string> depends;
  if (!verdict.of(WaySubject::Schedule, false).empty())
    depends.push_back("the order of threadgroups");
  if (verdict.lockstep)
    depends.push_back("the lockstep of lanes");
  if (verdict.engines)
    depends.push_back("the engine");
  std::vector<std::string> fields;
  for (const Tried *one : verdict.of(WaySubject::Numerics, false)) {
    std::string field(one->way.field->name);
    if (const auto ulps = mostUlps(one->found); ulps && !one->error)
      field += fmt::format(" ({}, {} ulp{})", statusOf(one->way), *ulps, *ulps == 1 ? "" : "s");
    else
      field += fmt::format(" ({})", statusOf(one->way));
    if (fields.empty() || !fields.back().starts_with(std::string(one->way.field->name) + " "))
      fields.push_back(std::move(field));
  }
  depends.insert(depends.end(), fields.begin(), fields.end());
  std::string text =
      verdict.findings.empty() ? "no findings" : counted(verdict.findings.size(), "finding", "findings");
  return text + (depends.empty() ? ", and the same bits in every way"
                                 : fmt::format(", and the result depends on {}", fmt::join(depends, ", ")));
}

Json toJson(const Tried &one) {
  Json json = {{"subject", nameOf(one.way.subject)}, {"name", one.way.name}, {"same", one.same()}};
  if (one.way.field) {
    json["field"] = one.way.field->name;
    json["status"] = statusOf(one.way);
  }
  if (one.error)
    json["error"] = one.error->diagnostics.front().message;
  Json found = Json::array();
  for (const ResultDifference &difference : one.found) {
    const compare::Comparison &comparison = difference.comparison;
    Json entry = {{"name", difference.name},
                  {"values", comparison.count},
                  {"different", comparison.different},
                  {"first", comparison.first->index}};
    if (const auto ulps = mostUlps({difference}))
      entry["ulps"] = *ulps;
    found.push_back(std::move(entry));
  }
  json["differences"] = std::move(found);
  return json;
}

int report(Output &out, const VerifyArguments &arguments, const Verdict &verdict) {
  out.text(fmt::format("kernel    {} ({})", arguments.run.kernel, arguments.run.source.fileNames()));
  out.text(fmt::format("baseline  engine {}, {} threads in {}", engineText(verdict.baseline.report.engine),
                       verdict.baseline.report.threads,
                       counted(verdict.baseline.report.threadgroups, "threadgroup", "threadgroups")));
  reportSubjects(out, verdict);
  out.report(verdict.findings, verdict.suppressed);
  out.text("verdict   " + verdictText(verdict));
  Json &json = out.document();
  json["file"] = arguments.run.source.file();
  json["kernel"] = arguments.run.kernel;
  json["engine"] = engineText(verdict.baseline.report.engine);
  json["verdict"] = verdictText(verdict);
  json["stable"] = verdict.isStable();
  json["ways"] = Json::array();
  for (const Tried &one : verdict.tried)
    json["ways"].push_back(toJson(one));
  Json fields = Json::array();
  for (const Tried *one : verdict.of(WaySubject::Numerics, false))
    if (std::find(fields.begin(), fields.end(), one->way.field->name) == fields.end())
      fields.push_back(one->way.field->name);
  json["dependsOn"] = {{"schedule", !verdict.of(WaySubject::Schedule, false).empty()},
                       {"engine", verdict.engines},
                       {"lockstep", verdict.lockstep},
                       {"numerics", std::move(fields)}};
  return verdict.isStable() ? out.finish() : out.finishWithFindings();
}

// The subjects that --json calls unstable are cases beside the rules. That numerics count is no failure.
Result<void> writeJUnit(const VerifyArguments &arguments, const RunPlan &plan, const Verdict &verdict,
                        std::optional<Error> error = {}) {
  if (arguments.run.junit.empty())
    return {};
  JUnitSuite suite{.file = arguments.run.source.file(),
                   .kernel = arguments.run.kernel,
                   .seconds = {},
                   .rules = plan.dispatch.checks,
                   .findings = verdict.findings,
                   .error = std::move(error),
                   .others = {}};
  if (!suite.error)
    suite.others = {
        {"schedules", verdict.of(WaySubject::Schedule, false).empty() ? "" : scheduleText(verdict)},
        {"engines", verdict.engines ? kEnginesDiffer : ""},
        {"lockstep", verdict.lockstep ? kLockstepCounts : ""}};
  return writeFileAtomically(arguments.run.junit, junitOf(suite));
}

int verify(VerifyArguments arguments) {
  Output out(arguments.run.source.json);
  if (!arguments.run.textures.outs.empty())
    return out.fail(
        Error::usage("bad-option", "--texture-out: assay verify writes nothing", "use assay run"));
  const Device device = Device::systemDefault();
  if (arguments.run.check.empty())
    arguments.run.check = "default";
  // What every way has in common, and all mistakes of the command line before the first run.
  const Result<RunPlan> plan = makePlan(arguments.run, device);
  if (!plan)
    return out.fail(plan.error());
  std::optional<Progress> progress(std::in_place,
                                   fmt::format("compiling {}", arguments.run.source.fileNames()));
  const auto fail = [&](const Error &error) {
    progress.reset();
    return out.fail(error);
  };
  Verdict verdict;
  const auto failWith = [&](const Error &error) {
    const Result<void> ok = writeJUnit(arguments, *plan, verdict, error);
    return fail(ok ? error : ok.error());
  };
  RepeatedDispatch dispatch(arguments.run, device);
  Way first;
  first.numerics = plan->numerics.profile;
  Result<RepeatedDispatch::Outcome> baseline = dispatch.run(first);
  if (!baseline)
    return failWith(baseline.error());
  verdict.baseline = std::move(*baseline);

  std::vector<WrittenResult> fibers, lockstep;
  const std::vector<Way> ways =
      waysOf(plan->numerics.profile, arguments.schedules, verdict.baseline.report.threads);
  for (size_t i = 1; i < ways.size(); ++i) {
    progress->now(fmt::format("{} ({} of {})", ways[i].name, i, ways.size()));
    Tried tried{ways[i], {}, {}};
    Result<RepeatedDispatch::Outcome> outcome = dispatch.run(ways[i]);
    // What the reference cannot do says nothing about the kernel.
    if (!outcome && ways[i].engine == Engine::Reference && outcome.error().is("unsupported"))
      continue;
    if (outcome) {
      // A shuffled order is run on fibers: their own canonical order is what it is compared with.
      const bool ownEngine = ways[i].subject == WaySubject::Schedule &&
                             outcome->report.engine == Engine::Fiber && !fibers.empty();
      tried.found = differences(ownEngine ? fibers : verdict.baseline.written, outcome->written);
      if (ways[i].engine == Engine::Fiber)
        (ways[i].lockstep ? lockstep : fibers) = std::move(outcome->written);
    } else {
      tried.error = outcome.error();
    }
    verdict.tried.push_back(std::move(tried));
  }
  // Vectors are in lockstep: their twin are fibers in lockstep. The reference is not.
  const auto sameWay = [&](std::string_view name, WaySubject subject) {
    return std::all_of(verdict.tried.begin(), verdict.tried.end(), [&](const Tried &one) {
      return one.way.subject != subject || one.way.name != name || one.same();
    });
  };
  const bool onFibers = sameWay("fiber", WaySubject::Engine),
             withLockstep = sameWay("on", WaySubject::Lockstep);
  verdict.lockstep = onFibers != withLockstep || !differences(fibers, lockstep).empty();
  verdict.engines = (!onFibers && !withLockstep) || sameWay("reference", WaySubject::Engine) != onFibers;

  progress->now("checking");
  Result<RepeatedDispatch::Outcome> checked = dispatch.run(first, plan->dispatch.checks);
  if (!checked)
    return failWith(checked.error());
  const Suppressions::Applied left = plan->suppressions.apply(std::move(checked->report.findings));
  verdict.findings = left.findings;
  verdict.suppressed = left.suppressed;
  if (Result<void> ok = writeJUnit(arguments, *plan, verdict); !ok)
    return fail(ok.error());
  progress.reset();
  out.warn(plan->suppressions.unused(left.used));
  return report(out, arguments, verdict);
}

constexpr const char *kFooter =
    R"(Repeats one dispatch with one condition changed each time, and compares the bits. The conditions are
the order of threadgroups (parallel, and --schedules shuffled orders), the engine (fibers; the reference for
up to 4096 threads), the lockstep of lanes, and each field of the numerics profile (`assay numerics` says what
the fields mean, and how Apple's choice is known). Then the dispatch runs once more under the default rules
of `assay run --check`, or under those that --check names.
The exit code is 3 if there is a finding, or if the result depends on the order, the engine or the lockstep.
A dependence on numerics is only reported: (assumed) marks a choice that nobody has published.
Buffers, textures and constants are given as for `assay run`: see assay run --help.

Example:
  assay verify add.metal --kernel add --grid 1000 --threads 256 \
      --buffer 0=rand:f32[1000] --buffer 1=rand:f32[1000]:7 --buffer 2=poison:f32[1000])";

} // namespace

void addVerify(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App *command = app.add_subcommand("verify", "say what the result of one dispatch depends on");
  arguments->run.source.addTo(*command);
  arguments->run.addDispatchTo(*command);
  arguments->run.numerics.addTo(*command);
  command
      ->add_option("--schedules", arguments->schedules, "shuffled orders of threadgroups; the default is 64")
      ->type_name("N");
  command
      ->add_option("--timeout", arguments->run.timeoutSeconds,
                   "longest time for one threadgroup, 0 for none; the default is 20")
      ->type_name("SECONDS");
  command->add_option("--check", arguments->run.check, "the rules of the checks, as for assay run")
      ->type_name("RULES");
  command
      ->add_option("--suppress", arguments->run.suppress,
                   "a file of findings that are accepted, as for assay run")
      ->type_name("FILE");
  command->add_option("--junit", arguments->run.junit, "write the verdict as JUnit's XML")->type_name("FILE");
  command->footer(kFooter);
  command->callback([arguments, &action] { action = [arguments] { return verify(*arguments); }; });
}

} // namespace assay::cli
