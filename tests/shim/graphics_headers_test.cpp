// The headers of graphics, ray tracing and function tables: each has its types when it is included alone.
// What they do is not supported; that a file with them compiles is.
#include "signatures.h"

namespace {

using namespace assay::test;

struct Header {
  const char *name;
  const char *text; ///< a program that uses its names
};

const Header kHeaders[] = {
    {"metal_graphics",
     "float f(float x, half2 y) { if (x < 0) discard_fragment(); return dfdx(x) + fwidth(y).x; }"},
    {"metal_graphics", "float2 f(constant rasterization_rate_map_data &data, float2 p, uint2 q) {\n"
                       "  rasterization_rate_map_decoder map(data);\n"
                       "  return map.map_screen_to_physical_coordinates(p) +\n"
                       "         float2(map.map_physical_to_screen_coordinates(q, 1)); }"},
    {"metal_interpolate",
     "float4 f(interpolant<float4, interpolation::perspective> i) { return i.interpolate_at_center(); }"},
    {"metal_imageblocks", "struct P { rgba8unorm<half4> c; float d; };\n"
                          "half4 f(imageblock<P, imageblock_layout_explicit> b) { "
                          "return half4(b.data(ushort2(0))->c) * b.get_width(); }"},
    {"metal_raytracing",
     "static_assert(sizeof(MTLAccelerationStructureInstanceDescriptor) == 64 &&\n"
     "  sizeof(MTLAccelerationStructureUserIDInstanceDescriptor) == 68 &&\n"
     "  sizeof(MTLAccelerationStructureMotionInstanceDescriptor) == 44);\n"
     "float f(constant MTLAccelerationStructureInstanceDescriptor *d, device MTLPackedFloat3 *o) {\n"
     "  o[1][2] = d[1].transformationMatrix[3][1]; o->y = 1; return d->mask; }"},
    {"metal_raytracing", "static_assert(sizeof(MTLIndirectAccelerationStructureInstanceDescriptor) == 72 &&\n"
                         "  sizeof(MTLIndirectAccelerationStructureMotionInstanceDescriptor) == 48);\n"
                         "void f(device MTLIndirectAccelerationStructureInstanceDescriptor *d, float x,\n"
                         "       raytracing::primitive_acceleration_structure p, "
                         "raytracing::instance_acceleration_structure i) {\n"
                         "  d[1].options = MTLAccelerationStructureInstanceOptionOpaque; d[1].userID = 3;\n"
                         "  d[1].accelerationStructureID = p; d[2].accelerationStructureID = i;\n"
                         "  d[0].transformationMatrix[3][2] = x; d[3] = d[2]; }"},
    {"metal_tessellation", "static_assert(sizeof(MTLQuadTessellationFactorsHalf) == 12 && "
                           "sizeof(MTLTriangleTessellationFactorsHalf) == 8);\n"
                           "float f(patch_control_point<float> p) { return p[0] + p.size(); }"},
    {"metal_visible_function_table",
     "float f(visible_function_table<float(float, int)> t) { return t.empty() ? t.size() : t[1](2.0f, 3); }\n"
     "using T = visible_function_table<void(float)>;\n"
     "static_assert(sizeof(T) == 8 && is_same_v<T::function_pointer_type, void (*)(float)>);\n"
     "static_assert(is_same_v<decltype(T()[0]), void (*)(float)> && is_same_v<decltype(T().size()), uint>);\n"
     "static_assert(is_same_v<decltype(T().empty()), bool>);\n"
     "static_assert(is_same_v<decltype(is_null_visible_function_table(T())), bool>);\n"
     "bool g(const device T *d, constant T &c, thread T &t, threadgroup T *s) { T copy = c; t = d[1]; return "
     "is_null_visible_function_table(*d) || s->empty() || copy[0] == nullptr; }"},
    {"metal_mesh",
     "struct V { float4 p; };\nvoid f(mesh<V, void, 3, 1, topology::triangle> m, mesh_grid_properties g) {\n"
     "  m.set_vertex(0, V{float4(1)}); m.set_index(0, 1); m.set_primitive_count(1);\n"
     "  g.set_threadgroups_per_grid(uint3(1)); }"},
    {"metal_mesh", "struct V { float4 p; };\ntypedef mesh<V, float, 8, 5, topology::line> M;\n"
                   "static_assert(M::max_indices == 10 && M::max_vertices == 8 && M::max_primitives == 5);"},
    {"metal_vertex_value",
     "float4 f(vertex_value<float4> v) { return v.get(vertex_index::first) + v.get(vertex_index::third); }"},
    {"metal_command_buffer",
     "void f(command_buffer b, device float *p, const device ushort *i, constant void *q,\n"
     "       constant MTLTriangleTessellationFactorsHalf *t, const device uint *n, depth_stencil_state d) {\n"
     "  render_command c(b, 1); c.set_vertex_buffer(p, 0); c.set_vertex_buffer(q, 16, 1);\n"
     "  c.set_object_buffer(p, 0); c.set_mesh_buffer(q, 1); c.set_fragment_buffer(p, 2);\n"
     "  c.set_cull_mode(cull_mode::back); c.set_front_facing_winding(winding::counterclockwise);\n"
     "  c.set_triangle_fill_mode(triangle_fill_mode::lines); c.set_depth_clip_mode(depth_clip_mode::clamp);\n"
     "  c.set_depth_bias(1, 2, 3); c.set_depth_stencil_state(d); c.set_barrier(); c.clear_barrier();\n"
     "  c.set_object_threadgroup_memory_length(16, 0);\n"
     "  c.draw_primitives(primitive_type::triangle, 0, 3, 1, 0);\n"
     "  c.draw_indexed_primitives(primitive_type::triangle, 3, i, 1);\n"
     "  c.draw_patches(3, 0, 1, n, 1, 0, t); c.draw_indexed_patches(3, 0, 1, n, q, 1, 0, t, 2, 0.5f);\n"
     "  c.draw_mesh_threadgroups(uint3(1), uint3(2), uint3(3)); c.draw_mesh_threads(1, 2, 3); c.reset();\n"
     "  compute_command k(b, 0); k.set_kernel_buffer(p, 0); k.set_kernel_buffer(q, 4, 1);\n"
     "  k.set_imageblock_size(ushort2(16)); k.set_stage_in_region(uint3(0), uint3(1));\n"
     "  k.set_threadgroup_memory_length(16, 0); k.set_barrier(); k.clear_barrier(); k.copy_command(k);\n"
     "  k.concurrent_dispatch_threadgroups(uint3(1), uint3(32)); }"},
    {"metal_raytracing",
     "using namespace metal::raytracing;\n"
     "float f(acceleration_structure<instancing> s, intersection_function_buffer_arguments b) {\n"
     "  intersector<triangle_data, curve_data, instancing, intersection_function_buffer> i;\n"
     "  i.assume_curve_type(curve_type::round); i.assume_curve_basis(curve_basis::catmull_rom);\n"
     "  i.assume_curve_control_point_count(4); i.set_base_id(1); i.set_geometry_multiplier(2);\n"
     "  auto hit = i.intersect(ray(float3(0), float3(1)), s, b);\n"
     "  intersection_query<curve_data> q; if (q.next()) q.commit_curve_intersection();\n"
     "  return hit.type == intersection_type::curve ? hit.curve_parameter : "
     "q.get_committed_curve_parameter();\n"
     "}"},
    {"metal_raytracing",
     "using namespace metal::raytracing;\n"
     "float f(instance_acceleration_structure s, intersection_function_table<triangle_data, instancing> t) "
     "{\n"
     "  ray r(float3(0), float3(0, 0, 1)); intersector<triangle_data, instancing> i;\n"
     "  i.assume_geometry_type(geometry_type::triangle | geometry_type::curve); auto hit = i.intersect(r, s, "
     "0xff, t);\n"
     "  intersection_query<triangle_data, instancing> q(r, s); while (q.next()) "
     "q.commit_triangle_intersection();\n"
     "  return hit.type == intersection_type::none ? r.max_distance : hit.distance; }"},
    {"metal_raytracing",
     "using namespace metal::raytracing;\n"
     "bool f(instance_acceleration_structure s, intersection_params p) {\n"
     "  p.set_geometry_cull_mode(geometry_cull_mode::triangle | geometry_cull_mode::bounding_box);\n"
     "  intersection_query<triangle_data, instancing> q; q.reset(ray(), s, 0xff, p); q.next();\n"
     "  intersection_params other = q.get_intersection_params();\n"
     "  return q.is_candidate_non_opaque_bounding_box(); }"},
};

TEST(GraphicsHeaders, HaveTheirTypesWhenTheyAreIncludedAlone) {
  for (const Header &header : kHeaders)
    expectCompiles(header.name, header.text);
}

// What select is declared by is included by all that programs include for it.
TEST(Headers, OfSimdAreThereByParts) {
  for (const char *header :
       {"simd/simd.h", "simd/types.h", "simd/vector_types.h", "simd/vector.h", "simd/base.h", "simd/common.h",
        "simd/conversion.h", "simd/geometry.h", "simd/logic.h", "simd/math.h", "simd/vector_make.h"})
    expectCompiles(header, "vector_float4 f(simd_float3 a) { return a.xyzz; }");
  for (const char *header : {"simd/matrix_types.h", "simd/matrix.h"})
    expectCompiles(header, "matrix_float4x4 f(simd_float4 a) { return simd_float4x4(a, a, a, a); }");
}

TEST(Headers, BringSelectAndTheVectorTypes) {
  for (const char *header : {"metal_math", "metal_integer", "metal_common", "metal_geometric",
                             "metal_simdgroup", "metal_compute", "metal_relational", "metal_quadgroup"})
    expectCompiles(header,
                   "float4 f(float4 a, bool4 b) { return select(a, a, b) + select(1.0f, 2.0f, b.x); }");
}

} // namespace
