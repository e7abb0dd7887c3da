// See stage_fetch.h.
#include "stage_fetch.h"

#include "../runtime/texel.h"
#include "../support/abi/stage_input_abi.h"
#include "../support/numbers/float_bits.h"
#include "../support/process/sparse_pages.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <string_view>

namespace assay::detail {
namespace {

bool isFloat(const ArgumentInfo &attribute) {
  return scalarTypeInfo(*attribute.element).cls == ScalarClass::Float;
}

std::string textOf(const ArgumentInfo &attribute) {
  return fmt::format("attribute {} '{}'", attribute.index, attribute.name);
}

bool isIndexed(StepFunction step) {
  return step == StepFunction::ThreadPositionInGridXIndexed ||
         step == StepFunction::ThreadPositionInGridYIndexed;
}

// 0: along x, 1: along y; null: it is one value for all threads.
std::optional<uint32_t> axisOf(StepFunction step) {
  switch (step) {
  case StepFunction::ThreadPositionInGridX:
  case StepFunction::ThreadPositionInGridXIndexed: return 0;
  case StepFunction::ThreadPositionInGridY:
  case StepFunction::ThreadPositionInGridYIndexed: return 1;
  default: return std::nullopt;
  }
}

// Why the format cannot become the kernel's type; empty if it can.
std::string_view misfit(const AttributeFormatInfo &format, const ArgumentInfo &attribute) {
  if (isFloat(attribute))
    return {};
  if (!format.texel.isInteger())
    return format.isNormalized() ? "a normalized format becomes a float or a half"
                                 : "a format of floats becomes a float or a half";
  const ScalarTypeInfo &type = scalarTypeInfo(*attribute.element);
  if ((format.texel.kind == PixelKind::Sint) != (type.cls == ScalarClass::Signed))
    return "signed integers stay signed, and unsigned ones unsigned";
  if (format.texel.channels[0].bits > type.bytes * 8)
    return "integers cannot become smaller";
  return {};
}

BufferLayoutDescriptor layoutOf(const StageInputDescriptor &descriptor, uint32_t buffer) {
  const auto found = descriptor.layouts.find(buffer);
  return found == descriptor.layouts.end() ? BufferLayoutDescriptor() : found->second;
}

Result<void> checkLayout(const KernelInfo &kernel, const ArgumentInfo &attribute,
                         const StageInputDescriptor &descriptor, uint32_t buffer) {
  const BufferLayoutDescriptor layout = layoutOf(descriptor, buffer);
  const auto refused = [&](std::string what, std::string hint) {
    return Error::usage("stage-input",
                        fmt::format("kernel '{}': {} comes from buffer index {}, {}", kernel.name,
                                    textOf(attribute), buffer, what),
                        std::move(hint));
  };
  if (!axisOf(layout.stepFunction) && layout.stepFunction != StepFunction::Constant)
    return refused(
        fmt::format("whose layout has the step function {}, of vertex functions", int(layout.stepFunction)),
        "the layouts of a kernel are constant (0), or step along x (5, indexed 7) or y (6, "
        "indexed 8)");
  if (!layout.stepRate && layout.stepFunction != StepFunction::Constant)
    return refused("whose layout has the step rate 0", "an element stays the same for at least one thread");
  if (isIndexed(layout.stepFunction) && descriptor.indexBufferIndex >= kBufferSlots)
    return refused(fmt::format("whose indices come from buffer index {}", descriptor.indexBufferIndex),
                   fmt::format("buffers have indices 0 to {}", kBufferSlots - 1));
  return {};
}

Result<void> checkAttribute(const KernelInfo &kernel, const ArgumentInfo &attribute,
                            const StageInputDescriptor &descriptor) {
  const auto refused = [&](std::string what, std::string hint) {
    return Error::usage(
        "stage-input",
        fmt::format("kernel '{}' has {} ({}), {}", kernel.name, textOf(attribute), attribute.type, what),
        std::move(hint));
  };
  const auto found = descriptor.attributes.find(attribute.index);
  if (found == descriptor.attributes.end() || found->second.format == AttributeFormat::Invalid)
    return refused(
        "the stage input descriptor has no format for it",
        fmt::format("set the format, the offset and the buffer index of attribute {}", attribute.index));
  const AttributeFormatInfo *format = attributeFormatInfo(found->second.format);
  if (!format)
    return refused(fmt::format("the descriptor has the format {}", int(found->second.format)),
                   "there is no such MTLAttributeFormat");
  if (const std::string_view why = misfit(*format, attribute); !why.empty())
    return refused(fmt::format("which cannot be read from {}", format->name), std::string(why));
  if (found->second.bufferIndex >= kBufferSlots)
    return refused(fmt::format("the descriptor takes it from buffer index {}", found->second.bufferIndex),
                   fmt::format("buffers have indices 0 to {}", kBufferSlots - 1));
  return checkLayout(kernel, attribute, descriptor, found->second.bufferIndex);
}

} // namespace

Result<void> checkStageInput(const KernelInfo &kernel, const std::vector<ArgumentInfo> &active,
                             const std::optional<StageInputDescriptor> &descriptor) {
  for (const ArgumentInfo &argument : active) {
    if (argument.kind != ArgumentKind::Attribute)
      continue;
    if (!descriptor)
      return Error::usage("stage-input",
                          fmt::format("kernel '{}' takes [[stage_in]] ({}), and the pipeline has no "
                                      "descriptor of it",
                                      kernel.name, textOf(argument)),
                          "MTLComputePipelineDescriptor.stageInputDescriptor, PipelineOptions::stageInput "
                          "or --attribute say where attributes come from");
    if (Result<void> ok = checkAttribute(kernel, argument, *descriptor); !ok)
      return ok;
  }
  if (kernel.takesStageInput() && !kernel.stageInputSlot())
    return Error::usage("unsupported",
                        fmt::format("kernel '{}' has arguments in all {} slots of buffers and [[stage_in]], "
                                    "which needs one here",
                                    kernel.name, kBufferSlots));
  return {};
}

std::vector<StageBuffer> stageBuffers(const std::vector<ArgumentInfo> &active,
                                      const StageInputDescriptor &descriptor) {
  std::vector<StageBuffer> all;
  const auto add = [&](uint32_t index, std::string what) {
    if (std::ranges::find(all, index, &StageBuffer::index) == all.end())
      all.push_back({index, std::move(what)});
  };
  for (const ArgumentInfo &argument : active) {
    if (argument.kind != ArgumentKind::Attribute)
      continue;
    const uint32_t buffer = descriptor.attributes.at(argument.index).bufferIndex;
    add(buffer, textOf(argument));
    if (isIndexed(layoutOf(descriptor, buffer).stepFunction))
      add(descriptor.indexBufferIndex, "the indices of [[stage_in]]");
  }
  return all;
}

namespace {

// A number of elements or bytes that hosts choose freely.
using Wide = unsigned __int128;

std::string text(Wide number) {
  return number > UINT64_MAX ? std::string("over 2^64") : fmt::format("{}", uint64_t(number));
}

class Fetch {
public:
  Fetch(const KernelInfo &kernel, const ArgumentInfo &attribute, const StageInput &input)
      : kernel_(kernel), attribute_(attribute), input_(input),
        place_(input.descriptor.attributes.at(attribute.index)),
        layout_(layoutOf(input.descriptor, place_.bufferIndex)),
        format_(*attributeFormatInfo(place_.format)) {}

