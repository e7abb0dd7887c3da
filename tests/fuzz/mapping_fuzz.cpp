// Mapping files of `assay diff`: TOML, its expressions, and the layouts that come from it. Mappings of small
// tensors are also laid out, and read back.
#include "fuzz.h"

#include "cli/diff/mapping.h"
#include "cli/diff/placed_output.h"
#include "support/abi/limits.h"

#include <cmath>

using namespace assay;
using namespace assay::cli;
using namespace assay::fuzz;
using namespace assay::cli::diff;

namespace {

constexpr uint64_t kMostElements = 4096; // of a tensor that is laid out

uint64_t countOf(const std::vector<uint64_t> &shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count *= extent;
  return count;
}

void check(const Placement &place, const std::vector<uint64_t> &logical) {
  require(place.buffer < kBufferSlots, "a placement is in a buffer that there is");
  require(place.shape.size() == logical.size() && place.strides.size() == logical.size() &&
              place.fold.size() == logical.size(),
          "a placement has the axes of its tensor");
  const uint64_t bytes = scalarTypeInfo(place.type).bytes;
  require(byteOffset(place, logical, 0) == place.offset * bytes, "the first element is at the offset");
  require(byteOffset(place, logical, countOf(logical) - 1) < place.end() * bytes,
          "the last element is inside");
}

bool small(const SideMapping &side) {
  for (const auto *places : {&side.inputs, &side.outputs})
    for (const auto &[name, place] : *places)
      if (place.end() > kMostElements || countOf(place.shape) > kMostElements)
        return false;
  return true;
}

void layOutAndGather(const Mapping &mapping) {
  std::map<std::string, BufferData> inputs;
  for (const LogicalInput &input : mapping.inputs) {
    if (!input.values || countOf(input.shape) > kMostElements)
      return; // a SPEC, which may be a file; buffer_spec_fuzz.cpp is for them
    const Result<BufferData> bytes = makeInput(input);
    require(bool(bytes), "values can be made");
    require(bytes->size() == countOf(input.shape) * scalarTypeInfo(input.type).bytes,
            "an input has its shape");
    inputs[input.name] = *bytes;
  }
  for (const SideMapping &side : mapping.sides) {
    if (!small(side))
      return;
    const Result<LaidOut> laidOut = layOut(mapping, side, inputs);
    if (!acceptedOrExplained(laidOut))
      return;
    for (const auto &[name, place] : side.outputs) {
      const LogicalOutput &output = *mapping.output(name);
      const Image &image = laidOut->images.at(place.buffer);
      const ScalarType type = comparedAs(output, place.type, place.type);
      const Result<PlacedOutput> placed =
          PlacedOutput::make(output, place, {image.bytes.text(), image.given.text()}, type);
      require(bool(placed), "a buffer that was laid out holds its outputs");
      require(placed->read(0, placed->count()).bytes.size() ==
                  countOf(output.shape) * scalarTypeInfo(type).bytes,
              "an output has its shape");
    }
  }
}

} // namespace

// A first line "--set NAME=VALUE" is an argument of the command line.
static int tryInput(const uint8_t *data, size_t size) {
  std::string_view text = textOf(data, size);
  std::vector<std::string> sets;
  while (text.starts_with("--set "))
    sets.emplace_back(takeLine(text).substr(6));
  const Result<Mapping> mapping = parseMapping(text, "folder/mapping.toml", sets);
  if (!acceptedOrExplained(mapping))
    return 0;
  require(!mapping->outputs.empty(), "there is something to compare");
  for (const auto &[name, value] : mapping->sizes)
    require(std::isfinite(value), "a size is a number");
  for (const SideMapping &side : mapping->sides) {
    for (const auto &[name, place] : side.inputs) {
      require(mapping->input(name), "a placed input exists");
      check(place, mapping->input(name)->shape);
    }
    for (const auto &[name, place] : side.outputs) {
      require(mapping->output(name), "a placed output exists");
      check(place, mapping->output(name)->shape);
    }
  }
  layOutAndGather(*mapping);
  return 0;
}

static const Parser parser("mapping", tryInput);
