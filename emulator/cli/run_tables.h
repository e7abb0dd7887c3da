// The function tables of `assay run`: visible functions of the file, by name, at an index or in a member of
// an argument buffer.
#pragma once

#include "argument_member.h"
#include "output.h"

#include "../host/assay.h"

#include <map>
#include <string>
#include <vector>

namespace assay::cli {

/// Names of functions; an empty name is a null entry.
using TablePlan = std::map<BindingKey, std::vector<std::string>>;

/// options   of --table: INDEX=NAME,NAME,.. or ARGUMENT.MEMBER=NAME,..; "-" is a null entry
/// errors    Usage "bad-option", "buffer-index"
Result<TablePlan> planTables(const std::vector<std::string> &options);
/// Every function of a table, once.
///   errors   Usage "unknown-function" (names the nearest); those of Library::newFunction
Result<LinkedFunctions> functionsOf(const TablePlan &plan, const Library &library,
                                    const FunctionConstantValues &constants);
/// Writes the numbers of tables into the argument buffers among `buffers`.
///   errors   those of argument_member.h
Result<void> bindTables(const TablePlan &plan, const ComputePipeline &pipeline, RunBuffers &buffers,
                        Bindings &bindings);
void reportTables(Output &out, const TablePlan &plan, const ComputePipeline &pipeline);

} // namespace assay::cli
