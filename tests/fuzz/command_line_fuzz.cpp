// The parts of a command line that Assay reads itself: Apple's options, sizes of grids, function constants.
#include "fuzz.h"

#include "cli/commands.h"
#include "support/text/metal_options.h"

#include <vector>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

namespace {

// One constant of each type and number of components, under a name and an index.
const ModuleInfo &module() {
  static const ModuleInfo module = [] {
    ModuleInfo m;
    for (const ScalarTypeInfo &info : kScalarTypes)
      for (uint32_t components = 1; components <= 4; ++components) {
        FunctionConstantInfo constant;
        constant.name = "n::" + std::string(info.shortName) + "x" + std::to_string(components);
        constant.index = uint32_t(m.functionConstants.size());
        constant.type = info.type;
        constant.components = components;
        m.functionConstants.push_back(constant);
      }
    return m;
  }();
  return module;
}

void constants(const std::vector<std::string> &texts) {
  const Result<FunctionConstantValues> values = parseConstants(texts, module());
  if (!acceptedOrExplained(values))
    return;
  for (const auto &[index, value] : values->byIndex()) {
    const FunctionConstantInfo &constant = module().functionConstants.at(index);
    require(value.type == constant.type && value.components.size() == constant.components,
            "a constant has its type");
    const std::string text = constantText(constant, value), key = std::to_string(index) + "=";
    const std::string printed = key + text.substr(text.find('=') + 2);
    const Result<FunctionConstantValues> again = parseConstants({printed}, module());
    require(bool(again), "a printed constant can be read");
    require(printed.find("nan") != printed.npos || again->byIndex().at(index).components == value.components,
            "a printed constant is read as it was");
  }
}

} // namespace

// Options that Assay's commands have by the same name, and those that they keep to refuse them: `-x cl`, a
// last -arch without a value, the version of a macOS that is no number.
static bool isAssaysToo(MetalOption option) {
  switch (option) {
  case MetalOption::Folder:
  case MetalOption::Define:
  case MetalOption::Undefine:
  case MetalOption::SourceLanguage:
  case MetalOption::System:
  case MetalOption::OldestMac: return true;
  default: return false;
  }
}

// Each line is one argument.
static int tryInput(const uint8_t *data, size_t size) {
  std::vector<std::string> lines;
  for (std::string_view rest = textOf(data, size); !rest.empty() && lines.size() < 64;)
    lines.emplace_back(takeLine(rest));
  for (std::string &line : lines)
    line = line.substr(0, line.find('\0')); // what a process can be given

  std::vector<char *> argv = {const_cast<char *>("assay")};
  for (std::string &line : lines)
    argv.push_back(line.data());
  const std::vector<std::string> arguments = withMetalOptions(int(argv.size()), argv.data());
  require(arguments.size() <= lines.size(), "an argument is left out or becomes one");
  for (const std::string &argument : arguments)
    if (const auto use = findMetalOption(argument))
      require(isAssaysToo(use->option), "Apple's options become Assay's");

  constants(lines);
  for (const std::string &line : lines) {
    const Result<Size> extents = parseSize(line, "--grid");
    if (!acceptedOrExplained(extents))
      continue;
    const std::string printed = std::to_string(extents->width) + "," + std::to_string(extents->height) + "," +
                                std::to_string(extents->depth);
    const Result<Size> again = parseSize(printed, "--grid");
    require(again && again->width == extents->width && again->height == extents->height &&
                again->depth == extents->depth,
            "a printed size is read as it was");
  }
  return 0;
}

static const Parser parser("command_line", tryInput);
