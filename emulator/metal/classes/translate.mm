#import "translate.h"

#include "settings.h"

namespace assay::metal {

std::string toText(NSString *text) {
  return text ? std::string(text.UTF8String) : std::string();
}

NSString *fromText(const std::string &text) {
  return [NSString stringWithUTF8String:text.c_str()];
}

NSError *errorOf(const Error &error, NSErrorDomain domain, NSInteger code) {
  NSString *text = fromText(renderDiagnostics(error.diagnostics));
  return [NSError errorWithDomain:domain code:code userInfo:@{NSLocalizedDescriptionKey : text}];
}

NSError *unsupported(NSString *what, NSErrorDomain domain, NSInteger code) {
  NSString *text = [NSString stringWithFormat:@"%@ is not supported by Assay [unsupported]", what];
  return [NSError errorWithDomain:domain code:code userInfo:@{NSLocalizedDescriptionKey : text}];
}

namespace {

/// The scalar types, each followed by its vectors of two, three and four.
constexpr struct {
  MTLDataType first;
  ScalarType scalar;
} kDataTypes[] = {
    {MTLDataTypeFloat, ScalarType::Float}, {MTLDataTypeHalf, ScalarType::Half},
    {MTLDataTypeInt, ScalarType::Int},     {MTLDataTypeUInt, ScalarType::UInt},
    {MTLDataTypeShort, ScalarType::Short}, {MTLDataTypeUShort, ScalarType::UShort},
    {MTLDataTypeChar, ScalarType::Char},   {MTLDataTypeUChar, ScalarType::UChar},
    {MTLDataTypeBool, ScalarType::Bool},   {MTLDataTypeLong, ScalarType::Long},
    {MTLDataTypeULong, ScalarType::ULong}, {MTLDataTypeBFloat, ScalarType::BFloat},
};

std::string macroValue(NSObject *value) {
  if ([value isKindOfClass:[NSString class]])
    return toText((NSString *)value);
  return toText(value.description); // NSNumber
}

MathMode mathModeOf(MTLCompileOptions *options) {
  if (options.mathMode == MTLMathModeSafe ||
      options.mathFloatingPointFunctions == MTLMathFloatingPointFunctionsPrecise)
    return MathMode::Safe;
  return options.mathMode == MTLMathModeRelaxed ? MathMode::Relaxed : MathMode::Fast;
}

/// MTLLanguageVersion has the major number in its upper half and the minor one in its lower. A version that
/// is not in the table is newer than all versions in it.
LanguageVersion versionOf(MTLLanguageVersion version) {
  if (!version)
    return LanguageVersion::Any;
  const NSUInteger number = (version >> 16) * 100 + (version & 0xFFFF) * 10;
  for (const LanguageVersionInfo &info : kLanguageVersions)
    if (NSUInteger(info.version) == number)
      return info.version;
  return LanguageVersion::Metal4_1;
}

} // namespace

std::optional<DataType> dataTypeOf(MTLDataType type) {
  for (const auto &[first, scalar] : kDataTypes)
    if (type >= first && type < first + 4)
      return DataType(scalar, uint32_t(type - first + 1));
  return std::nullopt;
}

MTLDataType dataTypeOf(DataType type) {
  for (const auto &[first, scalar] : kDataTypes)
    if (scalar == type.scalar)
      return MTLDataType(first + type.components - 1);
  return MTLDataTypeNone;
}

CompileOptions compileOptionsOf(MTLCompileOptions *options) {
  CompileOptions result;
  result.forPipelines(settings().pipeline); // every pipeline of this process has them
  if (!options)
    return result;
  for (NSString *name in options.preprocessorMacros)
    result.preprocessorMacros.emplace_back(toText(name), macroValue(options.preprocessorMacros[name]));
  // A dictionary has no order: sorting gives one cache key for one set of macros.
  std::sort(result.preprocessorMacros.begin(), result.preprocessorMacros.end());
  result.mathMode = mathModeOf(options);
  if (options.mathMode == MTLMathModeFast && result.mathMode == MathMode::Safe) // with the precise functions
    result.preprocessorMacros.emplace_back("__FAST_MATH__", "1");
  result.languageVersion = versionOf(options.languageVersion);
  return result;
}

TextureSwizzleChannels swizzleOf(MTLTextureSwizzleChannels c) {
  return {TextureSwizzle(c.red), TextureSwizzle(c.green), TextureSwizzle(c.blue), TextureSwizzle(c.alpha)};
}

TextureDescriptor textureDescriptorOf(MTLTextureDescriptor *d) {
  TextureDescriptor result;
  result.textureType = TextureType(d.textureType);
  result.pixelFormat = PixelFormat(d.pixelFormat);
  result.width = d.width;
  result.height = d.height;
  result.depth = d.depth;
  result.mipmapLevelCount = d.mipmapLevelCount;
  result.sampleCount = d.sampleCount;
  result.arrayLength = d.arrayLength;
  result.usage = TextureUsage(d.usage & (MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite));
  result.swizzle = swizzleOf(d.swizzle);
  return result;
}

SamplerDescriptor samplerDescriptorOf(MTLSamplerDescriptor *d) {
  SamplerDescriptor result;
  result.minFilter = SamplerMinMagFilter(d.minFilter);
  result.magFilter = SamplerMinMagFilter(d.magFilter);
  result.mipFilter = SamplerMipFilter(d.mipFilter);
  result.sAddressMode = SamplerAddressMode(d.sAddressMode);
  result.tAddressMode = SamplerAddressMode(d.tAddressMode);
  result.rAddressMode = SamplerAddressMode(d.rAddressMode);
  result.borderColor = SamplerBorderColor(d.borderColor);
  result.compareFunction = CompareFunction(d.compareFunction);
  result.normalizedCoordinates = d.normalizedCoordinates;
  result.maxAnisotropy = uint32_t(d.maxAnisotropy);
  result.lodMinClamp = d.lodMinClamp;
  result.lodMaxClamp = d.lodMaxClamp;
  return result;
}

} // namespace assay::metal
