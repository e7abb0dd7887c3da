#include "run_textures.h"

#include "buffer_spec.h"
#include "scalar_text.h"

#include "../support/hash.h"
#include "../support/npy.h"

#include <fmt/format.h>

namespace assay::cli {
namespace {

Error twice(std::string_view option, uint32_t index) {
  return Error::usage("bad-option", fmt::format("{} is given twice for index {}", option, index));
}

// Puts "--texture 0: " before the message of a SPEC's parser.
Error about(std::string_view option, uint32_t index, Error error) {
  std::string &message = error.diagnostics.front().message;
  message = fmt::format("{} {}: {}", option, index, message);
  return error;
}

const ArgumentInfo *textureAt(const ComputePipeline &pipeline, uint32_t index) {
  for (const ArgumentInfo &argument : pipeline.kernel().arguments)
    if (argument.kind == ArgumentKind::Texture && index - argument.index < argument.count)
      return &argument;
  return nullptr;
}

std::string textureTypeText(const Texture &texture, const TextureArray &array) {
  return formatName(texture.pixelFormat()) + shapeText(array.shape);
}

} // namespace

void TextureArguments::addTo(CLI::App &command) {
  const auto list = [&](const char *name, std::vector<std::string> &values, const char *form,
                        const char *text) {
    command.add_option(name, values, text)->type_name(form)->expected(1)->allow_extra_args(false)->take_all();
  };
  list("--texture", textures, "INDEX=SPEC", "what is bound at [[texture(INDEX)]]");
  list("--sampler", samplers, "INDEX=OPTIONS", "what is bound at [[sampler(INDEX)]]");
  list("--texture-out", outs, "INDEX=FILE.npy", "write a texture after the run");
}

Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device) {
  TexturePlan plan;
  for (const std::string &text : arguments.textures) {
    const Result<IndexedText> indexed =
        parseIndexed(text, "--texture", "INDEX=SPEC", "texture", kTextureSlots);
    if (!indexed)
      return indexed.error();
    Result<TextureSpec> spec = readTextureSpec(indexed->rest);
    if (!spec)
      return about("--texture", indexed->index, spec.error());
    if (!plan.specs.emplace(indexed->index, std::move(*spec)).second)
      return twice("--texture", indexed->index);
  }
  for (const std::string &text : arguments.samplers) {
    const Result<IndexedText> indexed =
        parseIndexed(text, "--sampler", "INDEX=OPTIONS", "sampler", kSamplerSlots);
    if (!indexed)
      return indexed.error();
    const Result<SamplerState> sampler = parseSampler(device, indexed->rest);
    if (!sampler)
      return about("--sampler", indexed->index, sampler.error());
    if (!plan.samplers.emplace(indexed->index, *sampler).second)
      return twice("--sampler", indexed->index);
  }
  for (const std::string &text : arguments.outs) {
    const Result<IndexedText> indexed =
        parseIndexed(text, "--texture-out", "INDEX=FILE.npy", "texture", kTextureSlots);
    if (!indexed)
      return indexed.error();
    if (!indexed->rest.ends_with(".npy"))
      return Error::usage("bad-option", fmt::format("--texture-out {}: it should be INDEX=FILE.npy", text));
    if (!plan.specs.count(indexed->index))
      return Error::usage(
          "missing-binding",
          fmt::format("--texture-out {}: no --texture is bound at index {}", text, indexed->index));
    if (Result<void> ok = checkWritable(indexed->rest); !ok)
      return ok.error();
    if (!plan.outs.emplace(indexed->index, indexed->rest).second)
      return twice("--texture-out", indexed->index);
  }
  return plan;
}

Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          ComputeCommandEncoder &encoder) {
  for (auto &[index, spec] : plan.specs) {
    const ArgumentInfo *argument = textureAt(pipeline, index);
    if (!argument)
      return Error::usage("surplus-binding",
                          fmt::format("a texture is bound at index {}, kernel '{}' has no argument "
                                      "there",
                                      index, pipeline.label()));
    Result<Texture> texture = makeTexture(device, spec, *argument);
    if (!texture)
      return about("--texture", index, texture.error());
    spec.bytes = {};
    encoder.setTexture(*texture, index);
    plan.textures.emplace(index, std::move(*texture));
  }
  for (const auto &[index, sampler] : plan.samplers)
    encoder.setSamplerState(sampler, index);
  return {};
}

void reportTextures(Output &out, const TexturePlan &plan, const ComputePipeline &pipeline) {
  constexpr uint64_t kShown = 8;
  out.document()["textures"] = Json::array();
  for (const ArgumentInfo &argument : pipeline.activeArguments()) {
    if (argument.kind != ArgumentKind::Texture ||
        (argument.access != Access::Write && argument.access != Access::ReadWrite))
      continue;
    for (uint32_t index = argument.index; index < argument.index + argument.count; ++index) {
      const Texture &texture = plan.textures.at(index);
      const TextureArray array = textureArray(texture);
      const ScalarTypeInfo &info = scalarTypeInfo(array.type);
      const uint64_t count = array.bytes.size() / info.bytes;
      const std::string digest = hashBytes(array.bytes);
      std::string values;
      Json valuesJson = Json::array();
      for (uint64_t i = 0; i < std::min(count, kShown); ++i) {
        const char *value = array.bytes.data() + i * info.bytes;
        values += fmt::format("{}{}", i ? " " : "", formatScalar(value, array.type));
        valuesJson.push_back(jsonScalar(value, array.type));
      }
      out.text(fmt::format("texture {:<1} {} {} digest {}", index, argument.name,
                           textureTypeText(texture, array), digest));
      out.text(fmt::format("          {}{}", values, count > kShown ? " ..." : ""));
      out.document()["textures"].push_back({{"index", index},
                                            {"name", argument.name},
                                            {"format", formatName(texture.pixelFormat())},
                                            {"type", info.shortName},
                                            {"shape", array.shape},
                                            {"digest", digest},
                                            {"values", std::move(valuesJson)}});
    }
  }
}

Result<void> writeTextures(Output &out, const TexturePlan &plan) {
  Json files = Json::array();
  for (const auto &[index, file] : plan.outs) {
    const TextureArray array = textureArray(plan.textures.at(index));
    if (Result<void> ok = writeFileAtomically(file, npyBytes(array.type, array.shape, array.bytes)); !ok)
      return ok;
    out.text(fmt::format("wrote     {} (texture {})", file, index));
    files.push_back({{"index", index}, {"file", file}});
  }
  out.document()["textureOutputs"] = std::move(files);
  return {};
}

} // namespace assay::cli
