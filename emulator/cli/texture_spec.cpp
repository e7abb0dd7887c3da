#include "texture_spec.h"

#include "buffer_spec.h"
#include "output.h"
#include "picture_texels.h"
#include "scalar_text.h"

#include "../host/nearest.h"
#include "../support/files/npy.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace assay::cli {
namespace {

constexpr const char *kForms = "a SPEC is zeros:FORMAT[d0,d1,..], poison:FORMAT[..], rand:FORMAT[..][:SEED], "
                               "FORMAT[..]:v0,v1,.., FILE.npy[:FORMAT], FILE.png[:FORMAT] or null";

Error badSpec(std::string_view spec, std::string_view reason, std::string hint = kForms) {
  return Error::usage("bad-spec", fmt::format("'{}': {}", spec, reason), std::move(hint));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

Result<PixelFormat> parseFormat(std::string_view spec, std::string_view name) {
  std::vector<std::string> names;
  for (const PixelFormatInfo &info : kPixelFormats) {
    if (formatName(info.format) == lower(name))
      return info.format;
    names.push_back(formatName(info.format));
  }
  const std::string nearest = nearestName(lower(name), names);
  return Error::usage("pixel-format", fmt::format("'{}': no pixel format '{}'", spec, name),
                      nearest.empty() ? "formats are Metal's names: r32float, rgba8unorm, rg16uint, .."
                                      : fmt::format("did you mean '{}'?", nearest));
}

uint64_t product(const std::vector<uint64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), uint64_t(1), std::multiplies<>());
}

/// The axis of channels, or nothing for one channel and for packed formats.
std::vector<uint64_t> channelAxis(const PixelFormatInfo &format) {
  return format.isArray() && format.channelCount() > 1 ? std::vector<uint64_t>{format.channelCount()}
                                                       : std::vector<uint64_t>{};
}

// FORMAT[d0,d1,..] and the text after it.
struct FormatAndShape {
  PixelFormat format;
  std::string shape; ///< with brackets, channels added
  std::string_view rest;
};
Result<FormatAndShape> parseFormatAndShape(std::string_view spec, std::string_view text) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == text.npos || close == text.npos || close < open)
    return badSpec(spec, "the shape is missing", "for example zeros:rgba8unorm[480,640]: height, then width");
  const Result<PixelFormat> format = parseFormat(spec, text.substr(0, open));
  if (!format)
    return format.error();
  FormatAndShape result{*format, std::string(text.substr(open, close - open)), text.substr(close + 1)};
  for (uint64_t channels : channelAxis(*pixelFormatInfo(*format)))
    result.shape += fmt::format(",{}", channels);
  result.shape += "]";
  return result;
}

Result<TextureSpec> fromBufferSpec(std::string_view spec, PixelFormat format, const std::string &bufferSpec) {
  Result<BufferData> data = readBufferSpec(bufferSpec);
  if (!data)
    return data.error();
  if (!data->type) // TYPE:v0,v1;TYPE:v2
    return badSpec(spec, "the values are of several types", "a texture has one: r32float[2,2]:1,2,3,4");
  return TextureSpec{.text = std::string(spec),
                     .format = format,
                     .type = *data->type,
                     .shape = std::move(data->shape),
                     .bytes = data->allBytes()};
}

std::string storageName(PixelFormat format) {
  return std::string(scalarTypeInfo(pixelFormatInfo(format)->storage()).shortName);
}

Result<TextureSpec> literals(std::string_view spec) {
  Result<FormatAndShape> what = parseFormatAndShape(spec, spec);
  if (!what)
    return what.error();
  if (!what->rest.starts_with(':'))
    return badSpec(spec, "the values are missing", "for example r32float[2,2]:1,2,3,4");
  const std::string type = storageName(what->format);
  Result<TextureSpec> result = fromBufferSpec(spec, what->format, type + std::string(what->rest));
  const Result<BufferData> shape = readBufferSpec("zeros:" + type + what->shape);
  if (!result || !shape)
    return result ? shape.error() : result.error();
  if (result->bytes.size() != shape->size())
    return badSpec(spec,
                   fmt::format("{} values are given, {} needs {}", product(result->shape),
                               shapeText(shape->shape), product(shape->shape)),
                   "");
  result->shape = shape->shape;
  return result;
}

