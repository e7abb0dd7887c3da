// The textures and samplers of `assay run`, from the command line to the dispatch and to output files.
#pragma once

#include "argument_member.h"
#include "output.h"
#include "run_buffers.h"
#include "sampler_spec.h"
#include "texture_spec.h"

#include "../host/assay.h"

#include <CLI/CLI.hpp>

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace assay::cli {

struct TextureArguments {
  std::vector<std::string> textures, samplers, outs;

  void addTo(CLI::App &command);
};

/// A level to be written: FILE.npy, FILE.png, or several as in picture_files.h.
struct TextureOut {
  std::string text;
  std::vector<std::string> files = {}; ///< known once the texture is
};

struct PlannedTexture {
  TextureSpec spec;
  std::map<uint64_t, TextureOut> outs = {}; ///< by levels

  // What bindTextures finds out.
  Texture texture = {};
  TextureUse use = {};
  std::string name = {}; ///< of the argument, unless it is a member of an argument buffer
};

struct TexturePlan {
  std::map<BindingKey, PlannedTexture> textures;
  std::map<BindingKey, SamplerState> samplers;
};

/// errors   Usage, those of texture_spec.h, "bad-option", "texture-index", "sampler-index", "missing-binding"
Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device);
/// Makes the textures that the kernel has arguments for, and binds everything; numbers of textures and
/// samplers go into the argument buffers among `buffers`.
///   errors   Usage "surplus-binding", "texture-shape", "texture-region" for a level that is to be written
///            and does not exist, and those of makeTexture, picturesToWrite and argument_member.h
Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          RunBuffers &buffers, Bindings &bindings);
/// A texture that the kernel may have written. Points into the plan.
struct WrittenTexture {
  std::string name; ///< "1 blurred", or ARGUMENT.MEMBER
  const BindingKey *key;
  const PlannedTexture *planned;
};
std::vector<WrittenTexture> writtenTextures(const TexturePlan &plan);
/// Reports digest and first values of all levels of the textures that the kernel may have written.
void reportTextures(Output &out, const TexturePlan &plan);
Result<void> writeTextures(Output &out, const TexturePlan &plan);

} // namespace assay::cli
