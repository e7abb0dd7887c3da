#include "texture_rules.h"

#include <fmt/format.h>

#include <tuple>

namespace assay {
namespace {

// Whether a texture with this element type can read the format.
bool fits(ScalarType element, const PixelFormatInfo &format) {
  if (element == ScalarType::ULong)
    return format.format == PixelFormat::RG32Uint;
  switch (scalarTypeInfo(element).cls) {
  case ScalarClass::Float: return !format.isInteger();
  case ScalarClass::Signed: return format.kind == PixelKind::Sint;
  default: return format.kind == PixelKind::Uint;
  }
}

} // namespace

std::optional<TextureMisfit> textureMisfit(const TextureView &texture, const TextureUse &use,
                                           const std::string &textureName, const std::string &user) {
  const PixelFormatInfo &format = *texture.format;
  if (texture.type != use.type)
    return TextureMisfit{"texture-type",
                         fmt::format("{} is of type {}, {} needs one of type {}", textureName,
                                     textureTypeInfo(texture.type).name, user,
                                     textureTypeInfo(use.type).name),
                         ""};
  if (use.element && !fits(*use.element, format))
    return TextureMisfit{
        "texture-format",
        fmt::format("{} has format {}, {} cannot read or write it as {}", textureName, format.name, user,
                    scalarTypeInfo(*use.element).metalName),
        "float and half go with normalised and float formats, int and short with Sint, uint and "
        "ushort with Uint, ulong with RG32Uint"};
  if (use.depth && !format.isDepth())
    return TextureMisfit{
        "texture-format",
        fmt::format("{} has format {}, {} needs a depth format", textureName, format.name, user), ""};
  if (use.access == Access::ReadWrite && !format.readWrite && use.element != ScalarType::ULong)
    return TextureMisfit{"texture-format",
                         fmt::format("{} has format {}, which a kernel cannot both read and write ({})",
                                     textureName, format.name, user),
                         ""};
  const auto lacks = [&](TextureUsage bit) {
    return texture.usage != TextureUsage::Unknown && !(uint8_t(texture.usage) & uint8_t(bit));
  };
  const bool writes = use.access == Access::Write || use.access == Access::ReadWrite;
  for (const auto &[needed, bit, name] :
       {std::tuple(writes, TextureUsage::ShaderWrite, "ShaderWrite"),
        std::tuple(use.access != Access::Write, TextureUsage::ShaderRead, "ShaderRead")})
    if (needed && lacks(bit))
      return TextureMisfit{"texture-usage",
                           fmt::format("{} was made without usage {}, {} needs it", textureName, name, user),
                           "set TextureDescriptor::usage"};
  if (writes && texture.swizzle != kNoSwizzle)
    return TextureMisfit{"texture-usage",
                         fmt::format("{} has a swizzle, {} cannot write it", textureName, user),
                         "swizzles are for reading and sampling"};
  return std::nullopt;
}

std::string textureSpelling(const TextureUse &use) {
  constexpr const char *kAccess[] = {"access::read", "access::write", "access::read_write", ""};
  std::string text;
  for (const TextureClass &known : kTextureClasses)
    if (known.type == use.type && known.depth == use.depth)
      text = known.name;
  text += "<" + std::string(use.element ? scalarTypeInfo(*use.element).metalName : "?");
  if (const std::string access = kAccess[size_t(use.access)]; !access.empty())
    text += ", " + access;
  return text + ">";
}

} // namespace assay
