#include "kernels_page.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>

namespace assay::docs {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<const char *, std::string KernelRow::*> kKeys[] = {
    {"name", &KernelRow::name},   {"file", &KernelRow::file},           {"abi", &KernelRow::abi},
    {"exact", &KernelRow::exact}, {"reference", &KernelRow::reference}, {"shapes", &KernelRow::shapes},
    {"error", &KernelRow::error}, {"partner", &KernelRow::partner}};

KernelRow rowOf(const fs::path &file, const toml::table &table) {
  const auto wrong = [&](const std::string &what) {
    return std::runtime_error(fmt::format("{}:{}: {}", file.string(), table.source().begin.line, what));
  };
  KernelRow row;
  for (const auto &[key, member] : kKeys) {
    row.*member = table[key].value_or(std::string());
    if ((row.*member).empty())
      throw wrong(fmt::format("a kernel needs the text '{}'", key));
  }
  if (table.size() != std::size(kKeys))
    throw wrong("a kernel has a key that the page does not show");
  return row;
}

// A cell may hold what Markdown would take for the end of it.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string familyOf(const KernelRow &row) {
  return row.file.substr(0, row.file.find('/'));
}

} // namespace

std::vector<std::string> expandBraces(const std::string &pattern) {
  const size_t open = pattern.find('{'), close = pattern.find('}', open);
  if (open == std::string::npos || close == std::string::npos)
    return {pattern};
  std::vector<std::string> result;
  for (size_t at = open + 1; at <= close;) {
    const size_t end = std::min(pattern.find(',', at), close);
    for (const std::string &rest : expandBraces(pattern.substr(close + 1)))
      result.push_back(pattern.substr(0, open) + pattern.substr(at, end - at) + rest);
    at = end + 1;
  }
  return result;
}

std::vector<std::string> KernelRow::entryPoints() const {
  std::vector<std::string> names;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find(", ", at), name.size());
    for (const std::string &one : expandBraces(name.substr(at, end - at)))
      names.push_back(one);
    at = end + 2;
  }
  return names;
}

std::vector<KernelRow> readKernelRows(const fs::path &kernels) {
  std::vector<fs::path> files;
  for (const fs::directory_entry &family : fs::directory_iterator(kernels))
    if (fs::exists(family.path() / "kernels.toml"))
      files.push_back(family.path() / "kernels.toml");
  std::sort(files.begin(), files.end());
  std::vector<KernelRow> rows;
  for (const fs::path &file : files) {
    const toml::table root =
        toml::parse_file(file.string()); // its error is a std::runtime_error with a place
    const toml::array *entries = root["kernel"].as_array();
    if (!entries || root.size() != 1)
      throw std::runtime_error(file.string() + ": has [[kernel]] entries and nothing else");
    for (const toml::node &entry : *entries)
      rows.push_back(rowOf(file, *entry.as_table()));
  }
  return rows;
}

std::string kernelsPage(const std::vector<KernelRow> &rows) {
  std::string page = "# The kernel systems\n\n"
                     "Generated from `kernels_msl/*/kernels.toml` by `build/bin/kernels_page`; a test "
                     "compares. Each system has its host\n"
                     "dispatchers beside its kernels, its oracles in `tests/kernels/oracles`, its tests in "
                     "`tests/kernels`, and mutants\n"
                     "that those tests must notice in `tests/kernels/mutations` (`scripts/mutations`). "
                     "*Exact* oracles replay the order of\n"
                     "operations and compare bits; *reference* ones are float64 with a bound that is argued "
                     "for, not fitted. \"As\" names a\n"
                     "row above.\n";
  std::string family;
  for (const KernelRow &row : rows) {
    if (familyOf(row) != family) {
      family = familyOf(row);
      page += fmt::format(
          "\n## {}\n\n| kernel | ABI | exact | reference | shapes | error against float64 | partner |\n"
          "|---|---|---|---|---|---|---|\n",
          family);
    }
    page += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", row.name, cell(row.abi), cell(row.exact),
                        cell(row.reference), cell(row.shapes), cell(row.error), cell(row.partner));
  }
  return page;
}

} // namespace assay::docs