  /// The values of all threads from the first column or row on. Those outside of the region keep their bytes.
  ///   to   the place of the first one; each takes attribute.pointeeBytes
  Result<void> into(uint8_t *to, uint64_t count) const {
    const std::optional<uint32_t> axis = axisOf(layout_.stepFunction);
    if (axis && input_.region)
      count = std::min<uint64_t>(count, input_.region->size[*axis]);
    for (uint64_t i = 0; i < count; ++i, to += attribute_.pointeeBytes) {
      const Result<uint32_t> element = axis ? elementOf(i, *axis) : 0u;
      if (!element)
        return element.error();
      const Wide at = Wide(*element) * layout_.stride + place_.offset;
      const BufferAbi &buffer = input_.buffers[place_.bufferIndex];
      if (at + format_.bytes > buffer.bytes)
        return outside(format_.bytes, at, place_.bufferIndex,
                       fmt::format("{} of {}", textOf(attribute_), threads(i)));
      convert(buffer.base + uint64_t(at), to);
    }
    return {};
  }

private:
  Result<uint32_t> elementOf(uint64_t thread, uint32_t axis) const {
    const uint64_t step = thread / layout_.stepRate;
    const uint32_t origin = input_.region ? input_.region->origin[axis] : 0;
    if (!isIndexed(layout_.stepFunction))
      return origin + uint32_t(step);
    const uint32_t bytes = input_.descriptor.indexType == IndexType::UInt16 ? 2 : 4;
    const BufferAbi &indices = input_.buffers[input_.descriptor.indexBufferIndex];
    if (Wide(step + 1) * bytes > indices.bytes)
      return outside(bytes, Wide(step) * bytes, input_.descriptor.indexBufferIndex,
                     fmt::format("the index of {}", threads(thread)));
    uint32_t index = 0; // little-endian, as all of Metal's memory
    std::memcpy(&index, indices.base + step * bytes, bytes);
    return origin + index;
  }

