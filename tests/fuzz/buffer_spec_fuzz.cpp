// The SPECs of --buffer and --out, INDEX=REST, and the options of [[stage_in]]. No file is read or written:
// names of files are parsed and left.
#include "fuzz.h"

#include "cli/buffer_spec.h"
#include "cli/stage_spec.h"
#include "support/files/npy.h"

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

namespace {

uint64_t countOf(const std::vector<uint64_t> &shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count *= extent;
  return count;
}

void buffer(std::string_view spec) {
  if (spec.find(".npy") != spec.npos || spec.ends_with(".bin") ||
      (spec.find('[') != spec.npos && asksForMuch(spec)))
    return;
  const Result<BufferData> data = readBufferSpec(spec);
  if (!acceptedOrExplained(data))
    return;
  const uint64_t bytes = data->type ? scalarTypeInfo(*data->type).bytes : 1;
  require(data->size() == countOf(data->shape) * bytes, "the data has the size of its shape");
  for (const BufferAddress &address : data->addresses)
    require(address.offset + 8 <= data->size() && !address.buffer.empty(), "an address is in the buffer");

  // Written as a file and read again, it is the same.
  OutputSpec npy;
  npy.path = "a.npy";
  const Result<std::string> file =
      outputBytes(npy, *data, data->allBytes(), data->type.value_or(ScalarType::UChar));
  require(bool(file), "every buffer can be written");
  const Result<NpyArray> again = parseNpy(*file, "a.npy");
  require(bool(again), "a written buffer can be read");
  require(again->data == data->allBytes() && again->shape == data->shape,
          "a buffer is read as it was written");
}

void output(std::string_view spec) {
  const Result<OutputSpec> output = parseOutputSpec(spec);
  if (!acceptedOrExplained(output))
    return;
  require(output->path.ends_with(".npy") || output->path.ends_with(".bin"), "an output's name says its form");
  require(!output->raw || output->shape.empty(), "raw bytes have no shape");
  const std::string contents(64, 'x');
  const Result<std::string> bytes =
      outputBytes(*output, {contents, std::nullopt, {64}}, contents, ScalarType::Float);
  if (acceptedOrExplained(bytes) && !output->raw)
    require(bool(parseNpy(*bytes, "a.npy")), "a written buffer can be read");
}

// The text as each option in turn, beside others that are right.
void stageInput(std::string_view text) {
  for (int option = 0; option < 3; ++option) {
    StageInputArguments arguments;
    arguments.attributes = {"0=float3:1"};
    if (option == 0)
      arguments.attributes = {std::string(text)};
    else if (option == 1)
      arguments.layouts = {std::string(text)};
    else
      arguments.indexBuffer = text;
    const Result<std::optional<StageInputDescriptor>> input = parseStageInput(arguments);
    if (!acceptedOrExplained(input))
      continue;
    require(input->has_value(), "an attribute makes a descriptor");
    for (const auto &[index, attribute] : (*input)->attributes) {
      require(index < kAttributeSlots && attribute.bufferIndex < kBufferSlots,
              "indices are ones that there are");
      require(attributeFormatInfo(attribute.format) && (*input)->layouts.contains(attribute.bufferIndex),
              "an attribute has a format and a layout");
    }
    for (const auto &[index, layout] : (*input)->layouts)
      require(layout.stepRate && layout.stepFunction != StepFunction::PerVertex, "a layout is a kernel's");
  }
  acceptedOrExplained(parseStageInRegion(text));
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  buffer(text);
  output(text);
  stageInput(text);
  const Result<IndexedText> indexed = parseIndexed(text, "--buffer", "INDEX=SPEC");
  if (acceptedOrExplained(indexed)) {
    require(indexed->index < kBufferSlots, "an index is one that there is");
    buffer(indexed->rest);
    output(indexed->rest);
  }
  return 0;
}

static const Parser parser("buffer_spec", tryInput);
