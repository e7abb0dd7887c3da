// assay diff: compares two kernels, or a kernel and a recording, on the same inputs. mapping.h describes the
// mapping file, and compare/comparison.h says what is equal.
//
// Exit codes: 0 every output is equal or within the tolerance that was asked for (an element that neither
// side wrote is reported, but is no difference); 1 an output differs, or a kernel does not compile or fails;
// 2 the request is at fault: a file, an option, the mapping.
#include "placed_output.h"
#include "report.h"
#include "trace_report.h"

#include "../progress.h"

#include <cmath>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

constexpr const char *kExamples =
    R"(Without a mapping both kernels take the same --buffer, --constant and grid. Buffers that are not given
are made up, with one element for each thread: rand:TYPE[n]:INDEX. What both may write is compared. A file
that ends in .npy is a recorded output.
With --mapping a TOML file says how the inputs lie in the buffers of each side, and what corresponds to what.
Elements are equal if their bits are, or if one of --ulp, --atol and --rtol lets them be:
|A - B| <= ATOL + RTOL * |B|.
--nan: a NaN equals every NaN (same, the default), one with its bits (bits) or nothing (differ).

Examples:
  assay diff old.metal new.metal --kernel softmax --threadgroups 8 --threads 256 \
      --buffer 0=rand:f32[8,512] --buffer 1=poison:f32[8,512] --buffer 2=u32:512 --ulp 2
  assay diff attention.metal recorded.npy --kernel decode --threadgroups 8 --threads 32 \
      --buffer 0=q.npy --output 3
  assay diff ours.metal theirs.metal --mapping port.toml --set qL=100 --picture differences.html

Exit codes: 0 equal within what was asked for, 1 different or a kernel at fault, 2 the request is at fault.)";

// Reads an output from a recorded file.
Result<std::string> recordedBytes(const std::string &file, const LogicalOutput &output, ScalarType partner,
                                  ScalarType &type) {
  Result<NpyArray> array = readNpy(file);
  if (!array)
    return array.error();
  uint64_t count = 1;
  for (uint64_t extent : output.shape)
    count *= extent;
  if (array->count() != count)
    return Error::usage("output-shape",
                        fmt::format("'{}' has {} elements {}, output '{}' has {} {}", file, array->count(),
                                    shapeText(array->shape), output.name, count, shapeText(output.shape)));
  type = array->type;
  // NumPy has no bfloat: `assay run --out` writes its bits as uint16.
  if (type == ScalarType::UShort && partner == ScalarType::BFloat)
    type = partner;
  return std::move(array->data);
}

