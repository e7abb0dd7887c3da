// The reflection of a compiled .metal file. The front end makes it, and all later stages read it.
#pragma once

#include "../text/diagnostic.h"
#include "builtins.h"
#include "pixel_format.h"
#include "scalar_type.h"
#include "tensor_element.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

enum class AddressSpace : uint8_t { Thread, Device, Constant, Threadgroup };
std::string_view nameOf(AddressSpace space); ///< the keyword: "device"
enum class ArgumentKind : uint8_t {
  Buffer,
  ThreadgroupMemory,
  Builtin,
  Texture,
  Sampler,
  FunctionTable,
  Tensor,
  Attribute ///< a member of the structure that is [[stage_in]]: a value of each thread
};
enum class Access : uint8_t { Read, Write, ReadWrite, Sample };

/// The address-space numbers in IR, from Clang's fake map (lowering drops them before code generation).
enum IrAddressSpace : unsigned { kIrThread = 0, kIrThreadgroup = 3, kIrDevice = 5, kIrConstant = 6 };

/// An attribute of IR functions whose text is the shim's: no debugger stops in them.
inline constexpr char kShimFunction[] = "assay-shim";

/// How a kernel uses a texture.
struct TextureUse {
  TextureType type = TextureType::Type2D;
  bool depth = false;
  std::optional<ScalarType> element = {}; ///< the class's T
  Access access = Access::Sample;
};

/// How a kernel uses a tensor that the host binds.
struct TensorUse {
  static constexpr uint64_t kAnyExtent = UINT64_MAX;
  TensorElement element;
  bool scales = false;                       ///< it has a plane of scales
  AddressSpace space = AddressSpace::Device; ///< of the elements
  Access access = Access::Read;
  ScalarType index = ScalarType::Int; ///< of its extents and strides
  std::vector<uint64_t> extents;      ///< innermost first; kAnyExtent where the host decides

  size_t rank() const { return extents.size(); }
};

/// A member of an argument buffer: a value, an address of a buffer, a texture, a sampler, a function table,
/// a tensor, or an array of one of them.
struct MemberInfo {
  std::string name;                     ///< "a", or "inner.a" in a nested struct
  uint32_t id = 0;                      ///< of [[id(n)]], or the next
  std::string type;                     ///< as the user would write it
  uint32_t offset = 0;                  ///< in the struct
  uint32_t bytes = 0;                   ///< of one element
  uint32_t count = 1;                   ///< elements; each has an id of its own
  std::optional<AddressSpace> pointsTo; ///< of an address
  Access access = Access::Read;         ///< to what it points to
  std::optional<TextureUse> texture;    ///< of a texture: eight bytes, its gpuResourceID
  bool sampler = false;                 ///< likewise
  bool functionTable = false;           ///< likewise, the table's gpuResourceID
  std::optional<TensorUse> tensor;      ///< likewise, the tensor's gpuResourceID
};

/// The number of elements of an array, and their distance.
struct FieldExtent {
  uint32_t count = 0;
  uint32_t bytes = 0; ///< from one to the next
};

enum class FieldKind : uint8_t {
  Value,
  Address, ///< of a buffer: eight bytes
  Handle,  ///< a texture, a sampler, a function table or a tensor: eight bytes that the host makes
};

/// What an address in a struct points to.
struct PointeeInfo {
  Access access = Access::Read;
  uint32_t bytes = 0;                ///< of one; 0: it has none, or the file never uses one
  uint32_t align = 1;                ///< likewise
  std::optional<ScalarType> element; ///< of a scalar, vector, matrix or array
  uint32_t components = 1;           ///< of a vector
  std::optional<uint32_t> structure; ///< in ModuleInfo::structs, if it is a struct
};

/// A scalar of a struct, or an array of them. Structs inside are flattened.
struct FieldInfo {
  std::string name;    ///< "scale", "inner.a", "heads[].strides[]": each [] is an extent, from left to right.
                       ///< A vector is an array, a matrix an array of columns
  uint32_t offset = 0; ///< of the first element, in the struct
  FieldKind kind = FieldKind::Value;
  ScalarType type = ScalarType::UInt; ///< of an element
  std::vector<FieldExtent> extents;
  std::string spelling;               ///< its type as the user would write it; of an array, its element's
  uint32_t components = 1;            ///< of a vector, or of a matrix's columns: the last of the extents
  uint32_t columns = 1;               ///< of a matrix: the extent before it
  std::optional<PointeeInfo> pointee; ///< of an address
  std::optional<TextureUse> texture;  ///< of a handle
  bool sampler = false;               ///< likewise
  bool functionTable = false;         ///< likewise
  std::optional<TensorUse> tensor;    ///< likewise
};

/// A struct that a buffer argument points to, or an address in another struct.
struct StructInfo {
  std::string name; ///< as the user would write it
  uint32_t bytes = 0;
  std::vector<FieldInfo> fields; ///< in the order of the declaration
  std::string unsupported;       ///< what it has that `fields` cannot express, which is then empty
};