// FILE.npy or FILE.npy:FORMAT
struct FileAndFormat {
  std::string file;
  std::string_view format; ///< empty: none
};
std::optional<FileAndFormat> fileAndFormat(std::string_view spec, std::string_view ending) {
  const size_t at = spec.rfind(ending);
  if (at == spec.npos)
    return std::nullopt;
  const size_t end = at + ending.size();
  if (end == spec.size())
    return FileAndFormat{std::string(spec), {}};
  return spec[end] == ':'
             ? std::optional(FileAndFormat{std::string(spec.substr(0, end)), spec.substr(end + 1)})
             : std::nullopt;
}

Result<TextureSpec> picture(std::string_view spec, const FileAndFormat &file) {
  Result<PngImage> image = readPng(file.file);
  if (!image)
    return image.error();
  TextureSpec result{.text = std::string(spec), .type = image->type, .shape = {image->height, image->width}};
  if (file.format.empty()) {
    result.bytes = std::move(image->numbers);
    if (image->channels > 1)
      result.shape.push_back(image->channels);
    return result;
  }
  const Result<PixelFormat> format = parseFormat(spec, file.format);
  if (!format)
    return format.error();
  const PixelFormatInfo &info = *pixelFormatInfo(*format);
  Result<std::string> texels = texelsOf(*image, info, spec);
  if (!texels)
    return texels.error();
  result.format = *format;
  result.type = info.storage();
  for (uint64_t channels : channelAxis(info))
    result.shape.push_back(channels);
  result.bytes = std::move(*texels);
  return result;
}

// By the type of the numbers and the type that the kernel reads.
std::optional<PixelFormat> formatFor(ScalarType type, ScalarType element, uint64_t channels) {
  const ScalarTypeInfo &info = scalarTypeInfo(type);
  const bool floats = scalarTypeInfo(element).cls == ScalarClass::Float;
  for (const PixelFormatInfo &format : kPixelFormats) {
    const bool kindFits =
        info.cls == ScalarClass::Float ? format.kind == PixelKind::Float
        : floats ? format.kind == (info.cls == ScalarClass::Signed ? PixelKind::Snorm : PixelKind::Unorm)
                 : format.kind == (info.cls == ScalarClass::Signed ? PixelKind::Sint : PixelKind::Uint);
    const bool inOrder = format.channels[0].bits && format.channels[0].first == 0;
    if (kindFits && format.isArray() && inOrder && !format.isDepth() && format.channelCount() == channels &&
        format.storage() == type)
      return format.format;
  }
  return std::nullopt;
}

// Makes a descriptor of the extents without channels; false if there are too many or too few.
bool describe(const std::vector<uint64_t> &shape, TextureType textureType, TextureDescriptor &d) {
  const TextureTypeInfo &type = textureTypeInfo(textureType);
  size_t axis = 0;
  const size_t needed = size_t(type.coordinates) + type.arrayed + (type.faces > 1) + type.multisampled;
  if (shape.size() != needed)
    return false;
  d.textureType = textureType;
  if (type.arrayed)
    d.arrayLength = shape[axis++];
  if (type.faces > 1 && shape[axis++] != type.faces)
    return false;
  if (type.coordinates > 2)
    d.depth = shape[axis++];
  if (type.coordinates > 1)
    d.height = shape[axis++];
  d.width = shape[axis++];
  if (type.multisampled)
    d.sampleCount = shape[axis];
  return true;
}

std::string axesOf(TextureType textureType) {
  const TextureTypeInfo &type = textureTypeInfo(textureType);
  std::string text = type.arrayed ? "layers," : "";
  text += type.faces > 1 ? "6," : "";
  text += type.coordinates > 2 ? "depth," : "";
  text += type.coordinates > 1 ? "height," : "";
  return "[" + text + "width" + (type.multisampled ? ",samples" : "") + "]";
}

uint64_t slicesOf(const Texture &texture) {
  return texture.arrayLength() * textureTypeInfo(texture.textureType()).faces;
}
Region wholeOf(const Texture &t) {
  return Region::Make3D(0, 0, 0, t.width(), t.height(), t.depth());
}
uint64_t sliceBytes(const Texture &t) {
  return t.width() * t.height() * t.depth() * t.sampleCount() * pixelFormatInfo(t.pixelFormat())->bytes;
}

} // namespace

std::string formatName(PixelFormat format) {
  return lower(pixelFormatInfo(format)->name);
}

