// The names of msl_shim/detail/primitives.h, and of the primitives that only the front end's entry wrappers
// call.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace assay::lowering {

enum class Primitive {
  BufferDevice,    ///< ptr addrspace(5) (i32 slot)
  BufferConstant,  ///< ptr addrspace(6) (i32 slot)
  ThreadgroupSlot, ///< ptr addrspace(3) (i32 slot)
  TensorRecord,    ///< ptr addrspace(6) (i32 slot): of the tensor that is bound there
  TensorField,     ///< i64 (ptr addrspace(6) record, i32 field): gone after host_tensors.h, as the next four
  TensorDevice,    ///< ptr addrspace(5) (ptr addrspace(6) record)
  TensorConstant,  ///< ptr addrspace(6) (ptr addrspace(6) record)
  TensorScalesDevice,   ///< ptr addrspace(5) (ptr addrspace(6) record)
  TensorScalesConstant, ///< ptr addrspace(6) (ptr addrspace(6) record)
  Builtin,              ///< i32 (i32 builtin, i32 component)
  FunctionConstant,
  FunctionConstantDefined,
  ThreadgroupBarrier,
  SimdOp,
  Spin,            ///< void (): made by insertSpins
  Log,             ///< void (ptr record)
  AssertionFailed, ///< void (ptr expression)
  Refuse,          ///< void (ptr what, i32 simdgroups)
  NoTableEntry,    ///< void (i32 index, i32 size)
  CallsTooDeep,    ///< void (i32 most calls): made by recursive_calls.h
  NoFunction,      ///< void (i64 pointer): made by function_tables.h
  Probe,           ///< void (ptr name, i32 type, i32 count, ptr value)
  TextureRead,
  TextureWrite,
  TextureSample,
  TextureAtomic,
  TextureQuery,
  PointsTo,       ///< i32 (ptr, i32 space): whether the pointer is one into the memory of an IrAddressSpace
  Fence,          ///< void (i32 flags, i32 order, i32 scope): beside LLVM's fence, where memory is observed
  Access,         ///< void (ptr, i64 bytes, i32 how): made by access_marks.h, for each address space
  UnwrittenValue, ///< T (i32 birth): made by unwritten_values.h, for each scalar T
  Publish,        ///< void (i32 register, i32 byte, iN bits): made by publishOperands, for each N
};

/// bool (): folded by profile_reads.h, so that no later pass meets it.
inline constexpr llvm::StringLiteral kFastRecipes = "__assay_fast_recipes";

/// i32 (i32 argument): folded by argument_slots.h, so that no later pass meets it.
inline constexpr llvm::StringLiteral kArgumentSlot = "__assay_argument_slot";

inline constexpr llvm::StringLiteral kBufferDevice = "__assay_buffer_device";
inline constexpr llvm::StringLiteral kBufferConstant = "__assay_buffer_constant";
inline constexpr llvm::StringLiteral kThreadgroupSlot = "__assay_threadgroup_slot";
inline constexpr llvm::StringLiteral kTensorRecord = "__assay_tensor";
inline constexpr llvm::StringLiteral kTensorField = "__assay_tensor_field";
inline constexpr llvm::StringLiteral kTensorDevice = "__assay_tensor_device";
inline constexpr llvm::StringLiteral kTensorConstant = "__assay_tensor_constant";
inline constexpr llvm::StringLiteral kTensorScalesDevice = "__assay_tensor_scales_device";
inline constexpr llvm::StringLiteral kTensorScalesConstant = "__assay_tensor_scales_constant";
inline constexpr llvm::StringLiteral kBuiltin = "__assay_builtin";
inline constexpr llvm::StringLiteral kFunctionConstant = "__assay_function_constant";
inline constexpr llvm::StringLiteral kFunctionConstantDefined = "__assay_is_function_constant_defined";
inline constexpr llvm::StringLiteral kThreadgroupBarrier = "__assay_threadgroup_barrier";
inline constexpr llvm::StringLiteral kSimdOp = "__assay_simd_op";
inline constexpr llvm::StringLiteral kSpin = "__assay_spin";
inline constexpr llvm::StringLiteral kLog = "__assay_log";
inline constexpr llvm::StringLiteral kAssertionFailed = "__assay_assertion_failed";
inline constexpr llvm::StringLiteral kRefuse = "__assay_refuse";
inline constexpr llvm::StringLiteral kNoTableEntry = "__assay_no_table_entry";
inline constexpr llvm::StringLiteral kCallsTooDeep = "__assay_calls_too_deep";
inline constexpr llvm::StringLiteral kNoFunction = "__assay_no_function";
inline constexpr llvm::StringLiteral kProbe = "__assay_probe_value";
inline constexpr llvm::StringLiteral kTextureRead = "__assay_texture_read";
inline constexpr llvm::StringLiteral kTextureWrite = "__assay_texture_write";
inline constexpr llvm::StringLiteral kTextureSample = "__assay_texture_sample";
inline constexpr llvm::StringLiteral kTextureAtomic = "__assay_texture_atomic";
inline constexpr llvm::StringLiteral kTextureQuery = "__assay_texture_query";
inline constexpr llvm::StringLiteral kPointsTo = "__assay_points_to";
inline constexpr llvm::StringLiteral kFence = "__assay_fence";
inline constexpr llvm::StringLiteral kAccess = "__assay_access"; ///< then a dot and the address space
inline constexpr llvm::StringLiteral kUnwrittenValue = "__assay_unwritten"; ///< then a dot and the type
inline constexpr llvm::StringLiteral kPublish = "__assay_publish"; ///< then a dot and the type of the bits

/// The primitive that an instruction calls, if it calls one.
std::optional<Primitive> primitiveOf(const llvm::Value &value);

/// Threadgroup barriers and simd operations: where a lane may have to wait for others.
bool isSite(const llvm::Instruction &instruction);

/// Reads, writes, samples and atomic operations; not questions about a texture.
constexpr bool isTextureAccess(Primitive primitive) {
  return primitive == Primitive::TextureRead || primitive == Primitive::TextureWrite ||
         primitive == Primitive::TextureSample || primitive == Primitive::TextureAtomic;
}

/// A constant argument; nullopt if it is not constant.
std::optional<uint32_t> constantArgument(const llvm::CallBase &call, unsigned index);

/// Gives the declarations the attributes that the optimiser needs, whatever the front end wrote.
void declareEffects(llvm::Module &module);

/// The same for NoTableEntry, CallsTooDeep and NoFunction.
void declareEnd(llvm::Function &function);

/// Tells the optimiser what memory each call touches. Runs once operands are constant.
void refineEffects(llvm::Function &function);

} // namespace assay::lowering
