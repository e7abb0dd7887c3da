#include "run_tables.h"
#include "buffer_spec.h"

#include "../host/nearest.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay::cli {
namespace {

// The commas of template arguments do not separate names.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  if (list.empty())
    return names;
  size_t begin = 0;
  int angles = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) {
      angles += (list[i] == '<') - (list[i] == '>');
      if (list[i] != ',' || angles > 0)
        continue;
    }
    names.emplace_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return names;
}

} // namespace

Result<TablePlan> planTables(const std::vector<std::string> &options) {
  TablePlan plan;
  for (const std::string &text : options) {
    Result<KeyedText> keyed = parseKeyed(text, "--table", "INDEX=NAME,NAME,..", "buffer", kBufferSlots);
    if (!keyed)
      return keyed.error();
    std::vector<std::string> names = split(keyed->rest);
    for (std::string &name : names)
      if (name.empty())
        return Error::usage("bad-option", fmt::format("--table {}: a name is empty", text),
                            "'-' is a null entry");
      else if (name == "-")
        name.clear();
    if (!plan.emplace(keyed->key, std::move(names)).second)
      return Error::usage("bad-option", fmt::format("--table is given twice for {}{}",
                                                    keyed->key.isMember() ? "" : "index ", keyed->key.text));
  }
  return plan;
}

Result<LinkedFunctions> functionsOf(const TablePlan &plan, const Library &library,
                                    const FunctionConstantValues &constants) {
  LinkedFunctions linked;
  std::vector<std::string> known;
  for (const OtherFunctionInfo &other : library.reflection().otherFunctions)
    if (!other.symbol.empty())
      known.push_back(other.name);
  for (const auto &[key, names] : plan)
    for (const std::string &name : names) {
      const auto linkedBefore = [&](const Function &function) { return function.name() == name; };
      if (name.empty() || std::any_of(linked.functions.begin(), linked.functions.end(), linkedBefore))
        continue;
      if (std::find(known.begin(), known.end(), name) == known.end())
        return Error::usage("unknown-function",
                            fmt::format("--table {}: no visible function '{}'", key.text, name),
                            nearestHint(name, known, "visible functions"));
      const Result<Function> function = library.newFunction(name, constants);
      if (!function)
        return function.error();
      linked.functions.push_back(*function);
    }
  return linked;
}

Result<void> bindTables(const TablePlan &plan, const ComputePipeline &pipeline, RunBuffers &buffers,
                        Bindings &bindings) {
  for (const auto &[key, names] : plan) {
    VisibleFunctionTable table = pipeline.newVisibleFunctionTable(names.size());
    for (size_t i = 0; i < names.size(); ++i)
      for (const Function &function : pipeline.options().linkedFunctions.functions) {
        if (function.name() != names[i])
          continue;
        const Result<FunctionHandle> handle = pipeline.functionHandle(function);
        if (!handle)
          return handle.error();
        if (Result<void> set = table.setFunction(*handle, i); !set)
          return set;
      }
    if (!key.isMember()) {
      bindings.functionTables[key.slot] = table;
      continue;
    }
    const Result<MemberPlace> place = memberAt(pipeline, buffers, "--table", key.text, MemberKind::Table);
    if (!place)
      return place.error();
    writeMember(*place, table.gpuAddress());
    bindings.usedTables.push_back(table);
  }
  return {};
}

void reportTables(Output &out, const TablePlan &plan, const ComputePipeline &pipeline) {
  if (plan.empty())
    return;
  Json tables = Json::array();
  for (const auto &[key, names] : plan) {
    Json functions = Json::array();
    std::string list;
    for (const std::string &name : names) {
      functions.push_back(name.empty() ? Json(nullptr) : Json(name));
      list += fmt::format("{}{}", list.empty() ? "" : ", ", name.empty() ? "null" : name);
    }
    if (key.isMember()) {
      out.text(fmt::format("table {}: {}", key.text, list));
      tables.push_back({{"name", key.text}, {"functions", std::move(functions)}});
      continue;
    }
    for (const ArgumentInfo &argument : pipeline.activeArguments())
      if (argument.kind == ArgumentKind::FunctionTable && argument.index == key.slot) {
        out.text(fmt::format("table {:<3} {}: {}", argument.index, argument.name, list));
        tables.push_back(
            {{"index", argument.index}, {"name", argument.name}, {"functions", std::move(functions)}});
        break;
      }
  }
  out.document()["tables"] = std::move(tables);
}

} // namespace assay::cli