Result<TextureSpec> readTextureSpec(std::string_view spec) {
  if (spec == "null")
    return TextureSpec{.text = std::string(spec), .null = true};
  const size_t colon = spec.find(':');
  const std::string_view prefix = spec.substr(0, colon);
  if (colon != spec.npos && (prefix == "zeros" || prefix == "poison" || prefix == "rand")) {
    const Result<FormatAndShape> what = parseFormatAndShape(spec, spec.substr(colon + 1));
    if (!what)
      return what.error();
    return fromBufferSpec(
        spec, what->format,
        fmt::format("{}:{}{}{}", prefix, storageName(what->format), what->shape, what->rest));
  }
  if (const std::optional<FileAndFormat> png = fileAndFormat(spec, ".png"))
    return picture(spec, *png);
  if (const std::optional<FileAndFormat> npy = fileAndFormat(spec, ".npy")) {
    Result<NpyArray> array = readNpy(npy->file);
    if (!array)
      return array.error();
    TextureSpec result{.text = std::string(spec),
                       .type = array->type,
                       .shape = std::move(array->shape),
                       .bytes = std::move(array->data)};
    if (npy->format.empty())
      return result;
    const Result<PixelFormat> format = parseFormat(spec, npy->format);
    if (!format)
      return format.error();
    result.format = *format;
    return result;
  }
  if (spec.find('[') != spec.npos)
    return literals(spec);
  return badSpec(spec, "not a form of texture that is known");
}

Result<Texture> makeTexture(const Device &device, const TextureSpec &spec, const TextureUse &use,
                            const std::string &user) {
  const TextureTypeInfo &type = textureTypeInfo(use.type);
  const size_t axes = size_t(type.coordinates) + type.arrayed + (type.faces > 1) + type.multisampled;
  const std::string needed = fmt::format("{} needs {} and channels", user, axesOf(use.type));
  std::vector<uint64_t> shape = spec.shape;
  const uint64_t channels = shape.size() == axes + 1 ? shape.back() : 1;
  std::optional<PixelFormat> format = spec.format;
  if (!format)
    format = formatFor(spec.type, use.element.value_or(ScalarType::Float), channels);
  if (!format)
    return Error::usage("texture-shape",
                        fmt::format("'{}': no pixel format has {} channels of {} for {}", spec.text, channels,
                                    scalarTypeInfo(spec.type).metalName, user),
                        "name the format: FILE.npy:FORMAT");
  const PixelFormatInfo &info = *pixelFormatInfo(*format);
  if (shape.size() == axes + 1 && channels == (info.isArray() ? info.channelCount() : 1))
    shape.pop_back();
  else if (shape.size() != axes || !channelAxis(info).empty())
    return Error::usage("texture-shape",
                        fmt::format("'{}' has shape {}, {} ({} of {})", spec.text, shapeText(spec.shape),
                                    needed, info.isArray() ? info.channelCount() : 1, formatName(*format)));
  TextureDescriptor d;
  d.pixelFormat = *format;
  d.usage = TextureUsage::ShaderReadWrite;
  if (!describe(shape, use.type, d))
    return Error::usage("texture-shape",
                        fmt::format("'{}' has shape {}, {}", spec.text, shapeText(spec.shape), needed));
  const ScalarTypeInfo &storage = scalarTypeInfo(info.storage());
  if (scalarTypeInfo(spec.type).bytes != storage.bytes)
    return Error::usage("texture-shape", fmt::format("'{}' has elements of {}, {} has {}", spec.text,
                                                     scalarTypeInfo(spec.type).metalName, formatName(*format),
                                                     storage.metalName));
  Result<Texture> texture = device.newTexture(d);
  if (!texture)
    return texture.error();
  for (uint64_t slice = 0; slice < slicesOf(*texture); ++slice)
    if (Result<void> done = texture->replaceRegion(wholeOf(*texture), 0, slice,
                                                   spec.bytes.data() + slice * sliceBytes(*texture), 0, 0);
        !done)
      return done.error();
  return texture;
}

