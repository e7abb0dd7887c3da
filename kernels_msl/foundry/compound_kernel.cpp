#include "compound_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace assay::kernels::foundry {
namespace {

using Slot = StageArgument::Slot;

Error error(const char *rule, std::string message, std::string hint = {}) {
  return Error::usage(Rule::own(rule), std::move(message), std::move(hint));
}

/// "stage 2, RopeStage,"
std::string placeOf(std::span<const Stage> stages, size_t i) {
  return fmt::format("stage {}, {},", i + 1, stages[i].name);
}

bool isIdentifier(std::string_view name) {
  const auto letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  return !name.empty() && (letter(name[0]) || name[0] == '_') &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

const StageValue *find(const std::vector<StageValue> &values, const std::string &name) {
  const auto it = std::find_if(values.begin(), values.end(), [&](const auto &v) { return v.name == name; });
  return it == values.end() ? nullptr : &*it;
}

/// Everything that is taken has been left, and what must be taken is.
Result<void> checkValues(std::span<const Stage> stages) {
  for (size_t i = 0; i < stages.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (stages[j].name == stages[i].name)
        return error("stage-twice",
                     fmt::format("{} is there already, as stage {}", placeOf(stages, i), j + 1));
  for (size_t i = 0; i < stages.size(); ++i)
    for (const StageValue &left : stages[i].leaves)
      for (size_t j = 0; j < i; ++j)
        if (find(stages[j].leaves, left.name))
          return error("stage-twice", fmt::format("{} leaves '{}', as stage {}, {}, does", placeOf(stages, i),
                                                  left.name, j + 1, stages[j].name));
  for (size_t i = 0; i < stages.size(); ++i)
    for (const StageValue &taken : stages[i].takes) {
      size_t by = 0;
      while (by < stages.size() && !find(stages[by].leaves, taken.name))
        ++by;
      if (by == stages.size())
        return error("stage-missing",
                     fmt::format("{} takes '{}', which no stage leaves", placeOf(stages, i), taken.name));
      if (by >= i)
        return error("stage-order", fmt::format("{} takes '{}', which stage {}, {}, leaves only after it",
                                                placeOf(stages, i), taken.name, by + 1, stages[by].name));
      if (const StageValue &left = *find(stages[by].leaves, taken.name); left.type != taken.type)
        return error("stage-type",
                     fmt::format("{} takes '{}' as '{}', stage {}, {}, leaves '{}'", placeOf(stages, i),
                                 taken.name, taken.type, by + 1, stages[by].name, left.type));
    }
  for (size_t i = 0; i < stages.size(); ++i)
    for (const StageValue &left : stages[i].leaves)
      if (left.mustBeTaken && std::none_of(stages.begin() + i + 1, stages.end(),
                                           [&](const Stage &later) { return find(later.takes, left.name); }))
        return error("stage-untaken", fmt::format("{} leaves '{}', which no stage after it takes",
                                                  placeOf(stages, i), left.name));
  return {};
}

std::string slotText(const StageArgument &a) {
  switch (a.slot) {
  case Slot::Buffer: return fmt::format("buffer({})", a.index);
  case Slot::Threadgroup: return fmt::format("threadgroup({})", a.index);
  case Slot::Builtin: break;
  }
  return a.attribute;
}

/// An argument of the kernel and the first stage that asks for it.
struct Merged {
  StageArgument argument;
  size_t stage;
};

/// All arguments, each once.
Result<std::vector<Merged>> mergeArguments(std::span<const Stage> stages) {
  std::vector<Merged> all;
  for (size_t i = 0; i < stages.size(); ++i)
    for (const StageArgument &a : stages[i].arguments) {
      bool known = false;
      for (const Merged &m : all) {
        const StageArgument &b = m.argument;
        const std::string first = fmt::format("stage {}, {}", m.stage + 1, stages[m.stage].name);
        const std::string second = fmt::format("stage {}, {}", i + 1, stages[i].name);
        if (a.name == b.name) {
          if (a.type != b.type)
            return error("stage-type", fmt::format("'{}' is '{}' in {}, and '{}' in {}", a.name, b.type,
                                                   first, a.type, second));
          if (slotText(a) != slotText(b))
            return error("stage-slot", fmt::format("'{}' is {} in {}, and {} in {}", a.name, slotText(b),
                                                   first, slotText(a), second));
          if (a.condition != b.condition)
            return error("stage-condition",
                         fmt::format("'{}' is there {} in {}, and {} in {}", a.name,
                                     b.condition.empty() ? "always" : "with " + b.condition, first,
                                     a.condition.empty() ? "always" : "with " + a.condition, second));
          known = true;
        } else if (a.slot != Slot::Builtin && slotText(a) == slotText(b)) {
          return error("stage-slot", fmt::format("{} is '{}' in {}, and '{}' in {}", slotText(a), b.name,
                                                 first, a.name, second));
        }
      }
      if (!known)
        all.push_back({a, i});
    }
  std::stable_sort(all.begin(), all.end(), [](const Merged &a, const Merged &b) {
    return std::pair(a.argument.slot, a.argument.index) < std::pair(b.argument.slot, b.argument.index);
  });
  return all;
}

Result<uint32_t> mostThreads(std::span<const Stage> stages) {
  size_t by = stages.size();
  for (size_t i = 0; i < stages.size(); ++i)
    if (stages[i].mostThreads != 0) {
      if (by != stages.size() && stages[by].mostThreads != stages[i].mostThreads)
        return error("stage-threads",
                     fmt::format("{} is for {} threads, stage {}, {}, for {}", placeOf(stages, i),
                                 stages[i].mostThreads, by + 1, stages[by].name, stages[by].mostThreads));
      by = i;
    }
  return by == stages.size() ? 0 : stages[by].mostThreads;
}

/// Each line of the text with two spaces before it.
void indent(std::string &out, std::string_view text) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);)
    out += "  " + line + "\n";
}

