// Prints docs/kernels.md: kernels_page [FOLDER OF KERNELS]
#include "kernels_page.h"

#include <cstdio>
#include <stdexcept>

int main(int count, char **arguments) {
  try {
    const char *kernels = count > 1 ? arguments[1] : ASSAY_SOURCE_DIR "/kernels_msl";
    const auto rows = assay::docs::readKernelRows(kernels);
    const auto examples = assay::docs::readExamples(kernels, rows);
    std::fputs(assay::docs::kernelsPage(rows, examples, assay::docs::readPromises(kernels)).c_str(), stdout);
    return 0;
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "kernels_page: error: %s\n", error.what());
    return 2;
  }
}
