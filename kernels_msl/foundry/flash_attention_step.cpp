#include "flash_attention_step.h"

#include "compound_set.h"

#include <fmt/format.h>

#include <tuple>

namespace assay::kernels::foundry {
namespace {

Error error(const char *rule, std::string message, std::string hint = {}) {
  return Error::usage(Rule::own(rule), std::move(message), std::move(hint));
}

Result<void> checkRank(std::string_view name, const TensorView &t, size_t least, size_t most) {
  if (!t.given())
    return error("missing-tensor", fmt::format("{} is missing", name));
  if (t.strides.size() != t.sizes.size())
    return error("stride",
                 fmt::format("{} has {} strides for {} axes", name, t.strides.size(), t.sizes.size()));
  if (t.sizes.size() < least || t.sizes.size() > most)
    return error("tensor-rank",
                 fmt::format("{} has {} axes, the step takes {} to {}", name, t.sizes.size(), least, most));
  return {};
}

/// Rows of [batch, heads, rows, head_dim], [batch, rows, d_model] or [rows, d_model].
int64_t rowsOf(const TensorView &t) {
  return t.size(t.sizes.size() - 2);
}

int64_t keysOf(const FlashAttentionArguments &a) {
  return a.keys.value_or(a.k.rows.sizes.size() >= 2 ? rowsOf(a.k.rows) : 0);
}

/// One row of Q or of the output as [batch, rows, d_model], which decode takes.
Result<TensorView> oneRow(std::string_view name, TensorView t) {
  if (t.sizes.size() == 3)
    return t;
  if (t.sizes.size() == 2) {
    t.strides.insert(t.strides.begin(), t.size(0) * t.stride(0));
    t.sizes.insert(t.sizes.begin(), 1);
    return t;
  }
  const int64_t heads = t.size(1), headDim = t.size(3);
  if (heads > 1 && t.stride(1) != headDim)
    return error("stride", fmt::format("{} is [batch, heads, rows, head_dim] with {} elements between heads; "
                                       "one row of all heads has {}",
                                       name, t.stride(1), headDim));
  t.sizes = {t.size(0), 1, heads * headDim};
  t.strides = {t.stride(0), heads * headDim, t.stride(3)};
  return t;
}

/// The first `keys` of the last axis; shorter ones are for the path to refuse.
void keepKeys(TensorView &t, int64_t keys) {
  if (!t.sizes.empty() && t.sizes.back() > keys)
    t.sizes.back() = keys;
}

Result<void> checkMask(const FlashAttentionArguments &a, int64_t m) {
  if (!a.mask.given())
    return {};
  if (auto checked = checkRank("mask", a.mask, 4, 4); !checked)
    return checked;
  if (a.mask.size(2) != m)
    return error("row-count", fmt::format("mask has {} rows, m is {}", a.mask.size(2), m));
  return {};
}

} // namespace

std::string_view textOf(AttentionPath path) {
  return path == AttentionPath::Decode ? "decode" : "prefill";
}

Result<int64_t> newRows(const FlashAttentionArguments &a) {
  if (auto checked = checkRank("q", a.q, 3, 4); !checked)
    return checked.error();
  if (auto checked = checkRank("out", a.out, 2, 4); !checked)
    return checked.error();
  const int64_t capacity = rowsOf(a.q), places = rowsOf(a.out), m = a.m.value_or(capacity);
  if (m < 1)
    return error("row-count", fmt::format("m is {}, attention takes at least one row", m));
  if (m > capacity)
    return error("row-count", fmt::format("m is {}, q has {} rows", m, capacity));
  if (m > places)
    return error("row-count", fmt::format("m is {}, out has {} rows", m, places));
  if (!a.m && places != capacity)
    return error("row-count", fmt::format("q has {} rows and out {}, and m is not said", capacity, places),
                 "buffers of fixed capacity have more rows than are new: say m");
  return m;
}

Result<FlashDecodeArguments> decodeArguments(const FlashAttentionArguments &a) {
  const Result<int64_t> m = newRows(a);
  if (!m)
    return m.error();
  if (*m != 1)
    return error(
        "decode-rows", fmt::format("decode given {} rows, it takes one", *m),
        "FlashAttentionStep::run takes prefill for several; say m = 1 if one row of the buffer is new");
  FlashDecodeArguments d;
  for (const auto &[name, from, to] : {std::tuple("q", &a.q, &d.q), {"out", &a.out, &d.out}}) {
    Result<TensorView> row = oneRow(name, *from);
    if (!row)
      return row.error();
    *to = std::move(*row);
  }
  d.queries = 1;
  d.k = a.k, d.v = a.v, d.kvLength = keysOf(a), d.kvLengths = a.kvLengths;
  if (a.causal && a.queryStart && *a.queryStart < d.kvLength - 1)
    return error(
        "query-start",
        fmt::format("queryStart is {} of {} keys, decode attends to all of them", *a.queryStart, d.kvLength),
        "say that there are fewer keys");
  if (auto checked = checkMask(a, 1); !checked)
    return checked.error();
  d.padding = a.padding;
  if (a.mask.given()) {
    d.mask = a.mask;
    d.mask.sizes.erase(d.mask.sizes.begin() + 2);
    d.mask.strides.erase(d.mask.strides.begin() + 2);
  }
  d.rope = a.rope, d.scale = a.scale;
  return d;
}

Result<PrefillArguments> prefillArguments(const FlashAttentionArguments &a) {
  const Result<int64_t> m = newRows(a);
  if (!m)
    return m.error();
  if (a.rope)
    return error("prefill-rope", fmt::format("m is {} and rope is given: prefill takes rotated queries", *m),
                 "dispatchPackQueries rotates and packs them");
  if (a.kvLengths.given())
    return error("prefill-lengths",
                 fmt::format("m is {} and kvLengths is given: prefill takes one length for all batches", *m),
                 "padding hides keys of single batches");
  if (auto checked = checkMask(a, *m); !checked)
    return checked.error();
  PrefillArguments p;
  p.q = a.q, p.out = a.out, p.mask = a.mask, p.padding = a.padding;
  for (const auto &[from, typed, quantised] : {std::tuple(&a.k, &p.k, &p.kCache), {&a.v, &p.v, &p.vCache}}) {
    if (from->format)
      *quantised = *from;
    else
      *typed = from->rows;
  }
  p.queries = *m, p.keys = keysOf(a);
  keepKeys(p.mask, *p.keys);
  keepKeys(p.padding, *p.keys);
  p.causal = a.causal, p.queryStart = a.queryStart, p.scale = a.scale;
  return p;
}

FlashAttentionStep::FlashAttentionStep(KernelSet &kernels, Knobs knobs, StepLog listener)
    : kernels_(kernels), compound_(compoundSet(kernels)), knobs_(std::move(knobs)),
      listener_(std::move(listener)), decode_(compound_, knobs_, hearing()),
      prefill_(compound_, knobs_, hearing()) {}

StepLog FlashAttentionStep::hearing() {
  return [this](std::string_view line) { say(line); };
}

void FlashAttentionStep::say(std::string_view line) {
  if (listener_)
    listener_(line);
  log_.emplace_back(line);
}

Result<FlashAttentionReport> FlashAttentionStep::run(const FlashAttentionArguments &a) {
  const Result<int64_t> m = newRows(a);
  if (!m)
    return m.error();
  return runPath(pathFor(*m), *m, a);
}

Result<FlashAttentionReport> FlashAttentionStep::decode(const FlashAttentionArguments &a) {
  const Result<int64_t> m = newRows(a);
  if (!m)
    return m.error();
  return runPath(AttentionPath::Decode, *m, a);
}

Result<FlashAttentionReport> FlashAttentionStep::runPath(AttentionPath path, int64_t m,
                                                         const FlashAttentionArguments &a) {
  FlashAttentionReport report;
  report.path = path, report.m = m, report.keys = keysOf(a);
  compound_.options() = kernels_.options();
  ran_.clear();
  compound_.options().finished = [this](const DispatchRecord &record) {
    ran_.push_back(record.kernel);
    if (kernels_.options().finished)
      kernels_.options().finished(record);
  };
  if (knobs_.debug)
    say(fmt::format("attention: m {} of {} rows, {} keys: {}", m, rowsOf(a.q), report.keys, textOf(path)));
  if (path == AttentionPath::Decode) {
    const Result<FlashDecodeArguments> arguments = decodeArguments(a);
    if (!arguments)
      return arguments.error();
    Result<FlashDecodeReport> ran = decode_.run(*arguments);
    if (!ran)
      return ran.error();
    report.decode = std::move(*ran), report.kernels = ran_;
    return report;
  }
  const Result<PrefillArguments> arguments = prefillArguments(a);
  if (!arguments)
    return arguments.error();
  const Result<PrefillReport> ran = prefill_.run(*arguments);
  if (!ran)
    return ran.error();
  report.prefill = *ran, report.kernels = ran_;
  return report;
}

} // namespace assay::kernels::foundry
