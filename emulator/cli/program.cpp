// The command line as a whole: finds the subcommand, and reports an error if there is none.
#include "program.h"

#include "commands.h"

#include <cstring>
#include <exception>
#include <fmt/format.h>

namespace assay::cli {
namespace {

constexpr const char *kExamples =
    R"(Exit codes: 0 all well, 1 the kernel is at fault or outputs differ, 2 the request is at fault or the
result cannot be written, 3 `run --check` or `verify` found something.
Compiled kernels are kept in $ASSAY_CACHE_DIR, else $XDG_CACHE_HOME/assay, else ~/.cache/assay;
ASSAY_CACHE=off turns that off.

Examples:
  assay check add.metal --pipelines
  assay run add.metal --kernel add --grid 1000 --threads 256 \
            --buffer 0=rand:f32[1000] --buffer 1=rand:f32[1000]:7 --buffer 2=poison:f32[1000] --out 2=sum.npy
  assay translate add.metal -o add.cpp
  assay run --help)";

bool wantsJson(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--json"))
      return true;
  return false;
}

int parseAndRun(int argc, char **argv) {
  CLI::App app("Assay runs and tests Metal compute kernels on Linux, without a Mac and without a GPU.",
               "assay");
  app.set_version_flag("--version", "assay " ASSAY_VERSION);
  app.footer(kExamples);
  app.require_subcommand(1);
  app.option_defaults()->always_capture_default(false);
  cli::Action action;
  cli::addCheck(app, action);
  cli::addDiff(app, action);
  cli::addNumerics(app, action);
  cli::addRun(app, action);
  cli::addTranslate(app, action);
  cli::addVerify(app, action);
  std::vector<std::string> arguments = cli::withMetalOptions(argc, argv);
  try {
    app.parse(arguments);
  } catch (const CLI::Success &asked) { // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    const auto chosen = app.get_subcommands();
    if (chosen.empty() && argc > 1 && argv[1][0] != '-')
      return cli::Output(wantsJson(argc, argv))
          .fail(Error::usage("unknown-command", fmt::format("no command '{}'", argv[1]),
                             "commands: check, diff, numerics, run, translate, verify; try: assay --help"));
    return cli::Output(wantsJson(argc, argv))
        .fail(Error::usage(
            "bad-option", error.what(),
            fmt::format("try: assay {}--help", chosen.empty() ? "" : chosen.front()->get_name() + " ")));
  }
  return action();
}

} // namespace

int runProgram(int argc, char **argv) {
  openOutput();
  try {
    return closeOutput(parseAndRun(argc, argv));
  } catch (const std::bad_alloc &) {
    return cli::Output(wantsJson(argc, argv)).fail(Error::usage("out-of-memory", "not enough memory"));
  } catch (const std::exception &error) {
    return cli::Output(wantsJson(argc, argv)).fail(Error::usage("internal", error.what()));
  }
}

} // namespace assay::cli