Result<void> compareBoth(const Plan &plan, std::optional<Side> (&sides)[2], bool withMap, OutputDiff &diff) {
  const LogicalOutput &output = diff.output;
  const Placement *places[2] = {};
  for (int i = 0; i < 2; ++i)
    if (const auto place = plan.sides[i].outputs.find(output.name);
        sides[i] && place != plan.sides[i].outputs.end() && !plan.sides[i].recorded.count(output.name)) {
      places[i] = &place->second;
      diff.sideTypes[i] = place->second.type;
    }
  std::optional<PlacedOutput> placed[2];
  std::string raw[2];
  for (int i = 0; i < 2; ++i) {
    if (places[i])
      continue;
    const PlannedSide &side = plan.sides[i];
    const auto named = side.recorded.find(output.name);
    if (named == side.recorded.end() && side.recording.empty())
      return Error::usage("mapping",
                          fmt::format("{} does not say where output '{}' is", side.name, output.name));
    const ScalarType partner =
        places[1 - i] ? diff.sideTypes[1 - i] : output.type.value_or(ScalarType::UShort);
    Result<std::string> bytes = recordedBytes(named != side.recorded.end() ? named->second : side.recording,
                                              output, partner, diff.sideTypes[i]);
    if (!bytes)
      return bytes.error();
    raw[i] = std::move(*bytes);
  }
  const ScalarType type = comparedAs(output, diff.sideTypes[0], diff.sideTypes[1]);
  for (int i = 0; i < 2; ++i) {
    // A recording is dense and in logical order.
    Placement dense;
    dense.type = diff.sideTypes[i];
    dense.shape = output.shape;
    dense.fold.assign(output.shape.size(), 1);
    dense.strides.assign(output.shape.size(), 1);
    for (size_t axis = output.shape.size() - 1; axis-- > 0;)
      dense.strides[axis] = dense.strides[axis + 1] * dense.shape[axis + 1];
    PlacedOutput::Memory memory{raw[i], {}};
    if (places[i]) {
      const std::optional<std::string_view> found = sides[i]->contents(*places[i]);
      if (!found)
        return Error::usage("missing-binding",
                            fmt::format("output '{}' is in {} {} of {}, which is not bound", output.name,
                                        places[i]->texture ? "texture" : "buffer", places[i]->buffer,
                                        plan.sides[i].name));
      if (const std::optional<ScalarType> texel = sides[i]->texelType(*places[i]);
          texel && *texel != places[i]->type)
        return Error::usage("mapping",
                            fmt::format("output '{}' is {} in texture {} of {}, which has {}", output.name,
                                        scalarTypeInfo(places[i]->type).shortName, places[i]->buffer,
                                        plan.sides[i].name, scalarTypeInfo(*texel).shortName));
      memory.contents = *found;
      if (!places[i]->texture)
        memory.stale = sides[i]->stale(places[i]->buffer);
      for (uint64_t factor : places[i]->fold)
        diff.folded |= factor != 1;
    }
    Result<PlacedOutput> one = PlacedOutput::make(output, places[i] ? *places[i] : dense, memory, type);
    if (!one)
      return one.error();
    placed[i] = std::move(*one);
  }
  compare::Comparer::Seen seen;
  if (withMap) {
    diff.map.emplace(output.shape);
    seen = [&](const compare::Difference &pair, uint64_t count, compare::Verdict verdict) {
      diff.map->add(pair, count, verdict, type);
    };
  }
  diff.comparison = compareOutputs(*placed[0], *placed[1], type, output.tolerance, std::move(seen));
  diff.note();
  return {};
}

// Runs each side that has differences once more to find their writers.
Result<void> findWriters(const Plan &plan, std::optional<Side> (&sides)[2], Found &found) {
  for (int i = 0; i < 2; ++i) {
    if (!sides[i])
      continue;
    std::vector<Side::Place> places;
    std::vector<Writer *> wanted;
    for (OutputDiff &diff : found.outputs) {
      const auto place = plan.sides[i].outputs.find(diff.output.name);
      if (place == plan.sides[i].outputs.end() || place->second.texture ||
          plan.sides[i].recorded.count(diff.output.name))
        continue;
      for (OutputDiff::Noted &noted : diff.noted) {
        places.push_back({place->second.buffer,
                          byteOffset(place->second, diff.output.shape, noted.difference.index),
                          scalarTypeInfo(place->second.type).bytes});
        wanted.push_back(&noted.writers[i]);
      }
    }
    if (places.empty())
      continue;
    Result<std::vector<Writer>> writers = sides[i]->writersOf(places);
    if (!writers)
      return writers.error();
    for (size_t k = 0; k < wanted.size(); ++k)
      *wanted[k] = (*writers)[k], wanted[k]->ofSeveral = sides[i]->call().stepCount() > 1;
  }
  return {};
}

