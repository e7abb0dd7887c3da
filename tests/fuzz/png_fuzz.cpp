// PNG files. What is accepted is written again, and read again as the same picture.
#include "fuzz.h"

#include "cli/png_file.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

static int tryInput(const uint8_t *data, size_t size) {
  const Result<PngImage> image = parsePng(textOf(data, size), "a.png");
  if (!acceptedOrExplained(image))
    return 0;
  require(image->channels == 1 || image->channels == 2 || image->channels == 4, "channels are 1, 2 or 4");
  require(image->numbers.size() == image->rowBytes() * image->height,
          "the numbers have the size of the rows");
  if (image->numbers.size() > 65536)
    return 0;
  const Result<PngImage> again = parsePng(pngBytes(*image), "b.png");
  require(bool(again), "what was written can be read");
  require(again->width == image->width && again->channels == image->channels && again->type == image->type &&
              again->numbers == image->numbers,
          "what was written is read as it was");
  return 0;
}

static const Parser parser("png", tryInput);
