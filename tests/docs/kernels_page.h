// docs/kernels.md, made of the kernels.toml and the example.md that lie beside the kernels of a system, and
// of kernels_msl/promises.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::docs {

struct KernelRow {
  std::string name; ///< of entry points, as a shell would write them: "copy_{f32,f16}, fill"
  std::string file; ///< under kernels_msl
  std::string abi, exact, reference, shapes, error, partner;
  std::vector<std::string> entryPoints() const; ///< in full
};

/// The rows of every kernels.toml under the folder, family by family.
/// Throws std::runtime_error with the place of what is wrong: TOML, an unknown key, a missing or empty value.
std::vector<KernelRow> readKernelRows(const std::filesystem::path &kernels);

/// A worked example, in Markdown.
struct Example {
  std::string family, text;
};
/// The example.md of each family that has rows. Throws std::runtime_error for one that has none.
std::vector<Example> readExamples(const std::filesystem::path &kernels, const std::vector<KernelRow> &rows);

/// Text and tables of the last chapter, in Markdown. Throws std::runtime_error if there are none.
std::string readPromises(const std::filesystem::path &kernels);

std::string kernelsPage(const std::vector<KernelRow> &rows, const std::vector<Example> &examples,
                        const std::string &promises);

/// "a{b,c}d{,e}" gives abd, abde, acd, acde; no nesting.
std::vector<std::string> expandBraces(const std::string &pattern);

} // namespace assay::docs
