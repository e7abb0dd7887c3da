#include "kernels_page.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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

// Lines of at most 110 columns; those after the first begin with `indent`.
std::string wrapped(const std::string &text, const std::string &indent) {
  constexpr size_t kColumns = 110;
  std::string page, line;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line != indent && line.size() + 1 + word.size() > kColumns) {
      page += line + "\n";
      line = indent;
    }
    line += (line.empty() || line == indent ? "" : " ") + word;
    at = end + 1;
  }
  return page + line + "\n";
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

std::vector<Example> readExamples(const fs::path &kernels, const std::vector<KernelRow> &rows) {
  std::vector<Example> examples;
  for (const KernelRow &row : rows) {
    if (!examples.empty() && examples.back().family == familyOf(row))
      continue;
    const fs::path path = kernels / familyOf(row) / "example.md";
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw std::runtime_error(path.string() + ": a family needs a worked example");
    examples.push_back({familyOf(row), {std::istreambuf_iterator<char>(file), {}}});
  }
  return examples;
}

std::string readPromises(const fs::path &kernels) {
  std::ifstream file(kernels / "promises.md", std::ios::binary);
  if (!file)
    throw std::runtime_error((kernels / "promises.md").string() + ": no such file");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string kernelsPage(const std::vector<KernelRow> &rows, const std::vector<Example> &examples,
                        const std::string &promises) {
  std::string page =
      "# The kernel systems\n\n" +
      wrapped("The kernels of `kernels_msl/`: an example of each family, then each kernel with its "
              "arguments, what "
              "it is compared with and how near it comes. The last chapter names the test for each promise "
              "of the "
              "documents that the kernels were written after. `build/bin/kernels_page` prints this page from "
              "`kernels_msl/*/kernels.toml`, `kernels_msl/*/example.md` and `kernels_msl/promises.md`, and a "
              "test "
              "compares.",
              "") +
      "\n## Worked examples\n\n" +
      wrapped("Here is one dispatch of each family from the command line. A C++ program takes "
              "`find_package(Assay COMPONENTS kernels)`, links `Assay::kernels` and includes "
              "`<assay/kernels.h>`. It calls dispatchers, which check their arguments, choose the constants "
              "and the grid, and run the kernel. `tests/host/consumer/kernels.cpp` is such a program; it "
              "calls each system.",
              "");
  for (const Example &example : examples)
    page += fmt::format("\n### {}\n\n{}", example.family, example.text);
  page +=
      "\n## How they are judged\n\n" +
      wrapped(
          "The dispatchers of a system lie beside its kernels. Its tests are in `tests/kernels`, and the "
          "oracles that these compare with in `tests/kernels/oracles`. `scripts/mutations` changes the "
          "kernels in the ways that `tests/kernels/mutations` lists, and the tests must notice each "
          "change. An *exact* oracle computes the same operations in the same order, and all bits must "
          "be equal. A *reference* oracle computes in float64; the error must stay within a bound that is "
          "derived, not fitted.",
          "") +
      "\n" +
      wrapped(
          "Each chapter below is a family. Its table names the kernels, with variants in braces as a shell "
          "expands them, and says for which numerics profiles an exact oracle has the same bits. Then come, "
          "for each kernel:",
          "") +
      "\n" +
      wrapped("- *ABI*: the arguments by their index, the function constants, and the grid: the "
              "threadgroups, then "
              "the threads of each;",
              "  ") +
      wrapped("- *reference*: the reference oracle, and where its bound comes from;", "  ") +
      wrapped("- *shapes*: the sizes, layouts and inputs of the tests;", "  ") +
      wrapped("- *error against float64*: the largest error of the tests, and how large that is beside the "
              "bound;",
              "  ") +
      wrapped(
          "- *partner*: the kernel of another project that does the same, and whether the outputs have been "
          "compared.",
          "  ") +
      "\n" + wrapped("\"As\" refers to a kernel above.", "");
  for (size_t i = 0; i < rows.size(); ++i) {
    const KernelRow &row = rows[i];
    if (i == 0 || familyOf(rows[i - 1]) != familyOf(row)) {
      page += fmt::format("\n## {}\n\n| kernel | source | bits equal an exact oracle's |\n|---|---|---|\n",
                          familyOf(row));
      for (size_t k = i; k < rows.size() && familyOf(rows[k]) == familyOf(row); ++k)
        page += fmt::format("| `{}` | {} | {} |\n", rows[k].name, cell(rows[k].file), cell(rows[k].exact));
    }
    page += fmt::format("\n### `{}`\n\n", row.name);
    for (const auto &[what, text] : {std::pair("ABI", &row.abi),
                                     {"reference", &row.reference},
                                     {"shapes", &row.shapes},
                                     {"error against float64", &row.error},
                                     {"partner", &row.partner}})
      page += wrapped(fmt::format("- {}: {}", what, *text), "  ");
  }
  return page + "\n## What the documents promise\n\n" + promises;
}

} // namespace assay::docs
