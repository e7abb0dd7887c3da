#include "texture_spec.h"

#include "buffer_spec.h"
#include "output.h"
#include "picture_files.h"
#include "picture_texels.h"
#include "scalar_text.h"

#include "../host/mipmaps.h"
#include "../host/nearest.h"
#include "../support/files/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace assay::cli {
namespace {

constexpr const char *kForms = "a SPEC is zeros:FORMAT[d0,d1,..], poison:FORMAT[..], rand:FORMAT[..][:SEED], "
                               "FORMAT[..]:v0,v1,.., FILE.npy[:FORMAT], FILE.png[:FORMAT] or null";
constexpr std::string_view kRest = "...="; // of the levels

Error badSpec(std::string_view spec, std::string_view reason, std::string hint = kForms) {
  return Error::usage("bad-spec", fmt::format("'{}': {}", spec, reason), std::move(hint));
}

Result<PixelFormat> parseFormat(std::string_view spec, std::string_view name) {
  std::vector<std::string> names;
  for (const PixelFormatInfo &info : kPixelFormats) {
    if (formatName(info.format) == lowerCase(name))
      return info.format;
    names.push_back(formatName(info.format));
  }
  const std::string nearest = nearestName(lowerCase(name), names);
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

std::string kindOf(const PngImage &image) {
  return fmt::format("{} x {} texels of {} x {} bits", image.width, image.height, image.channels,
                     scalarTypeInfo(image.type).bytes * 8);
}

// The pictures of one texture, one after the other.
Result<TextureSpec> pictures(std::string_view spec, const FileAndFormat &named) {
  const std::vector<std::string> files = picturesToRead(named.file);
  std::optional<PixelFormat> format;
  if (!named.format.empty()) {
    const Result<PixelFormat> parsed = parseFormat(spec, named.format);
    if (!parsed)
      return parsed.error();
    format = *parsed;
  }
  TextureSpec result{.text = std::string(spec), .format = format, .pictures = files.size()};
  std::string first; // what the others have to be, too
  for (const std::string &file : files) {
    Result<PngImage> image = readPng(file);
    if (!image)
      return image.error();
    if (first.empty()) {
      first = kindOf(*image);
      result.shape = {image->height, image->width};
      result.type = format ? pixelFormatInfo(*format)->storage() : image->type;
      if (const auto axis =
              format ? channelAxis(*pixelFormatInfo(*format)) : std::vector<uint64_t>{image->channels};
          !axis.empty() && axis[0] > 1)
        result.shape.push_back(axis[0]);
    } else if (kindOf(*image) != first) {
      return Error::usage("texture-shape",
                          fmt::format("'{}' has {}, '{}' has {}", file, kindOf(*image), files[0], first),
                          "the pictures of one level are alike");
    }
    Result<std::string> texels = format ? texelsOf(*image, *pixelFormatInfo(*format), spec)
                                        : Result<std::string>(std::move(image->numbers));
    if (!texels)
      return texels.error();
    result.bytes += *texels;
  }
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

// The axes in front of a picture's own. False: the type has no place for so many.
bool addAxes(uint64_t pictures, TextureType textureType, std::vector<uint64_t> &shape) {
  const TextureTypeInfo &type = textureTypeInfo(textureType);
  std::vector<uint64_t> axes;
  uint64_t rest = pictures;
  if (type.arrayed)
    axes.push_back(rest /= type.faces);
  if (type.faces > 1)
    axes.push_back(type.faces);
  if (type.coordinates > 2)
    axes.push_back(rest);
  shape.insert(shape.begin(), axes.begin(), axes.end());
  return product(axes) == pictures;
}

// What addAxes takes.
std::string picturesFor(TextureType textureType) {
  const TextureTypeInfo &type = textureTypeInfo(textureType);
  if (type.faces > 1)
    return fmt::format("6 faces{}: +x, -x, +y, -y, +z, -z", type.arrayed ? " for each layer" : "");
  return "1 picture";
}

uint64_t slicesOf(const Texture &texture) {
  return texture.arrayLength() * textureTypeInfo(texture.textureType()).faces;
}
Region wholeOf(const Texture &t, uint64_t n) {
  const TextureView view = t.view();
  const TextureLevel &level = view.levels[n];
  return Region::Make3D(0, 0, 0, level.width, level.height, level.depth);
}
uint64_t sliceBytes(const Texture &t, uint64_t n) {
  const Size size = wholeOf(t, n).size;
  return size.width * size.height * size.depth * t.sampleCount() * pixelFormatInfo(t.pixelFormat())->bytes;
}

Result<void> fillLevel(Texture &texture, uint64_t level, std::string_view bytes) {
  const uint64_t size = sliceBytes(texture, level);
  for (uint64_t slice = 0; slice < slicesOf(texture); ++slice)
    if (Result<void> done =
            texture.replaceRegion(wholeOf(texture, level), level, slice, bytes.data() + slice * size, 0, 0);
        !done)
      return done;
  return {};
}

// Levels from `given` on, each from the one before.
Result<void> filterLevels(const Texture &texture, uint64_t given) {
  const Result<Texture> view =
      texture.newTextureView(texture.pixelFormat(), texture.textureType(),
                             {given - 1, texture.mipmapLevelCount() + 1 - given}, {0, slicesOf(texture)});
  if (!view)
    return view.error();
  if (Result<void> ok = detail::canHaveMipmaps(*view); !ok)
    return ok;
  detail::generateMipmaps(*view);
  return {};
}

// ...=box, ...=zeros:3
Result<void> otherLevels(std::string_view spec, std::string_view rest, TextureSpec &texture) {
  const size_t colon = rest.find(':');
  const std::string_view word = rest.substr(0, colon);
  const std::pair<std::string_view, OtherLevels> words[] = {
      {"box", OtherLevels::Box}, {"zeros", OtherLevels::Zeros}, {"poison", OtherLevels::Poison}};
  for (const auto &[name, others] : words)
    if (word == name)
      texture.others = others;
  if (texture.others == OtherLevels::None)
    return badSpec(spec, fmt::format("{}{}: the levels that are left out cannot be this", kRest, word),
                   "...=box is means of the level before, ...=zeros and ...=poison are what they say");
  if (colon == rest.npos)
    return {};
  const std::string_view number = rest.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), texture.levels);
  if (error != std::errc() || end != number.data() + number.size() || !texture.levels)
    return badSpec(spec, fmt::format("'{}' is not a number of levels", number),
                   fmt::format("for example {}{}:4, four levels in all", kRest, word));
  if (texture.levels <= texture.smaller.size())
    return badSpec(
        spec,
        fmt::format("{} levels are given, {} are asked for", texture.smaller.size() + 1, texture.levels),
        "the number counts all levels");
  return {};
}

} // namespace

