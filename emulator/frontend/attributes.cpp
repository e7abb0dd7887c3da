#include "frontend/attributes.h"
#include "support/abi/builtins.h"

#include <algorithm>
#include <array>
#include <vector>

namespace assay::frontend {
namespace {

using enum AttributeUse;

// source: MSL specification, chapter 5 and section 5.8. Graphics attributes are here so that a file that also
// holds vertex or fragment functions compiles; a kernel that uses one is refused by name.
constexpr std::array kAttributes = {
    AttributeInfo{"kernel", Annotation},
    AttributeInfo{"host_name", Annotation},
    AttributeInfo{"max_total_threads_per_threadgroup", Annotation},
    AttributeInfo{"required_threads_per_threadgroup", Annotation},
    AttributeInfo{"user_annotation", Annotation},
    AttributeInfo{"buffer", Slot},
    AttributeInfo{"threadgroup", Slot},
    AttributeInfo{"texture", Slot},
    AttributeInfo{"sampler", Slot},
    AttributeInfo{"id", Annotation},
    AttributeInfo{"function_constant", FunctionConstant},
    AttributeInfo{"visible", Graphics},
    AttributeInfo{"stitchable", Graphics},
    AttributeInfo{"vertex", Graphics},
    AttributeInfo{"fragment", Graphics},
    AttributeInfo{"object", Graphics},
    AttributeInfo{"mesh", Graphics},
    AttributeInfo{"intersection", Graphics},
    AttributeInfo{"patch", Graphics},
    AttributeInfo{"early_fragment_tests", Graphics},
    AttributeInfo{"max_total_threadgroups_per_mesh_grid", Graphics},
    AttributeInfo{"stage_in", Graphics},
    AttributeInfo{"attribute", Annotation},
    AttributeInfo{"position", Graphics},
    AttributeInfo{"point_size", Graphics},
    AttributeInfo{"point_coord", Graphics},
    AttributeInfo{"color", Slot},
    AttributeInfo{"user", Graphics},
    AttributeInfo{"flat", Graphics},
    AttributeInfo{"vertex_id", Graphics},
    AttributeInfo{"instance_id", Graphics},
    AttributeInfo{"base_vertex", Graphics},
    AttributeInfo{"base_instance", Graphics},
    AttributeInfo{"amplification_id", Graphics},
    AttributeInfo{"amplification_count", Graphics},
    AttributeInfo{"invariant", Graphics},
    AttributeInfo{"clip_distance", Graphics},
    AttributeInfo{"shared", Graphics},
    AttributeInfo{"center_perspective", Graphics},
    AttributeInfo{"center_no_perspective", Graphics},
    AttributeInfo{"centroid_perspective", Graphics},
    AttributeInfo{"centroid_no_perspective", Graphics},
    AttributeInfo{"sample_perspective", Graphics},
    AttributeInfo{"sample_no_perspective", Graphics},
    AttributeInfo{"index", Graphics},
    AttributeInfo{"depth", Graphics},
    AttributeInfo{"stencil", Graphics},
    AttributeInfo{"sample_id", Graphics},
    AttributeInfo{"sample_mask", Graphics},
    AttributeInfo{"post_depth_coverage", Graphics},
    AttributeInfo{"front_facing", Graphics},
    AttributeInfo{"primitive_id", Graphics},
    AttributeInfo{"primitive_culled", Graphics},
    AttributeInfo{"barycentric_coord", Graphics},
    AttributeInfo{"render_target_array_index", Graphics},
    AttributeInfo{"viewport_array_index", Graphics},
    AttributeInfo{"raster_order_group", Graphics},
    AttributeInfo{"patch_id", Graphics},
    AttributeInfo{"position_in_patch", Graphics},
    AttributeInfo{"imageblock_data", Graphics},
    AttributeInfo{"alias_implicit_imageblock", Graphics},
    AttributeInfo{"alias_implicit_imageblock_color", Graphics},
    AttributeInfo{"payload", Graphics},
    AttributeInfo{"accept_intersection", Graphics},
    AttributeInfo{"continue_search", Graphics},
    AttributeInfo{"distance", Graphics},
    AttributeInfo{"origin", Graphics},
    AttributeInfo{"direction", Graphics},
    AttributeInfo{"min_distance", Graphics},
    AttributeInfo{"max_distance", Graphics},
    AttributeInfo{"world_space_origin", Graphics},
    AttributeInfo{"world_space_direction", Graphics},
    AttributeInfo{"geometry_id", Graphics},
    AttributeInfo{"geometry_intersection_function_table_offset", Graphics},
    AttributeInfo{"instance_intersection_function_table_offset", Graphics},
    AttributeInfo{"user_instance_id", Graphics},
    AttributeInfo{"opaque_primitive", Graphics},
    AttributeInfo{"opaque", Graphics},
    AttributeInfo{"function_id", Graphics},
    AttributeInfo{"user_data_buffer", Graphics},
    AttributeInfo{"curve_parameter", Graphics},
    AttributeInfo{"key_frame_count", Graphics},
    AttributeInfo{"motion_start_time", Graphics},
    AttributeInfo{"motion_end_time", Graphics},
    AttributeInfo{"motion_start_border_mode", Graphics},
    AttributeInfo{"motion_end_border_mode", Graphics},
    AttributeInfo{"time", Graphics},
    AttributeInfo{"primitive_data", Graphics},
    AttributeInfo{"object_to_world_transform", Graphics},
    AttributeInfo{"world_to_object_transform", Graphics},
    AttributeInfo{"pixel_position_in_tile", Graphics},
    AttributeInfo{"pixels_per_tile", Graphics},
    AttributeInfo{"tile_index", Graphics},
    AttributeInfo{"function_groups", Hint},
};

// Those of the built-ins, then the others.
constexpr auto kAll = [] {
  std::array<AttributeInfo, kBuiltinCount + std::size(kAttributes)> all{};
  for (size_t i = 0; i < kBuiltinCount; ++i)
    all[i] = {kBuiltins[i].metalName, Builtin};
  for (size_t i = 0; i < std::size(kAttributes); ++i)
    all[kBuiltinCount + i] = kAttributes[i];
  return all;
}();

// How many letters must be inserted, removed, changed or swapped with the next to turn one into the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

} // namespace

const AttributeInfo *misspeltAttribute(std::string_view name) {
  const auto near = [&](const AttributeInfo &info) {
    const size_t allowed = info.name.size() < 6 ? 1 : 2;
    return info.name.size() + 2 >= name.size() && name.size() + 2 >= info.name.size() &&
           info.name.size() > 3 && distance(name, info.name) <= allowed;
  };
  // `thread_position`: whole words, from the first on.
  const auto begins = [&](const AttributeInfo &info) {
    return name.find('_') != name.npos && info.name.size() > name.size() && info.name.starts_with(name) &&
           info.name[name.size()] == '_';
  };
  for (const AttributeInfo &info : kAll)
    if (near(info))
      return &info;
  const auto longer = std::ranges::find_if(kAll, begins);
  return longer == kAll.end() ? nullptr : &*longer;
}

std::span<const AttributeInfo> attributes() {
  return kAll;
}

const AttributeInfo *findAttribute(std::string_view name) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [&](const AttributeInfo &info) { return info.name == name; });
  return found == kAll.end() ? nullptr : found;
}

} // namespace assay::frontend
