// What a kernel tells the runtime about one texture access, and what a handle is. Both the shim and the
// runtime include this header, so it includes nothing and declares only plain data.
//
// A texture is a 64-bit handle: 0 is the null texture, n + 1 the one at [[texture(n)]], and numbers from
// kFirstResourceId on are MTLResourceIDs, which a host writes into argument buffers. So zeroed memory holds
// null textures, and a handle that a kernel made up is looked up and refused, never followed. A sampler is
// n + 1, too, or, with its top bit set, the options themselves (a constexpr sampler, or one of an argument
// buffer).
//
// The dispatch compares a texture in a slot with the kernel's argument before anything runs. It cannot see
// what a kernel will find in memory, so each access says as which class of textures it was compiled
// (Declared), and the runtime compares that with the texture that it looked up. Rejected: to look at the
// bytes of every bound buffer before the run, which misses buffers that only an address leads to, and what
// kernels write.
#pragma once

namespace __assay_texture {

inline constexpr unsigned long long kFirstResourceId = 1ull << 32;

// The classes of <metal_texture>, numbered as the rows of the table.
enum TextureClassNumber : unsigned {
#define ASSAY_TEXTURE_CLASS(metal, type, depth) kClass_##metal,
#include "texture_types.def"
};

// metal::access has these numbers.
enum DeclaredAccess : unsigned { kSampled, kOnlyRead, kOnlyWritten, kReadAndWritten };

/// The class of textures as which an access was compiled: TextureClassNumber, a row of scalar_types.def for
/// the element and DeclaredAccess, a byte each.
enum DeclaredField : unsigned { kClassBit = 0, kElementBit = 8, kAccessBit = 16 };

// Fields of a sampler's options: first bit and width.
enum SamplerField : unsigned {
  kCoordBit = 0,       // 1: normalized or pixel
  kSAddressBit = 1,    // 3
  kTAddressBit = 4,    // 3
  kRAddressBit = 7,    // 3
  kMagFilterBit = 10,  // 1
  kMinFilterBit = 11,  // 1
  kMipFilterBit = 12,  // 2
  kCompareBit = 14,    // 3
  kBorderBit = 17,     // 2
  kAnisotropyBit = 19, // 5
  kLodMinBit = 24,     // 16: half bits
  kLodMaxBit = 40,     // 16: half bits
  kMagBicubicBit = 56, // 1: the filter is bicubic, whatever the other bit says
  kMinBicubicBit = 57, // 1
  kReductionBit = 58,  // 2
  kBiasBit = 60,       // 1: the options have a bias other than 0
  kInlineBit = 63
};
inline constexpr unsigned long long kHalfInfinity = 0x7c00;
/// nearest, clamp_to_edge, normalized, no mip levels, any level of detail
inline constexpr unsigned long long kDefaultSampler = 1ull << kAnisotropyBit | kHalfInfinity << kLodMaxBit;

/// Which texel: words of an access without a sampler.
enum Where : unsigned { kX, kY, kZ, kLayer, kLevel, kSampleIndex, kDeclared, kWhereWords };

enum Query : unsigned { kWidth, kHeight, kDepth, kArraySize, kMipLevels, kSamples, kIsNull };

enum Operation : unsigned { kSample, kSampleCompare, kGather, kGatherCompare };
enum LodKind : unsigned { kNoLod, kLevelLod, kBiasLod, kGradientLod };

enum AtomicOperation : unsigned {
  kAtomicLoad,
  kAtomicStore,
  kAtomicExchange,
  kAtomicCompareExchange,
  kAtomicAdd,
  kAtomicSub,
  kAtomicAnd,
  kAtomicOr,
  kAtomicXor,
  kAtomicMin,
  kAtomicMax,
  kAtomicWideMin,
  kAtomicWideMax
};

/// An atomic operation on the one component of a texel of 32-bit integers. The wide ones are on the two
/// components of a texel as one number, whose lower half is the first.
struct AtomicRequest {
  unsigned where[kWhereWords];
  unsigned operation; // AtomicOperation
  unsigned isSigned;  // of min and max
  unsigned operand;
  unsigned expected; // of a comparison with exchange; of the wide ones the operand's upper half
};

struct SampleRequest {
  float coordinate[3];
  float reference;   // of a comparison
  unsigned declared; // as kDeclared
  unsigned layer;
  int offset[3];
  unsigned operation; // Operation
  unsigned component; // of a gather: 0 to 3
  unsigned lodKind;   // LodKind
  float lod;          // a level or a bias
  float minLod;       // min_lod_clamp
  float dx[3], dy[3]; // gradients
};

} // namespace __assay_texture
