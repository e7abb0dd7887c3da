// The engine that shim tests play: what the shim asked for, and what it is answered.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace assay::test {

enum Operation : unsigned {
#define ASSAY_SIMD_OP(Name, text, inputs, Result) k##Name,
#include "msl_shim/detail/simd_ops.def"
#undef ASSAY_SIMD_OP
};
enum Type : unsigned {
#define ASSAY_SCALAR(Name, metalName, shortName, bytes, Class) k##Name##Type,
#include "msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR
};
inline const unsigned kInputs[] = {
#define ASSAY_SIMD_OP(Name, text, inputs, Result) inputs,
#include "msl_shim/detail/simd_ops.def"
#undef ASSAY_SIMD_OP
};
inline const unsigned kBytes[] = {
#define ASSAY_SCALAR(Name, metalName, shortName, bytes, Class) bytes,
#include "msl_shim/detail/scalar_types.def"
#undef ASSAY_SCALAR
};

struct Call {
  unsigned operation, type, count, operand;
  std::vector<unsigned char> in;
};
inline std::vector<Call> calls;
inline std::vector<unsigned char> answer; // what the next operation returns
inline unsigned barrierFlags;
inline unsigned lane; ///< that calls

template <class T> void answerWith(std::initializer_list<T> values) {
  answer.resize(values.size() * sizeof(T));
  std::memcpy(answer.data(), values.begin(), answer.size());
}
template <class T> std::vector<T> brought(const Call &call) {
  std::vector<T> values(call.in.size() / sizeof(T));
  std::memcpy(values.data(), call.in.data(), call.in.size());
  return values;
}

} // namespace assay::test