std::string formatName(PixelFormat format) {
  return lowerCase(pixelFormatInfo(format)->name);
}

namespace {

Result<TextureSpec> readLevel(std::string_view spec) {
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
    return pictures(spec, *png);
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

// The texture of one level, as if it were the only one.
Result<TextureDescriptor> descriptorOf(const TextureSpec &spec, const TextureUse &use,
                                       const std::string &user) {
  const TextureTypeInfo &type = textureTypeInfo(use.type);
  const size_t axes = size_t(type.coordinates) + type.arrayed + (type.faces > 1) + type.multisampled;
  const std::string needed = fmt::format("{} needs {} and channels", user, axesOf(use.type));
  std::vector<uint64_t> shape = spec.shape;
  if (spec.pictures && !addAxes(spec.pictures, use.type, shape))
    return Error::usage("texture-shape",
                        fmt::format("'{}' is {} picture{}, {} needs {}", spec.text, spec.pictures,
                                    spec.pictures == 1 ? "" : "s", user, picturesFor(use.type)));
  const std::vector<uint64_t> whole = shape;
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
                        fmt::format("'{}' has shape {}, {} ({} of {})", spec.text, shapeText(whole), needed,
                                    info.isArray() ? info.channelCount() : 1, formatName(*format)));
  TextureDescriptor d;
  d.pixelFormat = *format;
  d.usage = TextureUsage::ShaderReadWrite;
  if (!describe(shape, use.type, d))
    return Error::usage("texture-shape",
                        fmt::format("'{}' has shape {}, {}", spec.text, shapeText(whole), needed));
  const ScalarTypeInfo &storage = scalarTypeInfo(info.storage());
  if (scalarTypeInfo(spec.type).bytes != storage.bytes)
    return Error::usage("texture-shape", fmt::format("'{}' has elements of {}, {} has {}", spec.text,
                                                     scalarTypeInfo(spec.type).metalName, formatName(*format),
                                                     storage.metalName));
  return d;
}

// Whether `given` can be level n of a texture.
Result<void> checkLevel(const TextureSpec &spec, uint64_t n, const TextureDescriptor &given,
                        const TextureDescriptor &texture) {
  if (given.pixelFormat != texture.pixelFormat)
    return Error::usage("texture-format",
                        fmt::format("'{}', level {}, is {}, level 0 is {}", spec.text, n,
                                    formatName(given.pixelFormat), formatName(texture.pixelFormat)),
                        "all levels have one format");
  const auto half = [n](uint64_t extent) { return n < 64 ? std::max<uint64_t>(1, extent >> n) : 1; };
  const std::vector<uint64_t> is = {given.depth, given.height, given.width},
                              needed = {half(texture.depth), half(texture.height), half(texture.width)};
  const auto text = [&](const std::vector<uint64_t> &extents) {
    return fmt::format("{}{} x {}", texture.depth > 1 ? fmt::format("{} x ", extents[0]) : "", extents[1],
                       extents[2]);
  };
  if (is != needed)
    return Error::usage("texture-shape",
                        fmt::format("'{}' has {} texels, level {} of {} texels has {}", spec.text, text(is),
                                    n, text({texture.depth, texture.height, texture.width}), text(needed)),
                        "each extent is half of that of the level before, at least 1");
  if (given.arrayLength != texture.arrayLength)
    return Error::usage("texture-shape", fmt::format("'{}', level {}, has {} layers, level 0 has {}",
                                                     spec.text, n, given.arrayLength, texture.arrayLength));
  return {};
}

} // namespace

