// A list of mutations: each breaks a kernel in one way that its authors feared,
// and names the tests that must notice.
//
//   [[mutation]]
//   name = "the barrier in front of the K tile is gone"
//   file = "attention/flash_attn_prefill.metal"          under kernels_msl
//   find = "threadgroup_barrier(mem_flags::mem_threadgroup);"
//   occurrence = 2                                        of those in the file, from 1; without it there
//                                                         must be one
//   replace = ""
//   tests = "flash_prefill_test:FlashPrefill*Exact*"      program and GoogleTest filter
#pragma once

#include "emulator/support/text/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::mutations {

struct Mutation {
  std::string name;
  std::filesystem::path file;
  std::string find, replace;
  size_t occurrence = 0; ///< from 1; 0: the only one
  std::string program, filter;
  SourcePlace where; ///< of the entry in the list
};

/// errors   Usage, placed in the list: "mutation-list" (TOML's own error, an unknown or missing key, an empty
///          list, find and replace alike, two mutations of one name)
Result<std::vector<Mutation>> readMutations(const std::filesystem::path &list);

/// The text with the mutation made.
///   errors   Usage "mutation-text": the text to find is not there, or not as often as the occurrence asks,
///            or several times without one
Result<std::string> mutate(const std::string &text, const Mutation &mutation);

} // namespace assay::mutations
