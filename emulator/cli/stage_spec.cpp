// See stage_spec.h.
#include "stage_spec.h"

#include "buffer_spec.h"
#include "commands.h"
#include "scalar_text.h"

#include "../host/nearest.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace assay::cli {
namespace {

constexpr const char *kAttributeForm = "INDEX=FORMAT:BUFFER[+OFFSET]";
constexpr const char *kLayoutForm = "BUFFER=STRIDE[,STEP][,rate=N]";

struct StepWord {
  std::string_view word;
  StepFunction step;
};
constexpr StepWord kSteps[] = {{"x", StepFunction::ThreadPositionInGridX},
                               {"y", StepFunction::ThreadPositionInGridY},
                               {"x-indexed", StepFunction::ThreadPositionInGridXIndexed},
                               {"y-indexed", StepFunction::ThreadPositionInGridYIndexed},
                               {"constant", StepFunction::Constant}};

Error bad(std::string_view option, std::string_view text, const std::string &why, std::string hint = {}) {
  return Error::usage("bad-option", fmt::format("{} {}: {}", option, text, why), std::move(hint));
}

// FORMAT:BUFFER[+OFFSET]
Result<AttributeDescriptor> parseAttribute(std::string_view whole, std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos)
    return bad("--attribute", whole, fmt::format("it should be {}", kAttributeForm));
  AttributeDescriptor attribute;
  const std::string name = lowerCase(text.substr(0, colon));
  std::vector<std::string> names;
  for (const AttributeFormatInfo &info : kAttributeFormats) {
    names.push_back(lowerCase(info.name));
    if (names.back() == name)
      attribute.format = info.format;
  }
  if (attribute.format == AttributeFormat::Invalid) {
    const std::string nearest = nearestName(name, names);
    return bad("--attribute", whole, fmt::format("there is no format '{}'", name),
               nearest.empty()
                   ? "formats are those of MTLAttributeFormat in lower case: float3, uchar4normalized"
                   : fmt::format("did you mean {}?", nearest));
  }
  const std::string_view place = text.substr(colon + 1);
  const size_t plus = place.find('+');
  const std::optional<uint64_t> buffer = parseCount(place.substr(0, plus));
  const std::optional<uint64_t> offset = plus == place.npos ? 0 : parseCount(place.substr(plus + 1));
  if (!buffer || !offset)
    return bad("--attribute", whole, fmt::format("it should be {}", kAttributeForm));
  if (*buffer >= kBufferSlots)
    return Error::usage("buffer-index", fmt::format("--attribute {}: index {} is more than the largest, {}",
                                                    whole, *buffer, kBufferSlots - 1));
  attribute.bufferIndex = uint32_t(*buffer);
  attribute.offset = *offset;
  return attribute;
}

// STRIDE[,STEP][,rate=N]
Result<BufferLayoutDescriptor> parseLayout(std::string_view whole, std::string_view text) {
  BufferLayoutDescriptor layout;
  layout.stepFunction = StepFunction::ThreadPositionInGridX;
  bool isFirst = true;
  for (std::string_view rest = text; !rest.empty() || isFirst;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const auto *step = std::ranges::find(kSteps, part, &StepWord::word);
    if (isFirst) {
      const std::optional<uint64_t> stride = parseCount(part);
      if (!stride)
        return bad("--layout", whole, fmt::format("'{}' is not a number of bytes", part),
                   fmt::format("it should be {}", kLayoutForm));
      layout.stride = *stride;
    } else if (step != std::end(kSteps)) {
      layout.stepFunction = step->step;
    } else if (const std::optional<uint64_t> rate =
                   part.starts_with("rate=") ? parseCount(part.substr(5)) : std::nullopt;
               rate && *rate) {
      layout.stepRate = *rate;
    } else {
      return bad("--layout", whole, fmt::format("'{}' says nothing about a layout", part),
                 "STEP is x, y, x-indexed, y-indexed or constant, and N of rate=N is a number from 1 on");
    }
    isFirst = false;
  }
  return layout;
}

// Elements that lie next to each other.
uint64_t packedStride(const StageInputDescriptor &input, uint32_t buffer) {
  uint64_t end = 0;
  for (const auto &[index, attribute] : input.attributes)
    if (attribute.bufferIndex == buffer && attribute.offset < UINT32_MAX)
      end = std::max(end, attribute.offset + attributeFormatInfo(attribute.format)->bytes);
  return (end + 3) / 4 * 4;
}

Result<void> parseIndexBuffer(const std::string &text, StageInputDescriptor &input) {
  const Result<IndexedText> indexed = parseIndexed(text, "--index-buffer", "INDEX=u16 or INDEX=u32");
  if (!indexed)
    return indexed.error();
  if (indexed->rest != "u16" && indexed->rest != "u32")
    return bad("--index-buffer", text, fmt::format("indices are u16 or u32, not '{}'", indexed->rest));
  input.indexBufferIndex = indexed->index;
  input.indexType = indexed->rest == "u16" ? IndexType::UInt16 : IndexType::UInt32;
  return {};
}

} // namespace

