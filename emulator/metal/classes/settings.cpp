#include "settings.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace assay::metal {
namespace {

[[noreturn]] void stop(const char *variable, const Error &error) {
  std::fprintf(stderr, "%s: %s", variable, renderDiagnostics(error.diagnostics).c_str());
  std::exit(2);
}

const char *valueOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text ? text : nullptr;
}

uint64_t numberOf(const char *variable, const char *text) {
  uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text, text + std::strlen(text), value);
  if (failed != std::errc() || *end || value > 1'000'000)
    stop(variable, Error::usage("bad-number", fmt::format("'{}' is not a number from 0 to 1000000", text)));
  return value;
}

bool switchOf(const char *variable, std::string_view text) {
  if (text != "0" && text != "1")
    stop(variable, Error::usage("bad-switch", fmt::format("'{}' is neither 0 nor 1", text)));
  return text == "1";
}

/// Writes one line for each dispatch, in the order in which dispatches end. Lines never mix.
class Trace {
public:
  explicit Trace(const char *file) : out_(std::strcmp(file, "-") ? std::fopen(file, "w") : stderr) {
    if (!out_)
      stop("ASSAY_TRACE",
           Error::usage("bad-file", fmt::format("cannot write '{}': {}", file, std::strerror(errno))));
  }
  void write(const DispatchRecord &record) {
    nlohmann::ordered_json line;
    line["kernel"] = record.kernel;
    line["grid"] = {record.gridThreads.x, record.gridThreads.y, record.gridThreads.z};
    line["threadgroup"] = {record.threadsPerThreadgroup.x, record.threadsPerThreadgroup.y,
                           record.threadsPerThreadgroup.z};
    line["ms"] = std::chrono::duration<double, std::milli>(record.time).count();
    if (record.error)
      line["error"] = record.error->message();
    const std::string text = line.dump() + "\n";
    std::lock_guard lock(mutex_);
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
  }

private:
  std::mutex mutex_;
  FILE *out_;
};

/// Prints what checkers found, each rule at each pair of places once: a host dispatches a kernel many times.
void printFindings(const std::string &kernel, const std::vector<Finding> &findings) {
  static std::mutex mutex;
  static std::set<std::string> printed;
  for (const Finding &finding : findings) {
    const auto keyOf = [](const Diagnostic &d) {
      return fmt::format("{}:{}:{} ", d.where.file, d.where.line, d.where.column);
    };
    std::string key = kernel + " " + finding.warning.rule + " " + keyOf(finding.warning);
    for (const Diagnostic &note : finding.notes)
      key += keyOf(note);
    std::lock_guard lock(mutex);
    if (printed.insert(std::move(key)).second)
      std::fprintf(stderr, "kernel %s: %s", kernel.c_str(),
                   renderDiagnostics(diagnosticsOf(finding)).c_str());
  }
}

// The first finding as the error of its command buffer, with the others.
Error failureOf(const std::vector<Finding> &findings) {
  Error error{ErrorKind::Kernel, {}};
  for (const Finding &finding : findings)
    for (Diagnostic &diagnostic : diagnosticsOf(finding))
      error.diagnostics.push_back(std::move(diagnostic));
  error.diagnostics.front().severity = Severity::Error;
  return error;
}

Settings read() {
  Settings s;
  if (const char *text = valueOf("ASSAY_NUMERICS")) {
    Result<NumericsProfile> profile = parseNumerics(text);
    if (!profile)
      stop("ASSAY_NUMERICS", profile.error());
    s.pipeline.numerics = *profile;
  }
  if (const char *text = valueOf("ASSAY_SCHEDULE")) {
    Result<Schedule> schedule = parseSchedule(text);
    if (!schedule)
      stop("ASSAY_SCHEDULE", schedule.error());
    s.dispatch.schedule = *schedule;
  }
  if (const char *text = valueOf("ASSAY_LOCKSTEP"))
    s.pipeline.lockstep = switchOf("ASSAY_LOCKSTEP", text);
  if (const char *text = valueOf("ASSAY_WORKERS"))
    s.dispatch.workers = uint32_t(numberOf("ASSAY_WORKERS", text));
  if (const char *text = valueOf("ASSAY_TIMEOUT"))
    s.dispatch.groupTimeout = std::chrono::seconds(numberOf("ASSAY_TIMEOUT", text));
  if (const char *text = valueOf("ASSAY_THREADGROUP_SLACK"))
    s.threadgroupSlack = numberOf("ASSAY_THREADGROUP_SLACK", text);
  if (const char *text = valueOf("ASSAY_THREAD_SLACK"))
    s.pipeline.threadSlack = uint32_t(numberOf("ASSAY_THREAD_SLACK", text));
  if (const char *text = valueOf("ASSAY_BUFFER_SLACK")) {
    constexpr size_t kAlignment = 256; // every address stays as aligned as it was
    s.bufferSlack = (numberOf("ASSAY_BUFFER_SLACK", text) + kAlignment - 1) / kAlignment * kAlignment;
    s.dispatch.inlineRoom = s.bufferSlack;
    if (s.bufferSlack && valueOf("ASSAY_CHECK"))
      stop("ASSAY_BUFFER_SLACK",
           Error::usage("bad-option", "the checkers judge by the buffers that the host asked for",
                        "unset it, or unset ASSAY_CHECK"));
  }
  if (const char *text = valueOf("ASSAY_CHECK")) {
    Result<CheckRules> checks = CheckRules::parse(text);
    if (!checks)
      stop("ASSAY_CHECK", checks.error());
    s.dispatch.checks = *checks;
    static Suppressions suppressions;
    if (const char *file = valueOf("ASSAY_SUPPRESS")) {
      Result<Suppressions> read = Suppressions::read(file);
      if (!read)
        stop("ASSAY_SUPPRESS", read.error());
      suppressions = std::move(*read);
    }
    const char *const fails = valueOf("ASSAY_CHECK_FAILS");
    s.dispatch.judge = [fails = fails && switchOf("ASSAY_CHECK_FAILS", fails)](const std::string &kernel,
                                                                               std::span<const Finding> all) {
      const std::vector<Finding> left = suppressions.apply({all.begin(), all.end()}).findings;
      printFindings(kernel, left);
      return fails && !left.empty() ? std::optional(failureOf(left)) : std::nullopt;
    };
  }
  if (const char *text = valueOf("ASSAY_TRACE")) {
    static Trace trace(text);
    s.dispatch.finished = [next = s.dispatch.finished](const DispatchRecord &record) {
      if (next)
        next(record);
      trace.write(record);
    };
  }
  s.pipeline.zeroMissingConstants = true;
  s.dispatch.surplusBindings = true; // as Metal, which lets hosts bind what a kernel does not have
  return s;
}

} // namespace

const Settings &settings() {
  static const Settings s = read();
  return s;
}

} // namespace assay::metal
