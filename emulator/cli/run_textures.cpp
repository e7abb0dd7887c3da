#include "run_textures.h"

#include "buffer_spec.h"
#include "picture_texels.h"
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
Result<void> bindSlot(const Device &device, const ComputePipeline &pipeline, uint32_t slot,
                      PlannedTexture &planned, Bindings &bindings) {
  const ArgumentInfo *argument = textureAt(pipeline, slot);
  if (!argument)
    return Error::usage("surplus-binding",
                        fmt::format("a texture is bound at index {}, kernel '{}' has no argument there", slot,
                                    pipeline.label()));
  planned.argument = argument;
  bindings.textures[slot] = {};
  if (planned.spec.null)
    return {};
  Result<Texture> texture =
      makeTexture(device, planned.spec, argument->textureUse(),
                  fmt::format("argument '{}' of type {}", argument->name, argument->type));
  if (!texture)
    return texture.error();
  planned.texture = std::move(*texture);
  bindings.textures[slot] = planned.texture;
  return {};
}

// Makes the texture of a member, and writes its number where the argument buffer has the member.
Result<void> bindMember(const Device &device, const ComputePipeline &pipeline, const std::string &key,
                        PlannedTexture &planned, RunBuffers &buffers, Bindings &bindings) {
  const Result<MemberPlace> place = memberAt(
      pipeline, "--texture", key, [](const MemberInfo &member) { return member.texture.has_value(); });
  if (!place)
    return place.error();
  planned.argument = place->argument;
  planned.member = place->member;
  if (planned.spec.null)
    return writeMember("--texture", key, *place, buffers, 0);
  Result<Texture> texture =
      makeTexture(device, planned.spec, *place->member->texture,
                  fmt::format("member '{}' of type {}", place->member->name, place->member->type));
  if (!texture)
    return texture.error();
  planned.texture = std::move(*texture);
  if (Result<void> ok = writeMember("--texture", key, *place, buffers, planned.texture.gpuResourceID()); !ok)
    return ok;
  bindings.usedTextures.push_back(planned.texture);
  return {};
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

bool isPicture(const std::string &file) {
  return file.ends_with(".png");
}

// Before anything runs in vain.
Result<void> checkOut(const std::string &key, const PlannedTexture &planned) {
  if (!isPicture(planned.out))
    return {};
  const TextureTypeInfo &type = textureTypeInfo(planned.texture.textureType());
  Result<void> ok = checkPicture(*pixelFormatInfo(planned.texture.pixelFormat()));
  if (type.type != TextureType::Type2D)
    ok = Error::usage("texture-type",
                      fmt::format("a PNG file holds a texture of type Type2D, this is {}", type.name),
                      "write FILE.npy");
  return ok ? ok : about("--texture-out", key, ok.error());
}

// The file's bytes, and what has to be said of them.
std::pair<std::string, std::string> outFile(const PlannedTexture &planned) {
  const TextureArray array = textureArray(planned.texture);
  if (!isPicture(planned.out))
    return {npyBytes(array.type, array.shape, array.bytes), ""};
  const Texture &texture = planned.texture;
  const Picture picture = pictureOf(array.bytes, *pixelFormatInfo(texture.pixelFormat()),
                                    uint32_t(texture.width()), uint32_t(texture.height()));
  return {pngBytes(picture.image), picture.rounded ? fmt::format("{} limited to 0..1 and rounded to 8 bits",
                                                                 formatName(texture.pixelFormat()))
                                                   : ""};
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
  list("--texture-out", outs, "INDEX=FILE",
       "write a texture after the run to FILE.npy or FILE.png, or "
       "ARGUMENT.MEMBER=FILE");
}

Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device) {
  TexturePlan plan;
  for (const std::string &text : arguments.textures) {
    const Result<KeyedText> keyed = parseKeyed(text, "--texture", "INDEX=SPEC", "texture", kTextureSlots);
    if (!keyed)
      return keyed.error();
    Result<TextureSpec> spec = readTextureSpec(keyed->rest);
    if (!spec)
      return about("--texture", keyed->key.text, spec.error());
    if (!plan.textures.try_emplace(keyed->key, PlannedTexture{std::move(*spec), {}, {}, nullptr, nullptr})
             .second)
      return twice("--texture", keyed->key.text);
  }
  for (const std::string &text : arguments.samplers) {
    const Result<KeyedText> keyed = parseKeyed(text, "--sampler", "INDEX=OPTIONS", "sampler", kSamplerSlots);
    if (!keyed)
      return keyed.error();
    const Result<SamplerState> sampler = parseSampler(device, keyed->rest);
    if (!sampler)
      return about("--sampler", keyed->key.text, sampler.error());
    if (!plan.samplers.emplace(keyed->key, *sampler).second)
      return twice("--sampler", keyed->key.text);
  }
  for (const std::string &text : arguments.outs) {
    const Result<KeyedText> keyed =
        parseKeyed(text, "--texture-out", "INDEX=FILE.npy or FILE.png", "texture", kTextureSlots);
    if (!keyed)
      return keyed.error();
    if (!keyed->rest.ends_with(".npy") && !isPicture(keyed->rest))
      return Error::usage(
          "bad-option", fmt::format("--texture-out {}: it should be INDEX=FILE.npy or INDEX=FILE.png", text));
    const auto planned = plan.textures.find(keyed->key);
    if (planned == plan.textures.end())
      return Error::usage("missing-binding",
                          fmt::format("--texture-out {}: no --texture is bound at {}{}", text,
                                      keyed->key.isMember() ? "" : "index ", keyed->key.text));
    if (planned->second.spec.null)
      return Error::usage("bad-option", fmt::format("--texture-out {}: the texture is null", text));
    if (Result<void> ok = checkWritable(keyed->rest); !ok)
      return ok.error();
    if (!planned->second.out.empty())
      return twice("--texture-out", keyed->key.text);
    planned->second.out = keyed->rest;
  }
  return plan;
}

Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          RunBuffers &buffers, Bindings &bindings) {
  for (auto &[key, planned] : plan.textures) {
    Result<void> bound = key.isMember() ? bindMember(device, pipeline, key.text, planned, buffers, bindings)
                                        : bindSlot(device, pipeline, key.slot, planned, bindings);
    if (!bound && bound.error().rule().starts_with("texture-"))
      return about("--texture", key.text, bound.error());
    if (!bound)
      return bound;
    if (Result<void> ok = checkOut(key.text, planned); !ok)
      return ok;
    planned.spec.bytes = {};
  }
  for (const auto &[key, sampler] : plan.samplers) {
    if (!key.isMember()) {
      bindings.samplers[key.slot] = sampler;
      continue;
    }
    const Result<MemberPlace> place =
        memberAt(pipeline, "--sampler", key.text, [](const MemberInfo &member) { return member.sampler; });
    if (!place)
      return place.error();
    if (Result<void> ok = writeMember("--sampler", key.text, *place, buffers, sampler.gpuResourceID()); !ok)
      return ok;
  }
  return {};
}

