#include "vector_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace assay::conformance {
namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

// Calls `row(fields)` for each line, comments apart; `#word key text` goes to `notes`.
template <class Row>
void readTable(const std::string &name, std::map<std::string, std::string> &notes, Row row) {
  std::ifstream file(std::string(ASSAY_CONFORMANCE_DIR) + "/" + name);
  EXPECT_TRUE(file) << name;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("# ") || line == "#")
      continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (line[0] == '#')
      notes[fields[0].substr(fields[0].find(' ') + 1)] = fields.at(1);
    else
      row(fields);
  }
}

} // namespace

std::vector<std::string> expandList(const std::string &text) {
  std::vector<std::string> words;
  for (const std::string &part : split(text, ',')) {
    const size_t star = part.find('*');
    words.insert(words.end(), star == part.npos ? 1 : std::stoul(part.substr(star + 1)),
                 part.substr(0, star));
  }
  return words;
}

uint64_t bitsOf(const std::string &word) {
  return std::stoull(word, nullptr, 16);
}

bool isResult(const std::string &expected, uint64_t bits, unsigned bytes) {
  if (expected != "nan")
    return bitsOf(expected) == bits;
  return bytes == 4 ? (bits & 0x7fffffff) > 0x7f800000 : (bits & 0x7fff) > 0x7c00;
}

const VectorTable &vectorTable() {
  static const VectorTable table = [] {
    VectorTable t;
    readTable("hardware_vectors.tsv", t.sources, [&](std::vector<std::string> f) {
      if (f.size() < 9) {
        ADD_FAILURE() << f.at(0) << " has " << f.size() << " columns";
        return;
      }
      f.resize(10);
      Vector v{f[0], f[1], f[2], {}, {}, {}, f[6], f[7], f[8], f[9], f[5]};
      const auto modes =
          f[3] == "any" ? std::vector<std::string>{"safe", "relaxed", "fast"} : split(f[3], ',');
      v.modes.insert(modes.begin(), modes.end());
      const auto contracts = split(f[4], ',');
      v.contracts.insert(contracts.begin(), contracts.end());
      for (const std::string &operand : split(f[5], ' '))
        v.operands.push_back(expandList(operand));
      EXPECT_TRUE(t.sources.count(v.source)) << v.id;
      t.vectors.push_back(std::move(v));
    });
    return t;
  }();
  return table;
}

const Exceptions &vectorExceptions() {
  static const Exceptions exceptions = [] {
    Exceptions e;
    readTable("hardware_vectors_exceptions.tsv", e.reasons, [&](const std::vector<std::string> &f) {
      EXPECT_TRUE(e.reasonOf.emplace(f.at(0), f.at(1)).second) << f[0];
      EXPECT_TRUE(e.reasons.count(f.at(1))) << f[1];
    });
    return e;
  }();
  return exceptions;
}

} // namespace assay::conformance
