#include "run_textures.h"

#include "buffer_spec.h"
#include "picture_files.h"
#include "picture_texels.h"
#include "scalar_text.h"

#include "../support/files/hash.h"
#include "../support/files/npy.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Makes the texture of a slot and binds it.
Result<void> bindSlot(const Device &device, const ComputePipeline &pipeline, uint32_t slot,
                      PlannedTexture &planned, Bindings &bindings) {
  const ArgumentInfo *argument = textureAt(pipeline, slot);
  if (!argument)
    return Error::usage("surplus-binding",
                        fmt::format("a texture is bound at index {}, kernel '{}' has no argument there", slot,
                                    pipeline.label()));
  planned.use = argument->textureUse();
  planned.name = argument->name;
  bindings.textures[slot] = {};
  if (planned.spec.null)
    return {};
  Result<Texture> texture =
      makeTexture(device, planned.spec, planned.use,
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
  const Result<MemberPlace> place = memberAt(pipeline, buffers, "--texture", key, MemberKind::Texture);
  if (!place)
    return place.error();
  planned.use = *place->texture;
  writeMember(*place, 0);
  if (planned.spec.null)
    return {};
  Result<Texture> texture = makeTexture(device, planned.spec, planned.use,
                                        fmt::format("member '{}' of type {}", place->name, place->type));
  if (!texture)
    return texture.error();
  planned.texture = std::move(*texture);
  writeMember(*place, planned.texture.gpuResourceID());
  bindings.usedTextures.push_back(planned.texture);
  return {};
}

// Prints one level.
Json reportLevel(Output &out, const Texture &texture, uint64_t level, const std::string &head) {
  const TextureArray array = textureArray(texture, level);
  const std::string digest = hashBytes(array.bytes);
  FirstValues values = firstValues(array.bytes, array.type);
  out.text(fmt::format("{} {}{} digest {}", head, formatName(texture.pixelFormat()), shapeText(array.shape),
                       digest));
  out.text("          " + values.text);
  return {{"shape", array.shape}, {"digest", digest}, {"values", std::move(values.json)}};
}

void reportTexture(Output &out, const Texture &texture, const std::string &head, Json json) {
  json.update({{"format", formatName(texture.pixelFormat())},
               {"type", scalarTypeInfo(pixelFormatInfo(texture.pixelFormat())->storage()).shortName}});
  json.update(reportLevel(out, texture, 0, head));
  for (uint64_t level = 1; level < texture.mipmapLevelCount(); ++level)
    json["smallerLevels"].push_back(
        reportLevel(out, texture, level, fmt::format("{} level {}", head, level)));
  out.document()["textures"].push_back(std::move(json));
}

// "1" and "1@2", which is level 2.
std::string levelKey(const std::string &key, uint64_t level) {
  return level ? fmt::format("{}@{}", key, level) : key;
}

bool isPicture(const std::string &file) {
  return file.ends_with(".png");
}

// Before anything runs in vain.
Result<void> checkOut(uint64_t level, const Texture &texture, TextureOut &out) {
  if (level >= texture.mipmapLevelCount())
    return Error::usage(
        "texture-region", fmt::format("level {} of a texture that has {}", level, texture.mipmapLevelCount()),
        texture.mipmapLevelCount() == 1 ? "';...=zeros' at the end of its SPEC gives it all levels" : "");
  if (!isPicture(out.text)) {
    out.files = {out.text};
    return checkWritable(out.text);
  }
  if (Result<void> ok = checkPicture(*pixelFormatInfo(texture.pixelFormat())); !ok)
    return ok;
  if (const TextureTypeInfo &type = textureTypeInfo(texture.textureType());
      type.coordinates < 2 || type.multisampled)
    return Error::usage("texture-type", fmt::format("PNG files hold no texture of type {}", type.name),
                        "write FILE.npy");
  Result<std::vector<std::string>> files = picturesToWrite(out.text, picturesOf(texture, level));
  if (!files)
    return files.error();
  out.files = std::move(*files);
  for (const std::string &file : out.files)
    if (Result<void> ok = checkWritable(file); !ok)
      return ok;
  return {};
}

// The bytes of its files, and what has to be said of them.
std::pair<std::vector<std::string>, std::string> outFiles(const Texture &texture, uint64_t level,
                                                          const TextureOut &out) {
  const TextureArray array = textureArray(texture, level);
  if (!isPicture(out.text))
    return {{npyBytes(array.type, array.shape, array.bytes)}, ""};
  const TextureView view = texture.view();
  std::pair<std::vector<std::string>, std::string> made;
  const uint64_t size = array.bytes.size() / out.files.size();
  for (uint64_t i = 0; i < out.files.size(); ++i) {
    const Picture picture = pictureOf(std::string_view(array.bytes).substr(i * size, size), *view.format,
                                      view.levels[level].width, view.levels[level].height);
    made.first.push_back(pngBytes(picture.image));
    if (picture.rounded)
      made.second =
          fmt::format("{} limited to 0..1 and rounded to 8 bits", formatName(texture.pixelFormat()));
  }
  return made;
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
       "ARGUMENT.MEMBER=FILE; INDEX@LEVEL=FILE is a mip level");
}

