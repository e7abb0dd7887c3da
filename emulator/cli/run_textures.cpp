#include "run_textures.h"

#include "argument_member.h"
#include "buffer_spec.h"
#include "scalar_text.h"

#include "../support/files/hash.h"
#include "../support/files/npy.h"

#include <fmt/format.h>

namespace assay::cli {
namespace {

Error twice(std::string_view option, const std::string &key) {
  return Error::usage("bad-option", fmt::format("{} is given twice for {}", option, key));
}

// Puts "--texture 0: " before the message of a SPEC's parser.
Error about(std::string_view option, const std::string &key, Error error) {
  std::string &message = error.diagnostics.front().message;
  message = fmt::format("{} {}: {}", option, key, message);
  return error;
}

struct KeyedText {
  std::string key; ///< an index, or ARGUMENT.MEMBER
  std::string rest;
};

Result<KeyedText> parseKeyed(const std::string &text, std::string_view option, std::string_view form,
                             std::string_view what, uint32_t slots) {
  const size_t equals = text.find('=');
  if (equals != text.npos && isMemberKey(text.substr(0, equals)))
    return KeyedText{text.substr(0, equals), text.substr(equals + 1)};
  const Result<IndexedText> indexed = parseIndexed(text, option, form, what, slots);
  if (!indexed)
    return indexed.error();
  return KeyedText{std::to_string(indexed->index), indexed->rest};
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

// Makes the texture of a slot and binds it.
Result<Texture> bindSlot(const Device &device, const ComputePipeline &pipeline, const std::string &key,
                         const TextureSpec &spec, Bindings &bindings) {
  const auto index = uint32_t(std::stoul(key));
  const ArgumentInfo *argument = textureAt(pipeline, index);
  if (!argument)
    return Error::usage("surplus-binding",
                        fmt::format("a texture is bound at index {}, kernel '{}' has no argument there",
                                    index, pipeline.label()));
  Result<Texture> texture =
      makeTexture(device, spec, argument->textureUse(),
                  fmt::format("argument '{}' of type {}", argument->name, argument->type));
  if (texture)
    bindings.textures[index] = *texture;
  return texture;
}

// Makes the texture of a member, and writes its number where the argument buffer has the member.
Result<Texture> bindMember(const Device &device, const ComputePipeline &pipeline, const std::string &key,
                           const TextureSpec &spec, RunBuffers &buffers, Bindings &bindings) {
  const Result<MemberPlace> place = memberAt(
      pipeline, "--texture", key, [](const MemberInfo &member) { return member.texture.has_value(); });
  if (!place)
    return place.error();
  Result<Texture> texture =
      makeTexture(device, spec, *place->member->texture,
                  fmt::format("member '{}' of type {}", place->member->name, place->member->type));
  if (!texture)
    return texture;
  if (Result<void> ok = writeMember("--texture", key, *place, buffers, texture->gpuResourceID()); !ok)
    return ok.error();
  bindings.usedTextures.push_back(*texture);
  return texture;
}

void reportTexture(Output &out, const Texture &texture, const std::string &head, Json json) {
  const TextureArray array = textureArray(texture);
  const ScalarTypeInfo &info = scalarTypeInfo(array.type);
  const std::string digest = hashBytes(array.bytes);
  FirstValues values = firstValues(array.bytes, array.type);
  out.text(fmt::format("{} {} digest {}", head, textureTypeText(texture, array), digest));
  out.text("          " + values.text);
  json.update({{"format", formatName(texture.pixelFormat())},
               {"type", info.shortName},
               {"shape", array.shape},
               {"digest", digest},
               {"values", std::move(values.json)}});
  out.document()["textures"].push_back(std::move(json));
}

bool isWritten(const TextureUse &use) {
  return use.access == Access::Write || use.access == Access::ReadWrite;
}

} // namespace

void TextureArguments::addTo(CLI::App &command) {
  const auto list = [&](const char *name, std::vector<std::string> &values, const char *form,
                        const char *text) {
    command.add_option(name, values, text)->type_name(form)->expected(1)->allow_extra_args(false)->take_all();
  };
  list("--texture", textures, "INDEX=SPEC", "what is bound at [[texture(INDEX)]], or ARGUMENT.MEMBER=SPEC");
  list("--sampler", samplers, "INDEX=OPTIONS",
       "what is bound at [[sampler(INDEX)]], or ARGUMENT.MEMBER=OPTIONS");
  list("--texture-out", outs, "INDEX=FILE.npy", "write a texture after the run, or ARGUMENT.MEMBER=FILE.npy");
}

Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device) {
  TexturePlan plan;
  for (const std::string &text : arguments.textures) {
    const Result<KeyedText> keyed = parseKeyed(text, "--texture", "INDEX=SPEC", "texture", kTextureSlots);
    if (!keyed)
      return keyed.error();
    Result<TextureSpec> spec = readTextureSpec(keyed->rest);
    if (!spec)
      return about("--texture", keyed->key, spec.error());
    if (!plan.specs.emplace(keyed->key, std::move(*spec)).second)
      return twice("--texture", keyed->key);
  }
  for (const std::string &text : arguments.samplers) {
    const Result<KeyedText> keyed = parseKeyed(text, "--sampler", "INDEX=OPTIONS", "sampler", kSamplerSlots);
    if (!keyed)
      return keyed.error();
    const Result<SamplerState> sampler = parseSampler(device, keyed->rest);
    if (!sampler)
      return about("--sampler", keyed->key, sampler.error());
    if (!plan.samplers.emplace(keyed->key, *sampler).second)
      return twice("--sampler", keyed->key);
  }
  for (const std::string &text : arguments.outs) {
    const Result<KeyedText> keyed =
        parseKeyed(text, "--texture-out", "INDEX=FILE.npy", "texture", kTextureSlots);
    if (!keyed)
      return keyed.error();
    if (!keyed->rest.ends_with(".npy"))
      return Error::usage("bad-option", fmt::format("--texture-out {}: it should be INDEX=FILE.npy", text));
    if (!plan.specs.count(keyed->key))
      return Error::usage("missing-binding",
                          fmt::format("--texture-out {}: no --texture is bound at {}{}", text,
                                      isMemberKey(keyed->key) ? "" : "index ", keyed->key));
    if (Result<void> ok = checkWritable(keyed->rest); !ok)
      return ok.error();
    if (!plan.outs.emplace(keyed->key, keyed->rest).second)
      return twice("--texture-out", keyed->key);
  }
  return plan;
}

Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          RunBuffers &buffers, Bindings &bindings) {
  for (auto &[key, spec] : plan.specs) {
    Result<Texture> texture = isMemberKey(key) ? bindMember(device, pipeline, key, spec, buffers, bindings)
                                               : bindSlot(device, pipeline, key, spec, bindings);
    if (!texture && texture.error().rule().starts_with("texture-"))
      return about("--texture", key, texture.error());
    if (!texture)
      return texture.error();
    spec.bytes = {};
    plan.textures.emplace(key, std::move(*texture));
  }
  for (const auto &[key, sampler] : plan.samplers) {
    if (!isMemberKey(key)) {
      bindings.samplers[uint32_t(std::stoul(key))] = sampler;
      continue;
    }
    const Result<MemberPlace> place =
        memberAt(pipeline, "--sampler", key, [](const MemberInfo &member) { return member.sampler; });
    if (!place)
      return place.error();
    if (Result<void> ok = writeMember("--sampler", key, *place, buffers, sampler.gpuResourceID()); !ok)
      return ok;
  }
  return {};
}

