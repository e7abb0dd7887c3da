// The textures and samplers of `assay run`, from the command line to the dispatch and to output files.
#pragma once

#include "argument_member.h"
#include "output.h"
#include "run_buffers.h"
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

struct PlannedTexture {
  TextureSpec spec;
  std::string out; ///< FILE.npy or FILE.png; empty: not written

  // What bindTextures finds out.
  Texture texture;
  const ArgumentInfo *argument = nullptr; ///< the texture, or the argument buffer that has it
  const MemberInfo *member = nullptr;     ///< of the argument buffer
};

struct TexturePlan {
  std::map<BindingKey, PlannedTexture> textures;
  std::map<BindingKey, SamplerState> samplers;
};

/// errors   Usage, those of texture_spec.h, "bad-option", "texture-index", "sampler-index", "missing-binding"
Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device);
/// Makes the textures that the kernel has arguments for, and binds everything; numbers of textures and
/// samplers go into the argument buffers among `buffers`.
///   errors   Usage "surplus-binding", "texture-shape", and those of argument_member.h
Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          RunBuffers &buffers, Bindings &bindings);
/// A texture that the kernel may have written. Points into the plan.
struct WrittenTexture {
  std::string name; ///< "1 blurred", or ARGUMENT.MEMBER
  const BindingKey *key;
  const PlannedTexture *planned;
};
std::vector<WrittenTexture> writtenTextures(const TexturePlan &plan);
/// Reports digest and first values of the textures that the kernel may have written.
void reportTextures(Output &out, const TexturePlan &plan);
Result<void> writeTextures(Output &out, const TexturePlan &plan);

} // namespace assay::cli