TextureArray textureArray(const Texture &texture) {
  const PixelFormatInfo &format = *pixelFormatInfo(texture.pixelFormat());
  const TextureTypeInfo &type = textureTypeInfo(texture.textureType());
  TextureArray array{format.storage(), {}, std::string(slicesOf(texture) * sliceBytes(texture), '\0')};
  if (type.arrayed)
    array.shape.push_back(texture.arrayLength());
  if (type.faces > 1)
    array.shape.push_back(type.faces);
  if (type.coordinates > 2)
    array.shape.push_back(texture.depth());
  if (type.coordinates > 1)
    array.shape.push_back(texture.height());
  array.shape.push_back(texture.width());
  if (type.multisampled)
    array.shape.push_back(texture.sampleCount());
  for (uint64_t channels : channelAxis(format))
    array.shape.push_back(channels);
  for (uint64_t slice = 0; slice < slicesOf(texture); ++slice)
    (void)texture.getBytes(array.bytes.data() + slice * sliceBytes(texture), 0, 0, wholeOf(texture), 0,
                           slice);
  return array;
}

// ---- samplers ----

namespace {

struct SamplerWord {
  std::string_view group, word;
  uint32_t number;
};
constexpr SamplerWord kSamplerWords[] = {
#define ASSAY_SAMPLER_OPTION(group, metal, host, number) {#group, #metal, number},
#include "msl_shim/detail/sampler_options.def"
};

void set(SamplerDescriptor &d, std::string_view group, uint32_t number) {
  const auto address = SamplerAddressMode(number);
  const auto filter = SamplerMinMagFilter(number);
  if (group == "coord")
    d.normalizedCoordinates = number == 0;
  if (group == "address" || group == "s_address")
    d.sAddressMode = address;
  if (group == "address" || group == "t_address")
    d.tAddressMode = address;
  if (group == "address" || group == "r_address")
    d.rAddressMode = address;
  if (group == "filter" || group == "min_filter")
    d.minFilter = filter;
  if (group == "filter" || group == "mag_filter")
    d.magFilter = filter;
  if (group == "mip_filter")
    d.mipFilter = SamplerMipFilter(number);
  if (group == "compare_func")
    d.compareFunction = CompareFunction(number);
  if (group == "border_color")
    d.borderColor = SamplerBorderColor(number);
}

// NAME=NUMBER
Result<void> setNumber(SamplerDescriptor &d, std::string_view text, std::string_view option) {
  const size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals), number = option.substr(equals + 1);
  const std::vector<std::string> names = {"lod_min_clamp", "lod_max_clamp", "max_anisotropy"};
  if (std::find(names.begin(), names.end(), name) == names.end())
    return badSpec(text, fmt::format("'{}' is no option of a sampler that has a number", name),
                   nearestHint(name, names, "options"));
  float value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size())
    return badSpec(text, fmt::format("'{}' is no number", number), fmt::format("for example {}=2", name));
  if (name == "max_anisotropy" && !(value >= 1 && value <= 16 && value == std::floor(value)))
    return badSpec(text, fmt::format("max_anisotropy {} is no whole number in 1..16", number), "");
  if (name == "max_anisotropy")
    d.maxAnisotropy = uint32_t(value);
  else
    (name == "lod_min_clamp" ? d.lodMinClamp : d.lodMaxClamp) = value;
  return {};
}

// s_address has the words of address, min_filter the words of filter.
std::string_view groupOf(std::string_view asked) {
  if (asked == "s_address" || asked == "t_address" || asked == "r_address")
    return "address";
  return asked == "min_filter" || asked == "mag_filter" ? "filter" : asked;
}

} // namespace

Result<SamplerState> parseSampler(const Device &device, std::string_view text) {
  SamplerDescriptor descriptor;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    if (option.find('=') != option.npos) {
      if (Result<void> ok = setNumber(descriptor, text, option); !ok)
        return ok.error();
      continue;
    }
    const size_t colons = option.find("::");
    const std::string_view group = colons == option.npos ? "" : option.substr(0, colons),
                           word = colons == option.npos ? option : option.substr(colons + 2);
    const SamplerWord *found = nullptr;
    std::vector<std::string> words;
    for (const SamplerWord &known : kSamplerWords) {
      words.emplace_back(known.word);
      if (!found && known.word == word && (group.empty() || known.group == groupOf(group)))
        found = &known;
    }
    if (!found)
      return badSpec(text, fmt::format("'{}' is no option of a sampler", option),
                     nearestHint(word, words, "options"));
    set(descriptor, group.empty() ? found->group : group, found->number);
  }
  return device.newSamplerState(descriptor);
}

} // namespace assay::cli