/// "device T *" and "q" as "device T *q", "uint" and "i" as "uint i".
std::string declared(const std::string &type, const std::string &name) {
  return type + (type.ends_with('*') || type.ends_with('&') ? "" : " ") + name;
}
std::string declared(const StageArgument &a) {
  const std::string text = declared(a.type, a.name);
  if (a.condition.empty())
    return fmt::format("{} [[{}]]", text, slotText(a));
  return fmt::format("{} [[{}, function_constant({})]]", text, slotText(a), a.condition);
}

std::string header(std::string_view name, std::span<const Stage> stages) {
  std::string list;
  for (const Stage &stage : stages)
    list += (list.empty() ? "" : ", ") + stage.name;
  std::string text = fmt::format("// {}: {}.\n"
                                 "// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the "
                                 "threadgroup's position in the grid.\n",
                                 name, list);
  std::set<std::string> included;
  for (const Stage &stage : stages)
    for (const std::string &file : stage.headers)
      if (included.insert(file).second)
        text += fmt::format("#include \"{}\"\n", file);
  return text + "\n";
}

} // namespace

Result<std::string> composeKernel(std::string_view name, std::span<const Stage> stages) {
  if (!isIdentifier(name))
    return error("compound-name", fmt::format("'{}' cannot be a kernel's name", name));
  if (stages.empty())
    return error("compound-empty", fmt::format("kernel {} has no stage", name));
  if (auto checked = checkValues(stages); !checked)
    return checked.error();
  const Result<std::vector<Merged>> arguments = mergeArguments(stages);
  if (!arguments)
    return arguments.error();
  const Result<uint32_t> threads = mostThreads(stages);
  if (!threads)
    return threads.error();

  std::string text = header(name, stages);
  text += *threads == 0 ? "kernel void "
                        : fmt::format("[[kernel, max_total_threads_per_threadgroup({})]] void ", *threads);
  text += fmt::format("{}(\n", name);
  for (const Merged &m : *arguments)
    text += fmt::format("    {}{}\n", declared(m.argument), &m == &arguments->back() ? ") {" : ",");
  for (size_t i = 0; i < stages.size(); ++i) {
    text += fmt::format("{}  // {}: {}\n", i == 0 ? "" : "\n", stages[i].name, stages[i].purpose);
    for (const std::string &statement : stages[i].statements)
      indent(text, statement);
    for (const StageValue &left : stages[i].leaves)
      if (!left.value.empty() && std::any_of(stages.begin() + i + 1, stages.end(), [&](const Stage &later) {
            return find(later.takes, left.name);
          }))
        text += fmt::format("  {} = {};\n", declared(left.type, left.name), left.value);
  }
  return text + "}\n";
}

namespace {

/// The name in `#include "name"`, or nothing.
std::string includedFile(const std::string &line) {
  constexpr std::string_view start = "#include \"";
  const size_t end = line.find('"', start.size());
  return line.starts_with(start) && end != std::string::npos ? line.substr(start.size(), end - start.size())
                                                             : "";
}

Result<void> paste(std::string_view text, const std::filesystem::path &folder, std::set<std::string> &pasted,
                   std::string &out) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line == "#pragma once")
      continue;
    const std::string file = includedFile(line);
    if (file.empty()) {
      out += line + "\n";
      continue;
    }
    if (!pasted.insert(file).second)
      continue;
    std::ifstream in(folder / file, std::ios::binary);
    std::ostringstream contents;
    contents << in.rdbuf();
    if (!in)
      return error("compound-header", fmt::format("cannot read {}", (folder / file).string()));
    out += fmt::format("// ---- {} ----\n", file);
    if (auto done = paste(contents.str(), folder, pasted, out); !done)
      return done;
    out += fmt::format("// ---- end of {} ----\n\n", file);
  }
  return {};
}

} // namespace

Result<std::string> pasteHeaders(std::string_view text, const std::filesystem::path &folder) {
  std::string out;
  std::set<std::string> pasted;
  if (auto done = paste(text, folder, pasted, out); !done)
    return done.error();
  return out;
}

} // namespace assay::kernels::foundry
