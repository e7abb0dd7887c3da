#include "frontend/attributes.h"
#include "support/builtins.h"

#include <array>

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
    AttributeInfo{"buffer", Annotation},
    AttributeInfo{"threadgroup", Annotation},
    AttributeInfo{"texture", Annotation},
    AttributeInfo{"sampler", Annotation},
    AttributeInfo{"id", Annotation},
    AttributeInfo{"function_constant", FunctionConstant},
    AttributeInfo{"visible", Annotation},
    AttributeInfo{"stitchable", Annotation},
    AttributeInfo{"vertex", Annotation},
    AttributeInfo{"fragment", Annotation},
    AttributeInfo{"object", Annotation},
    AttributeInfo{"mesh", Annotation},
    AttributeInfo{"intersection", Annotation},
    AttributeInfo{"stage_in", Annotation},
    AttributeInfo{"position", Annotation},
    AttributeInfo{"point_size", Annotation},
    AttributeInfo{"point_coord", Annotation},
    AttributeInfo{"color", Annotation},
    AttributeInfo{"user", Annotation},
    AttributeInfo{"flat", Annotation},
    AttributeInfo{"attribute", Annotation},
    AttributeInfo{"vertex_id", Annotation},
    AttributeInfo{"instance_id", Annotation},
    AttributeInfo{"early_fragment_tests", Annotation},
    AttributeInfo{"grid_origin", Annotation},
    AttributeInfo{"grid_size", Annotation},
    AttributeInfo{"raster_order_group", Annotation},
};

template <size_t... I> constexpr auto builtinAttributes(std::index_sequence<I...>) {
  return std::array{AttributeInfo{kBuiltins[I].metalName, Builtin}...};
}
constexpr auto kBuiltinAttributes = builtinAttributes(std::make_index_sequence<kBuiltinCount>());

} // namespace

const AttributeInfo *findAttribute(std::string_view name) {
  for (const AttributeInfo &info : kAttributes)
    if (info.name == name)
      return &info;
  for (const AttributeInfo &info : kBuiltinAttributes)
    if (info.name == name)
      return &info;
  return nullptr;
}

} // namespace assay::frontend