int run(const DiffArguments &arguments) {
  Output out(arguments.source.json);
  if (!arguments.picture.empty()) {
    if (!arguments.picture.ends_with(".html"))
      return out.fail(
          Error::usage("bad-option", fmt::format("--picture {}: it should be FILE.html", arguments.picture)));
    if (Result<void> ok = checkWritable(arguments.picture); !ok)
      return out.fail(ok.error());
  }
  constexpr double kMaxSeconds = 1e9;
  if (!(arguments.timeoutSeconds >= 0 && arguments.timeoutSeconds <= kMaxSeconds))
    return out.fail(
        Error::usage("bad-option", fmt::format("--timeout {}: it should be a number of seconds, 0 for none",
                                               arguments.timeoutSeconds)));
  Result<Plan> plan = makePlan(arguments);
  if (!plan)
    return out.fail(plan.error());

  if (Result<void> ok = planTrace(arguments, *plan); !ok)
    return out.fail(ok.error());

  const Device device = Device::systemDefault();
  DispatchOptions dispatch;
  dispatch.workers = arguments.workers;
  dispatch.groupTimeout = std::chrono::milliseconds(int64_t(std::ceil(arguments.timeoutSeconds * 1000)));
  std::optional<Progress> progress(std::in_place, "compiling");
  const auto fail = [&](const Error &error) {
    progress.reset();
    return out.fail(error);
  };
  std::optional<Side> sides[2];
  const ComputePipeline *pipelines[2] = {};
  for (int i = 0; i < 2; ++i) {
    PlannedSide &planned = plan->sides[i];
    if (!planned.call)
      continue;
    progress->now(fmt::format("compiling {}", planned.call->file));
    Result<Side> side = Side::compile(planned.name, *planned.call, device, dispatch);
    if (!side)
      return fail(side.error());
    sides[i] = std::move(*side);
    pipelines[i] = &sides[i]->pipeline();
    out.warn(sides[i]->warnings());
  }
  if (Result<void> ok = completeFromReflection(arguments, *plan, pipelines, device); !ok)
    return fail(ok.error());
  for (int i = 0; i < 2; ++i) {
    if (!sides[i])
      continue;
    sides[i]->call() = *plan->sides[i].call;
    progress->now(fmt::format("running {}", sides[i]->call().kernel));
    std::map<uint32_t, uint64_t> granules;
    for (const auto &[name, place] : plan->sides[i].outputs) {
      if (place.texture)
        continue;
      const uint64_t bytes = scalarTypeInfo(place.type).bytes;
      uint64_t &granule = granules.try_emplace(place.buffer, bytes).first->second;
      granule = std::min(granule, bytes);
    }
    if (Result<void> ok = sides[i]->run(granules); !ok) {
      Error error = ok.error();
      error.diagnostics.front().message =
          fmt::format("{}: {}", plan->sides[i].name, error.diagnostics.front().message);
      return fail(error);
    }
  }

  Found found;
  for (const LogicalOutput &output : plan->outputs) {
    OutputDiff diff;
    diff.output = output;
    if (Result<void> ok = compareBoth(*plan, sides, !arguments.picture.empty(), diff); !ok)
      return fail(ok.error());
    found.outputs.push_back(std::move(diff));
  }
  if (!found.equal())
    if (Result<void> ok = findWriters(*plan, sides, found); !ok)
      return fail(ok.error());
  std::optional<Traced> traced;
  if (arguments.trace) {
    progress->now("tracing");
    Side both[2] = {*sides[0], *sides[1]};
    Result<Traced> result = trace(both, plan->trace);
    if (!result)
      return fail(result.error());
    traced = std::move(*result);
  }
  progress.reset();
  report(out, arguments, *plan, found);
  if (traced)
    reportTrace(out, *traced);
  if (!arguments.picture.empty()) {
    if (Result<void> ok = writeFileAtomically(arguments.picture, picture(arguments, *plan, found)); !ok)
      return out.fail(ok.error());
    out.document()["picture"] = arguments.picture;
    out.text(fmt::format("wrote     {}", arguments.picture));
  }
  out.text(verdictText(found));
  return out.finish(found.equal());
}

} // namespace
} // namespace assay::cli::diff