void StageInputArguments::addTo(CLI::App &command) {
  addList(command, "--attribute", attributes, kAttributeForm,
          "where [[attribute(INDEX)]] of [[stage_in]] comes from: 0=float3:2+12");
  addList(command, "--layout", layouts, kLayoutForm, "elements of a buffer of attributes: 2=16,x");
  command
      .add_option("--index-buffer", indexBuffer, "the indices of layouts that step x-indexed or y-indexed")
      ->type_name("INDEX=u16|u32");
  command.add_option("--stage-in-region", region, "the threads that have [[stage_in]] data")
      ->type_name("X[,Y[,Z]]:WIDTH[,HEIGHT[,DEPTH]]");
}

Result<std::optional<StageInputDescriptor>> parseStageInput(const StageInputArguments &arguments) {
  if (arguments.attributes.empty()) {
    if (!arguments.layouts.empty() || !arguments.indexBuffer.empty())
      return Error::usage("bad-option",
                          fmt::format("{} is about attributes, and there is no --attribute",
                                      arguments.layouts.empty() ? "--index-buffer" : "--layout"));
    return std::optional<StageInputDescriptor>();
  }
  StageInputDescriptor input;
  for (const std::string &text : arguments.attributes) {
    const Result<IndexedText> indexed =
        parseIndexed(text, "--attribute", kAttributeForm, "attribute", kAttributeSlots);
    if (!indexed)
      return indexed.error();
    const Result<AttributeDescriptor> attribute = parseAttribute(text, indexed->rest);
    if (!attribute)
      return attribute.error();
    if (!input.attributes.emplace(indexed->index, *attribute).second)
      return bad("--attribute", text, fmt::format("attribute {} is given twice", indexed->index));
  }
  for (const std::string &text : arguments.layouts) {
    const Result<IndexedText> indexed = parseIndexed(text, "--layout", kLayoutForm);
    if (!indexed)
      return indexed.error();
    const Result<BufferLayoutDescriptor> layout = parseLayout(text, indexed->rest);
    if (!layout)
      return layout.error();
    if (!packedStride(input, indexed->index))
      return bad("--layout", text, fmt::format("no --attribute is in buffer {}", indexed->index));
    if (!input.layouts.emplace(indexed->index, *layout).second)
      return bad("--layout", text, fmt::format("the layout of buffer {} is given twice", indexed->index));
  }
  for (const auto &[index, attribute] : input.attributes)
    input.layouts.try_emplace(attribute.bufferIndex,
                              BufferLayoutDescriptor{packedStride(input, attribute.bufferIndex),
                                                     StepFunction::ThreadPositionInGridX});
  if (!arguments.indexBuffer.empty())
    if (const Result<void> ok = parseIndexBuffer(arguments.indexBuffer, input); !ok)
      return ok.error();
  return std::optional(std::move(input));
}

Result<StageInRegion> parseStageInRegion(std::string_view text) {
  constexpr std::string_view kOption = "--stage-in-region";
  const size_t colon = text.find(':');
  if (colon == text.npos)
    return bad(kOption, text, "it should be X[,Y[,Z]]:WIDTH[,HEIGHT[,DEPTH]]");
  StageInRegion region;
  std::string_view origin = text.substr(0, colon);
  const Result<Size> size = parseSize(text.substr(colon + 1), kOption);
  if (!size)
    return size.error();
  for (uint32_t &place : region.origin) {
    const std::string_view part = origin.substr(0, origin.find(','));
    const std::optional<uint64_t> number = parseCount(part);
    if (!number || *number > UINT32_MAX)
      return bad(kOption, text, fmt::format("'{}' is not a place in a grid", part));
    place = uint32_t(*number);
    origin.remove_prefix(part.size());
    if (origin.empty())
      break;
    origin.remove_prefix(1);
  }
  if (!origin.empty())
    return bad(kOption, text, "a place has at most three coordinates");
  const uint64_t extents[] = {size->width, size->height, size->depth};
  for (int i = 0; i < 3; ++i) {
    if (extents[i] > UINT32_MAX)
      return bad(kOption, text, fmt::format("{} threads are more than a grid can have", extents[i]));
    region.size[i] = uint32_t(extents[i]);
  }
  return region;
}

StageInputDescriptor anyStageInput(const KernelInfo &kernel) {
  StageInputDescriptor input;
  for (const ArgumentInfo &argument : kernel.arguments)
    if (argument.kind == ArgumentKind::Attribute) {
      const ScalarClass cls = scalarTypeInfo(*argument.element).cls;
      input.attributes[argument.index].format = cls == ScalarClass::Float    ? AttributeFormat::Float
                                                : cls == ScalarClass::Signed ? AttributeFormat::Char
                                                                             : AttributeFormat::UChar;
    }
  input.layouts[0].stepFunction = StepFunction::Constant;
  return input;
}

} // namespace assay::cli
