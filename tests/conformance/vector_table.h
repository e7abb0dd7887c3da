// The table of hardware vectors as data: hardware_vectors.tsv and the exceptions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::conformance {

struct Vector {
  std::string id, op, type;
  std::set<std::string> modes;                    ///< of "safe", "relaxed", "fast"
  std::set<std::string> contracts;                ///< of "off", "on", "fast", "runtime"
  std::vector<std::vector<std::string>> operands; ///< each a list of words; a scalar is a list of one
  std::string result, confidence, source, samples;
  std::string operandText; ///< as in the table
};

struct VectorTable {
  std::vector<Vector> vectors;
  std::map<std::string, std::string> sources; ///< by key
};

struct Exceptions {
  std::map<std::string, std::string> reasonOf; ///< vector → key of a reason
  std::map<std::string, std::string> reasons;
};

/// The files beside this source. Problems with their form are failures of the calling test.
const VectorTable &vectorTable();
const Exceptions &vectorExceptions();

/// "v*3,w" as its words.
std::vector<std::string> expandList(const std::string &text);

/// Bits of a table's word.
uint64_t bitsOf(const std::string &word);

/// Whether `bits` are what a table's result says: that word, or "nan" for any NaN of the type.
bool isResult(const std::string &expected, uint64_t bits, unsigned bytes);

} // namespace assay::conformance
