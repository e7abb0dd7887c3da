// .npy files. What is accepted is written again, and read again as the same array.
#include "fuzz.h"

#include "support/files/npy.h"

using namespace assay;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const Result<NpyArray> array = parseNpy(textOf(data, size), "a.npy");
  if (!acceptedOrExplained(array))
    return 0;
  uint64_t count = 1;
  for (uint64_t extent : array->shape)
    count *= extent;
  require(array->count() == count, "there are as many elements as the shape says");
  require(array->data.size() == count * scalarTypeInfo(array->type).bytes,
          "the data has the size of its elements");

  const std::string written = npyBytes(array->type, array->shape, array->data);
  const Result<NpyArray> again = parseNpy(written, "b.npy");
  require(bool(again), "what was written can be read");
  require(again->type == array->type && again->shape == array->shape && again->data == array->data,
          "what was written is read as it was");
  return 0;
}

static const Parser parser("npy", tryInput);
