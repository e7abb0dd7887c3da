// Geometric functions: names and types. Values: metal_stdlib_test.cpp.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(GeometricHeader, DeclaresEveryFunctionForHalfAndFloatVectors) {
  expectSignatures(
      "metal_geometric",
      {
          {kFloatVectors,
           "T",
           {"faceforward(x, y, z)", "normalize(x)", "reflect(x, y)", "refract(x, y, Scalar<T>(1))"}},
          {kFloatVectors,
           "Scalar<T>",
           {"distance(x, y)", "distance_squared(x, y)", "dot(x, y)", "length(x)", "length_squared(x)"}},
          {"float3 half3", "T", {"cross(x, y)"}},
          {"float2 float3 float4", "T", {"precise::normalize(x)", "fast::normalize(x)"}},
          {"float2 float3 float4",
           "float",
           {"precise::length(x)", "fast::length(x)", "precise::distance(x, y)", "fast::distance(x, y)"}},
      });
}

} // namespace