namespace {

// INDEX=FILE, ARGUMENT.MEMBER=FILE, or either with @LEVEL
Result<void> planOut(const std::string &text, TexturePlan &plan) {
  const size_t equals = text.find('='), at = text.rfind('@', equals);
  uint64_t level = 0;
  std::string withoutLevel = text;
  if (equals != text.npos && at != text.npos) {
    const char *first = text.data() + at + 1, *last = text.data() + equals;
    const auto [end, error] = std::from_chars(first, last, level);
    if (error != std::errc() || end != last)
      return Error::usage(
          "bad-option",
          fmt::format("--texture-out {}: '{}' is not a mip level", text, std::string(first, last)),
          "INDEX@LEVEL=FILE, for example 1@2=small.png");
    withoutLevel.erase(at, equals - at);
  }
  const Result<KeyedText> keyed =
      parseKeyed(withoutLevel, "--texture-out", "INDEX=FILE.npy or FILE.png", "texture", kTextureSlots);
  if (!keyed)
    return keyed.error();
  if (!keyed->rest.ends_with(".npy") && !isPicture(keyed->rest))
    return Error::usage("bad-option",
                        fmt::format("--texture-out {}: it should be INDEX=FILE.npy or INDEX=FILE.png", text));
  const auto planned = plan.textures.find(keyed->key);
  if (planned == plan.textures.end())
    return Error::usage("missing-binding",
                        fmt::format("--texture-out {}: no --texture is bound at {}{}", text,
                                    keyed->key.isMember() ? "" : "index ", keyed->key.text));
  if (planned->second.spec.null)
    return Error::usage("bad-option", fmt::format("--texture-out {}: the texture is null", text));
  if (!planned->second.outs.emplace(level, TextureOut{keyed->rest}).second)
    return twice("--texture-out", levelKey(keyed->key.text, level));
  return {};
}

} // namespace

Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device) {
  TexturePlan plan;
  for (const std::string &text : arguments.textures) {
    const Result<KeyedText> keyed = parseKeyed(text, "--texture", "INDEX=SPEC", "texture", kTextureSlots);
    if (!keyed)
      return keyed.error();
    Result<TextureSpec> spec = readTextureSpec(keyed->rest);
    if (!spec)
      return about("--texture", keyed->key.text, spec.error());
    if (!plan.textures.try_emplace(keyed->key, PlannedTexture{.spec = std::move(*spec)}).second)
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
  for (const std::string &text : arguments.outs)
    if (Result<void> ok = planOut(text, plan); !ok)
      return ok.error();
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
    for (auto &[level, out] : planned.outs)
      if (Result<void> ok = checkOut(level, planned.texture, out); !ok)
        return about("--texture-out", levelKey(key.text, level), ok.error());
    planned.spec.bytes = {};
    planned.spec.smaller.clear();
  }
  for (const auto &[key, sampler] : plan.samplers) {
    if (!key.isMember()) {
      bindings.samplers[key.slot] = sampler;
      continue;
    }
    const Result<MemberPlace> place = memberAt(pipeline, buffers, "--sampler", key.text, MemberKind::Sampler);
    if (!place)
      return place.error();
    writeMember(*place, sampler.gpuResourceID());
  }
  return {};
}

std::vector<WrittenTexture> writtenTextures(const TexturePlan &plan) {
  std::vector<WrittenTexture> written;
  for (const auto &[key, planned] : plan.textures)
    if (planned.texture && isWritten(planned.use))
      written.push_back(
          {key.isMember() ? key.text : fmt::format("{} {}", key.text, planned.name), &key, &planned});
  return written;
}

void reportTextures(Output &out, const TexturePlan &plan) {
  out.document()["textures"] = Json::array();
  for (const WrittenTexture &written : writtenTextures(plan)) {
    Json json = {{"name", written.key->isMember() ? written.key->text : written.planned->name}};
    if (!written.key->isMember())
      json["index"] = written.key->slot;
    reportTexture(out, written.planned->texture, "texture " + written.name, std::move(json));
  }
}

Result<void> writeTextures(Output &out, const TexturePlan &plan) {
  Json files = Json::array();
  for (const auto &[key, planned] : plan.textures)
    for (const auto &[level, wanted] : planned.outs) {
      const auto [contents, note] = outFiles(planned.texture, level, wanted);
      for (size_t i = 0; i < contents.size(); ++i)
        if (Result<void> ok = writeFileAtomically(wanted.files[i], contents[i]); !ok)
          return ok;
      out.text(fmt::format("wrote     {} (texture {}{}{}{})", fmt::join(wanted.files, ", "), key.text,
                           level ? fmt::format(" level {}", level) : "", note.empty() ? "" : ", ", note));
      for (const std::string &file : wanted.files) {
        Json json = key.isMember() ? Json{{"name", key.text}} : Json{{"index", key.slot}};
        json["file"] = file;
        if (level)
          json["level"] = level;
        if (!note.empty())
          json["note"] = note;
        files.push_back(std::move(json));
      }
    }
  out.document()["textureOutputs"] = std::move(files);
  return {};
}

} // namespace assay::cli
