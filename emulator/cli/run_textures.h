// The textures and samplers of `assay run`, from the command line to the dispatch and to output files.
#pragma once

#include "output.h"
#include "run_buffers.h"
#include "texture_spec.h"

#include "../host/assay.h"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace assay::cli {

struct TextureArguments {
  std::vector<std::string> textures, samplers, outs;

  void addTo(CLI::App &command);
};

/// The bindings by key: the index of a slot, or ARGUMENT.MEMBER of an argument buffer (argument_member.h).
/// Textures are made when the kernel is known.
struct TexturePlan {
  std::map<std::string, TextureSpec> specs;
  std::map<std::string, Texture> textures;
  std::map<std::string, SamplerState> samplers;
  std::map<std::string, std::string> outs; ///< FILE.npy
};

/// errors   Usage, those of texture_spec.h, "bad-option", "texture-index", "sampler-index", "missing-binding"
Result<TexturePlan> planTextures(const TextureArguments &arguments, const Device &device);
/// Makes the textures that the kernel has arguments for, and binds everything; numbers of textures and
/// samplers go into the argument buffers among `buffers`.
///   errors   Usage "surplus-binding", "texture-shape", and those of argument_member.h
Result<void> bindTextures(TexturePlan &plan, const Device &device, const ComputePipeline &pipeline,
                          RunBuffers &buffers, Bindings &bindings);
/// Reports digest and first values of the textures that the kernel may have written.
void reportTextures(Output &out, const TexturePlan &plan, const ComputePipeline &pipeline);
Result<void> writeTextures(Output &out, const TexturePlan &plan);

} // namespace assay::cli