std::vector<WrittenTexture> writtenTextures(const TexturePlan &plan) {
  std::vector<WrittenTexture> written;
  for (const auto &[key, planned] : plan.textures)
    if (planned.texture &&
        isWritten(planned.member ? *planned.member->texture : planned.argument->textureUse()))
      written.push_back({key.isMember() ? key.text : fmt::format("{} {}", key.text, planned.argument->name),
                         &key, &planned});
  return written;
}

void reportTextures(Output &out, const TexturePlan &plan) {
  out.document()["textures"] = Json::array();
  for (const WrittenTexture &written : writtenTextures(plan)) {
    Json json = {{"name", written.key->isMember() ? written.key->text : written.planned->argument->name}};
    if (!written.key->isMember())
      json["index"] = written.key->slot;
    reportTexture(out, written.planned->texture, "texture " + written.name, std::move(json));
  }
}

Result<void> writeTextures(Output &out, const TexturePlan &plan) {
  Json files = Json::array();
  for (const auto &[key, planned] : plan.textures) {
    if (planned.out.empty())
      continue;
    const auto [bytes, note] = outFile(planned);
    if (Result<void> ok = writeFileAtomically(planned.out, bytes); !ok)
      return ok;
    out.text(
        fmt::format("wrote     {} (texture {}{}{})", planned.out, key.text, note.empty() ? "" : ", ", note));
    Json json = key.isMember() ? Json{{"name", key.text}} : Json{{"index", key.slot}};
    json["file"] = planned.out;
    if (!note.empty())
      json["note"] = note;
    files.push_back(std::move(json));
  }
  out.document()["textureOutputs"] = std::move(files);
  return {};
}

} // namespace assay::cli