struct ArgumentInfo {
  std::string name;
  ArgumentKind kind = ArgumentKind::Buffer;
  uint32_t index = 0; ///< slot of its kind; not used for built-ins. Tables and tensors have buffers'.
                      ///< Of an attribute, the number of [[attribute(n)]]
  AddressSpace space = AddressSpace::Device;
  std::string type; ///< as the user would write it: "const device float *"
  bool isReference = false;
  uint32_t pointeeBytes = 0; ///< size of what is pointed to, of a tensor's element, or of an attribute;
                             ///< 0 if it has none
  uint32_t pointeeAlign = 1;
  std::optional<ScalarType> element; ///< the scalar of a scalar, vector or array pointee, or of an
                                     ///< attribute; a texture's T
  Access access = Access::Read;
  std::optional<Builtin> builtin; ///< for ArgumentKind::Builtin
  TextureType textureType = TextureType::Type2D;
  bool depthTexture = false;
  uint32_t count = 1;                ///< slots that it takes: of an array of textures or samplers
  std::string condition;             ///< name of the function constant that must be true, or empty
  std::string conditionSymbol;       ///< its global variable in IR
  std::string indexConstant;         ///< name of the program-scope constant that is its index, or empty:
                                     ///< `index` counts only once the constants are known (placeArguments)
  std::string indexSymbol;           ///< its global variable in IR
  std::vector<MemberInfo> members;   ///< of an argument buffer
  std::optional<uint32_t> structure; ///< in ModuleInfo::structs: what a buffer points to, if it is a struct
  std::optional<TensorUse> tensor;   ///< for ArgumentKind::Tensor
  uint32_t components = 1;           ///< for ArgumentKind::Attribute: of a vector

  TextureUse textureUse() const { return {textureType, depthTexture, element, access}; } ///< of a texture
  bool takesFunctionTables() const; ///< it is one, or an argument buffer with one
};

/// FunctionConstantInfo::index of a program-scope constant that is computed from others and decides about an
/// argument: it has a symbol to read, but no index to set it by.
inline constexpr uint32_t kComputedConstant = 0xFFFFFFFFu;

struct FunctionConstantInfo {
  std::string name; ///< as in the source, qualified if in a namespace
  uint32_t index = 0;
  ScalarType type = ScalarType::Bool;
  uint32_t components = 1;
  std::string symbol;      ///< the global variable in IR
  bool hasDefault = false; ///< the source asks is_function_constant_defined of it, so it may have no value
  /// Whether both are one constant for hosts, although each source has a variable of its own.
  bool isSameAs(const FunctionConstantInfo &other) const {
    return index == other.index && name == other.name && type == other.type && components == other.components;
  }
};

struct KernelInfo {
  std::string name;                      ///< entry name: host_name if given, else the function's name
  std::string function;                  ///< as the source calls it, qualified, without template arguments
  std::string entrySymbol;               ///< IR function `void ()` that gets arguments and calls the kernel;
                                         ///< empty if the kernel was not asked for
  std::vector<ArgumentInfo> arguments;   ///< in source order
  uint32_t maxTotalThreads = 0;          ///< max_total_threads_per_threadgroup, 0 if not given
  std::vector<uint32_t> requiredThreads; ///< required_threads_per_threadgroup along x, y and z, or empty
  uint32_t staticThreadgroupBytes = 0;   ///< threadgroup variables reachable from the kernel, before folding
  std::vector<uint32_t> functionConstants; ///< those that the kernel may read: ModuleInfo::functionConstants
  std::string unsupported;                 ///< why it cannot be run: what it has is not supported; else empty
  SourcePlace where;
  bool takesFunctionTables() const; ///< as arguments or in argument buffers
  bool takesStageInput() const;     ///< it has attributes
  /// The slot in which the entry finds the attributes (stage_input_abi.h): the last one without a buffer,
  /// once all arguments have an index. The host's own slots are untouched. Null if all have one.
  std::optional<uint32_t> stageInputSlot() const;
};

/// A function that is not a kernel: it is compiled, but not run by itself.
struct OtherFunctionInfo {
  std::string name;
  std::string kind; ///< its attribute: vertex, fragment, object, mesh, intersection, visible, stitchable
  SourcePlace where;
  // Only of visible and stitchable functions, which a function table may hold:
  std::string type;                        ///< "float (float)"
  std::string symbol;                      ///< the IR function
  std::vector<uint32_t> functionConstants; ///< as KernelInfo::functionConstants
};

struct ModuleInfo {
  std::vector<KernelInfo> kernels;               ///< in source order
  std::vector<OtherFunctionInfo> otherFunctions; ///< in source order
  /// In source order. Sources that were linked may give one index to different constants, and they may have
  /// the same constant, each for itself.
  std::vector<FunctionConstantInfo> functionConstants;
  std::vector<StructInfo> structs; ///< those that arguments and their fields point to, each once
  std::vector<std::string> needs;  ///< symbols in IR that another source has to define
  std::vector<std::string> gives;  ///< symbols in IR that another source may use, and must not define
  const KernelInfo *findKernel(std::string_view name) const;
  const OtherFunctionInfo *findOther(std::string_view name) const;
  /// The struct that a kernel's argument points to; null if it is none.
  const StructInfo *structOf(const ArgumentInfo &argument) const;
  /// The constants at these places of functionConstants, each once.
  std::vector<FunctionConstantInfo> constantsAt(const std::vector<uint32_t> &places) const;
  std::vector<FunctionConstantInfo> distinctConstants() const; ///< all of them, each once
  /// The number of a visible function of this module in function tables: from 1 on; 0 is no function.
  uint32_t handleOf(const OtherFunctionInfo &visible) const {
    return uint32_t(&visible - otherFunctions.data()) + 1;
  }
};

/// One value of a function constant: the bits of its components, zero-extended.
struct ConstantValue {
  ScalarType type = ScalarType::Bool;
  std::vector<uint64_t> components;
};

} // namespace assay