void reportTextures(Output &out, const TexturePlan &plan, const ComputePipeline &pipeline) {
  out.document()["textures"] = Json::array();
  for (const ArgumentInfo &argument : pipeline.activeArguments())
    if (argument.kind == ArgumentKind::Texture && isWritten(argument.textureUse()))
      for (uint32_t index = argument.index; index < argument.index + argument.count; ++index)
        reportTexture(out, plan.textures.at(std::to_string(index)),
                      fmt::format("texture {:<1} {}", index, argument.name),
                      {{"index", index}, {"name", argument.name}});
  for (const auto &[key, texture] : plan.textures)
    if (isMemberKey(key)) {
      const Result<MemberPlace> place = memberAt(
          pipeline, "--texture", key, [](const MemberInfo &member) { return member.texture.has_value(); });
      if (place && isWritten(*place->member->texture))
        reportTexture(out, texture, fmt::format("texture {}", key), {{"name", key}});
    }
}

Result<void> writeTextures(Output &out, const TexturePlan &plan) {
  Json files = Json::array();
  for (const auto &[key, file] : plan.outs) {
    const TextureArray array = textureArray(plan.textures.at(key));
    if (Result<void> ok = writeFileAtomically(file, npyBytes(array.type, array.shape, array.bytes)); !ok)
      return ok;
    out.text(fmt::format("wrote     {} (texture {})", file, key));
    if (isMemberKey(key))
      files.push_back({{"name", key}, {"file", file}});
    else
      files.push_back({{"index", std::stoul(key)}, {"file", file}});
  }
  out.document()["textureOutputs"] = std::move(files);
  return {};
}

} // namespace assay::cli