Result<TextureSpec> readTextureSpec(std::string_view spec) {
  if (spec == "null")
    return TextureSpec{.text = std::string(spec), .null = true};
  const size_t semicolon = spec.find(';');
  Result<TextureSpec> texture = readLevel(spec.substr(0, semicolon));
  if (!texture || semicolon == spec.npos)
    return texture;
  for (std::string_view rest = spec.substr(semicolon + 1);;) {
    const size_t end = rest.find(';');
    const std::string_view part = rest.substr(0, end);
    if (part.starts_with(kRest)) {
      if (end != rest.npos)
        return badSpec(spec, fmt::format("'{}' follows {}", rest.substr(end + 1), part),
                       "the levels that are left out come last");
      if (Result<void> ok = otherLevels(spec, part.substr(kRest.size()), *texture); !ok)
        return ok.error();
      return texture;
    }
    Result<TextureSpec> level = readLevel(part);
    if (!level)
      return level;
    texture->smaller.push_back(std::move(*level));
    if (end == rest.npos)
      return texture;
    rest.remove_prefix(end + 1);
  }
}

Result<Texture> makeTexture(const Device &device, const TextureSpec &spec, const TextureUse &use,
                            const std::string &user) {
  Result<TextureDescriptor> d = descriptorOf(spec, use, user);
  if (!d)
    return d.error();
  for (size_t i = 0; i < spec.smaller.size(); ++i) {
    const Result<TextureDescriptor> smaller = descriptorOf(spec.smaller[i], use, user);
    if (!smaller)
      return smaller.error();
    if (Result<void> ok = checkLevel(spec.smaller[i], i + 1, *smaller, *d); !ok)
      return ok.error();
  }
  const uint64_t given = spec.smaller.size() + 1;
  d->mipmapLevelCount = given;
  if (spec.others != OtherLevels::None)
    d->mipmapLevelCount =
        spec.levels ? spec.levels : std::bit_width(std::max({d->width, d->height, d->depth}));
  d->mipmapLevelCount = std::max(d->mipmapLevelCount, given);
  Result<Texture> texture = device.newTexture(*d);
  if (!texture)
    return texture.error();
  for (uint64_t level = 0; level < given; ++level)
    if (Result<void> ok = fillLevel(*texture, level, level ? spec.smaller[level - 1].bytes : spec.bytes); !ok)
      return ok.error();
  if (given == texture->mipmapLevelCount())
    return texture;
  if (spec.others == OtherLevels::Box)
    if (Result<void> ok = filterLevels(*texture, given); !ok)
      return ok.error();
  if (spec.others == OtherLevels::Poison)
    for (uint64_t level = given; level < texture->mipmapLevelCount(); ++level)
      if (Result<void> ok = fillLevel(
              *texture, level,
              std::string(slicesOf(*texture) * sliceBytes(*texture, level), char(Buffer::kPoisonByte)));
          !ok)
        return ok.error();
  return texture;
}

uint64_t picturesOf(const Texture &texture, uint64_t level) {
  return slicesOf(texture) * wholeOf(texture, level).size.depth;
}

TextureArray textureArray(const Texture &texture, uint64_t level) {
  const Size size = wholeOf(texture, level).size;
  const PixelFormatInfo &format = *pixelFormatInfo(texture.pixelFormat());
  const TextureTypeInfo &type = textureTypeInfo(texture.textureType());
  TextureArray array{format.storage(), {}, std::string(slicesOf(texture) * sliceBytes(texture, level), '\0')};
  if (type.arrayed)
    array.shape.push_back(texture.arrayLength());
  if (type.faces > 1)
    array.shape.push_back(type.faces);
  if (type.coordinates > 2)
    array.shape.push_back(size.depth);
  if (type.coordinates > 1)
    array.shape.push_back(size.height);
  array.shape.push_back(size.width);
  if (type.multisampled)
    array.shape.push_back(texture.sampleCount());
  for (uint64_t channels : channelAxis(format))
    array.shape.push_back(channels);
  for (uint64_t slice = 0; slice < slicesOf(texture); ++slice)
    (void)texture.getBytes(array.bytes.data() + slice * sliceBytes(texture, level), 0, 0,
                           wholeOf(texture, level), level, slice);
  return array;
}

} // namespace assay::cli
