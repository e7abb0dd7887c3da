// The function tables of `assay run`: visible functions of the file, by name.
#pragma once

#include "output.h"

#include "../host/assay.h"

#include <map>
#include <string>
#include <vector>

namespace assay::cli {

/// Names by buffer index; an empty name is a null entry.
using TablePlan = std::map<uint32_t, std::vector<std::string>>;

/// options   of --table: INDEX=NAME,NAME,..; "-" is a null entry
/// errors    Usage "bad-option", "buffer-index"
Result<TablePlan> planTables(const std::vector<std::string> &options);
/// Every function of a table, once.
///   errors   Usage "unknown-function" (names the nearest); those of Library::newFunction
Result<LinkedFunctions> functionsOf(const TablePlan &plan, const Library &library,
                                    const FunctionConstantValues &constants);
Result<void> bindTables(const TablePlan &plan, const ComputePipeline &pipeline, Bindings &bindings);
void reportTables(Output &out, const TablePlan &plan, const ComputePipeline &pipeline);

} // namespace assay::cli
