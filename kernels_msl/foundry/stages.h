// The stages of Foundry's attention: parts of a kernel's text, which compound_kernel.h composes into one
// kernel.
//
// Problem.  Decode with and without RoPE, prefill, the phases of Split-K and the preparation of new tokens
//           share parts: where a head lies, the rotation, the attention. Foundry builds each kernel of such
//           parts; kernels that are written out one by one repeat the parts' arguments and their order.
// Choice.   What a stage computes is a function in a Metal header (rope_stage.h has one), so that kernels
//           that are written out call it as well and there is one definition. A Stage says how to call it:
//           the header, the kernel arguments that the call names, what it takes from stages before it, what
//           it leaves for those after it, and the statements.
// Rejected. Stages as text alone, with their code in C++ strings: nothing but the generator could compile
//           them, and an error would be at no line of a file. Metal templates over stages as types: Metal
//           has no arguments of a kernel that a type could add.
//
// Values pass from stage to stage by name and type: `row` (where the row to rotate lies), `place` (its number
// among positions), `rotated` (RopeStage's threadgroup memory), `here` (what a layout has found).
// source    names and parts: Foundry's document, "Composition"; HeadLayoutStage's, RopeStage's and the
//           attention's text is ours, and so are the layouts and stores of new tokens
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay::kernels::foundry {

/// An argument of a kernel, as its signature has it.
struct StageArgument {
  enum class Slot { Buffer, Threadgroup, Builtin };
  std::string type; ///< "device const half *"
  std::string name;
  Slot slot = Slot::Buffer;
  uint32_t index = 0;         ///< of a buffer or of threadgroup memory
  std::string attribute = {}; ///< of a builtin: "threadgroup_position_in_grid"
  std::string condition = {}; ///< the function constant that it is there with; always, if empty
};

/// What one stage leaves and another takes.
struct StageValue {
  std::string type, name;
  std::string value = {};   ///< of what is left: the expression, if a variable is made of it for a taker;
                            ///< empty if the stage's own statements or arguments have the name
  bool mustBeTaken = false; ///< of what is left: work that would be lost
};

struct Stage {
  std::string name;    ///< "RopeStage"
  std::string purpose; ///< a comment in the kernel, without a full stop
  std::vector<std::string> headers;
  std::vector<StageArgument> arguments;
  std::vector<StageValue> takes, leaves;
  std::vector<std::string> statements; ///< lines, without indentation
  uint32_t mostThreads = 0;            ///< of a threadgroup, if the stage is made for a number
};

/// Elements, and the parameters' type (buffer 4, `p`) that the stages of one kernel agree on.
struct StageTypes {
  bool bfloat = false;
  int headDim = 0; ///< of attention; layouts and stores of new tokens take p.head_dim
  int warps = 4;   ///< simdgroups of a threadgroup of prefill, 4 or 8

  std::string element() const { return bfloat ? "bfloat" : "half"; }
};

/// Decode: the rows of head gid.x of batch gid.y. Leaves here, row, place.
Stage headLayoutStage(const StageTypes &types);
/// Takes row and place, leaves rotated.
///   params    the type of `p`, which has rope_size and table_row
///   headDim   an expression: "64", "p.head_dim"
Stage ropeStage(const StageTypes &types, const std::string &params, const std::string &headDim);
/// Takes here and row; stages the query itself.
Stage flashDecodeStage(const StageTypes &types);
/// Takes here and RopeStage's rotated.
Stage flashDecodeFusedStage(const StageTypes &types);

/// Prefill, each a kernel of its own.
Stage sdpaPrefillStage(const StageTypes &types);
Stage sdpaPrefillSplitKPartStage(const StageTypes &types);
Stage sdpaPrefillSplitKReduceStage(const StageTypes &types);

/// New tokens (kv_stages.h): token gid.x of head gid.y of batch gid.z. Both leave here, row and place.
Stage queryLayoutStage(const StageTypes &types);
Stage kvLayoutStage(const StageTypes &types);
/// Take here; the fused ones take rotated, too.
Stage queryPackStage(const StageTypes &types);
Stage queryPackFusedStage(const StageTypes &types);
Stage kvWriteStage(const StageTypes &types);
Stage kvWriteFusedStage(const StageTypes &types);

} // namespace assay::kernels::foundry