namespace assay::cli {

void addDiff(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<diff::DiffArguments>();
  CLI::App *command =
      app.add_subcommand("diff", "run two kernels on the same inputs and compare what they write");
  command->add_option("A", arguments->a, "a .metal file or a recorded .npy; - for what the mapping says");
  command->add_option("B", arguments->b, "the other one");
  addList(*command, "--link", arguments->linkedFiles, "FILE",
          "a .metal file that is linked with those of A and B");
  arguments->source.addOptionsTo(*command);
  arguments->source.addJsonTo(*command);
  command->add_option("--mapping", arguments->mapping, "what differs on purpose")->type_name("FILE.toml");
  addList(*command, "--set", arguments->sets, "NAME=VALUE", "a size of the mapping");
  command->add_option("--kernel", arguments->kernel, "the entry point")->type_name("NAME");
  command->add_option("--kernel-b", arguments->kernelB, "that of B, if it has another name")
      ->type_name("NAME");
  command
      ->add_option("--threadgroups", arguments->threadgroups,
                   "threadgroups in the grid (dispatchThreadgroups)")
      ->type_name("X[,Y[,Z]]");
  command->add_option("--grid", arguments->grid, "threads in the grid (dispatchThreads)")
      ->type_name("X[,Y[,Z]]");
  command->add_option("--threads", arguments->threads, "threads in a threadgroup")->type_name("X[,Y[,Z]]");
  addList(*command, "--constant", arguments->constants, "INDEX|NAME=VALUE", "a function constant");
  addList(*command, "--buffer", arguments->buffers, "INDEX|NAME=SPEC", "as in `assay run`");
  addList(*command, "--struct", arguments->structs, "INDEX=TYPE:FIELD=VALUE,..", "as in `assay run`");
  addList(*command, "--threadgroup-memory", arguments->threadgroupMemory, "INDEX=BYTES",
          "length of [[threadgroup(INDEX)]]");
  addList(*command, "--output", arguments->outputs, "INDEX|NAME", "compare only this output");
  addList(*command, "--texture", arguments->textures, "INDEX=SPEC", "as in `assay run`");
  addList(*command, "--sampler", arguments->samplers, "INDEX=OPTIONS", "as in `assay run`");
  command->add_option("--ulp", arguments->ulp, "allow so many units in the last place")->type_name("N");
  command->add_option("--atol", arguments->atol, "allow this absolute distance")->type_name("DISTANCE");
  command->add_option("--rtol", arguments->rtol, "allow this distance relative to B")->type_name("FRACTION");
  command->add_option("--nan", arguments->nan, "which NaNs are equal: same, bits, differ")
      ->type_name("POLICY");
  command->add_flag(
      "--trace", arguments->trace,
      "run both once more with probes at corresponding statements, and name the first value that "
      "differs");
  addList(*command, "--pair", arguments->tracePairs, "LINE=LINE",
          "statements that correspond for --trace, by a line of A and one of B");
  command
      ->add_option(
          "--trace-thread", arguments->traceThread,
          "for --trace: the position in B's grid of the thread at x, y, z in A's; without it, the same")
      ->type_name("X[,Y[,Z]]");
  command->add_option("--picture", arguments->picture, "write a map of the differences")
      ->type_name("FILE.html");
  arguments->numerics.addTo(*command);
  command->add_option("--numerics-b", arguments->numericsB, "another numerics profile for B")
      ->type_name("PROFILE");
  command->add_option("--engine", arguments->engine, fmt::format("what runs the kernels: {}", kEngineNames))
      ->type_name("ENGINE");
  command->add_option("--engine-b", arguments->engineB, "another engine for B")->type_name("ENGINE");
  command->add_option("--workers", arguments->workers, "worker threads; 0, the default: one for each CPU")
      ->type_name("N");
  command
      ->add_option("--timeout", arguments->timeoutSeconds,
                   "longest time for one threadgroup, 0 for none; the default is 20")
      ->type_name("SECONDS");
  command->footer(diff::kExamples);
  command->callback([arguments, &action] { action = [arguments] { return diff::run(*arguments); }; });
}

} // namespace assay::cli