  std::string threads(uint64_t thread) const {
    const std::optional<uint32_t> axis = axisOf(layout_.stepFunction);
    return axis ? fmt::format("threads whose {} in the grid is {}", "xy"[*axis], thread)
                : std::string("all threads");
  }

  Error outside(uint32_t bytes, Wide at, uint32_t slot, const std::string &what) const {
    return Error::kernel(
        "out-of-bounds",
        fmt::format("[[stage_in]] of kernel '{}': read of {} byte{} at byte {} of buffer({}),"
                    " which has {} bytes: {}",
                    kernel_.name, bytes, bytes == 1 ? "" : "s", text(at), slot, input_.buffers[slot].bytes,
                    what),
        kernel_.where, "setStageInRegion says which threads have [[stage_in]] data");
  }

  void convert(const uint8_t *from, uint8_t *to) const {
    uint8_t memory[16] = {};
    std::memcpy(memory, from, format_.bytes);
    uint32_t words[4];
    runtime::decodeTexel(format_.texel, memory, words);
    const bool half = attribute_.element == ScalarType::Half;
    if (isFloat(attribute_) && format_.texel.isInteger())
      for (uint32_t &word : words)
        word = std::bit_cast<uint32_t>(format_.texel.kind == PixelKind::Sint ? float(int32_t(word))
                                                                             : float(word));
    else if (half)
      runtime::keepForHalves(format_.texel, words);
    const uint32_t bytes = scalarTypeInfo(*attribute_.element).bytes;
    for (uint32_t c = 0; c < attribute_.components; ++c) {
      const uint32_t value = half ? halfFromFloat(std::bit_cast<float>(words[c])) : words[c];
      std::memcpy(to + c * bytes, &value, bytes); // the low bytes of an integer
    }
  }

  const KernelInfo &kernel_;
  const ArgumentInfo &attribute_;
  const StageInput &input_;
  const AttributeDescriptor &place_;
  const BufferLayoutDescriptor layout_;
  const AttributeFormatInfo &format_;
};

constexpr uint64_t kValueAlignment = 16;

// The place of an attribute's values in the table. An argument that does not exist has one value, of zeros.
struct Place {
  const ArgumentInfo *attribute;
  bool exists;
  uint64_t count;
  StageAttributeAbi record;
};

Place placeOf(const ArgumentInfo &attribute, const std::vector<ArgumentInfo> &active, const StageInput &input,
              uint32_t columns, uint32_t rows) {
  Place place{
      &attribute, std::ranges::find(active, attribute.name, &ArgumentInfo::name) != active.end(), 1, {}};
  if (!place.exists)
    return place;
  const uint32_t buffer = input.descriptor.attributes.at(attribute.index).bufferIndex;
  if (const auto axis = axisOf(layoutOf(input.descriptor, buffer).stepFunction)) {
    place.count = *axis == 0 ? columns : rows;
    (*axis == 0 ? place.record.columnStride : place.record.rowStride) = attribute.pointeeBytes;
  }
  return place;
}

} // namespace

Result<StageTable> fetchStageInput(const KernelInfo &kernel, const std::vector<ArgumentInfo> &active,
                                   const StageInput &input, uint32_t columns, uint32_t rows) {
  std::vector<Place> places;
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Attribute)
      places.push_back(placeOf(argument, active, input, columns, rows));
  StageTable table;
  table.bytes = places.size() * sizeof(StageAttributeAbi);
  for (Place &place : places) {
    place.record.first = (table.bytes + kValueAlignment - 1) / kValueAlignment * kValueAlignment;
    table.bytes = place.record.first + place.count * place.attribute->pointeeBytes;
  }
  try {
    const std::shared_ptr<std::byte> memory = allocatePages(table.bytes); // zeros
    table.memory = {memory, reinterpret_cast<uint8_t *>(memory.get())};
  } catch (const std::bad_alloc &) {
    return Error::usage(
        "out-of-memory",
        fmt::format("kernel '{}': the values of [[stage_in]] for {} x {} threads take {} bytes", kernel.name,
                    columns, rows, table.bytes));
  }
  uint8_t *record = table.memory.get();
  for (const Place &place : places) {
    std::memcpy(record, &place.record, sizeof place.record);
    record += sizeof place.record;
    if (!place.exists)
      continue;
    if (Result<void> ok =
            Fetch(kernel, *place.attribute, input).into(table.memory.get() + place.record.first, place.count);
        !ok)
      return ok.error();
  }
  return table;
}

} // namespace assay::detail
