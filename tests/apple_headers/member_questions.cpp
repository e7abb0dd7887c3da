#include "member_questions.h"

#include <algorithm>
#include <set>

namespace assay::apple_headers {

namespace {

// Atomics have no objects in thread memory.
constexpr const char *kClasses[] = {
    "array<int, 4>",
    "array<texture2d<float>, 2>",
    "array_ref<int>",
    "array_ref<float>",
    "uniform<int>",
    "uniform<float>",
    "uniform<half>",
    "uniform<bool>",
    "uniform<uint>",
    "sampler",
    "float3x3",
    "half2x4",
    "float4x3",
    "simdgroup_float8x8",
    "simdgroup_matrix<half, 8, 8>",
    "simd_vote",
    "quad_vote",
    "visible_function_table<int(int, float)>",
    "raytracing::ray",
    "raytracing::instance_acceleration_structure",
    "raytracing::primitive_acceleration_structure",
    "raytracing::acceleration_structure<>",
    "raytracing::acceleration_structure<raytracing::instancing>",
    "raytracing::acceleration_structure<raytracing::instancing, raytracing::primitive_motion>",
    "raytracing::intersector<>",
    "raytracing::intersector<raytracing::triangle_data>",
    "raytracing::intersector<raytracing::instancing, raytracing::triangle_data, "
    "raytracing::world_space_data>",
    "raytracing::intersector<raytracing::instancing, raytracing::instance_motion, "
    "raytracing::primitive_motion>",
    "raytracing::intersector<raytracing::curve_data>",
    "raytracing::intersection_query<>",
    "raytracing::intersection_query<raytracing::triangle_data>",
    "raytracing::intersection_query<raytracing::curve_data>",
    "raytracing::intersection_query<raytracing::instancing, raytracing::triangle_data>",
    "raytracing::intersection_query<raytracing::instancing, raytracing::max_levels<3>>",
    "raytracing::intersection_result<>",
    "raytracing::intersection_result<raytracing::triangle_data>",
    "raytracing::intersection_result<raytracing::instancing, raytracing::triangle_data, "
    "raytracing::world_space_data>",
    "raytracing::intersection_result<raytracing::instancing, raytracing::max_levels<3>>",
    "raytracing::intersection_result<raytracing::curve_data>",
    "raytracing::intersection_function_table<>",
    "raytracing::intersection_function_table<raytracing::triangle_data, raytracing::instancing>",
    "raytracing::intersection_function_handle<>",
    "raytracing::intersection_params",
    "function_handle",
    "command_buffer",
    "compute_command",
    "render_command",
    "compute_pipeline_state",
    "render_pipeline_state",
    "depth_stencil_state",
    "interpolant<float, interpolation::perspective>",
    "interpolant<half2, interpolation::no_perspective>",
    "mesh_grid_properties",
    "mesh<float4, void, 3, 1, topology::triangle>",
    "tensor<device float, extents<int, 4, 8>, tensor_handle>",
    "tensor<device float, dextents<int, 2>, tensor_handle>",
    "tensor<device half, dextents<int, 2>, tensor_inline>",
    "tensor<threadgroup float, extents<int, 4, 8>, tensor_inline>",
    "extents<int, 4, 8>",
    "extents<int, 4, dynamic_extent>",
    "dextents<int, 2>",
    "numeric_limits<float>",
    "numeric_limits<half>",
    "numeric_limits<int>",
    "numeric_limits<bool>",
    "rgba8unorm<half4>",
    "rgba8unorm<float4>",
    "r8unorm<half>",
    "rg8unorm<half2>",
    "r16snorm<float>",
    "rgb10a2<float4>",
    "rg11b10f<float3>",
    "rgb9e5<half3>",
    "srgba8unorm<half4>",
    "rg16snorm<float2>",
    "bias",
    "level",
    "gradient2d",
    "gradient3d",
    "gradientcube",
    "min_lod_clamp",
    "sparse_color<float4>",
    "plus<int>",
    "vertex_value<float>",
    "rasterization_rate_map_decoder",
    "MTLDrawPrimitivesIndirectArguments",
    "MTLDispatchThreadgroupsIndirectArguments",
};

// Of these the memory of the object is judged alone: textures have their own questions.
constexpr const char *kClassesOfMemories[] = {
    "os_log",
    "texture1d<half, access::read_write>",
    "texture2d<float>",
    "texture2d<uint, access::write>",
    "texture2d_array<half, access::read>",
    "texture2d_ms<float>",
    "texture3d<int, access::read_write>",
    "texturecube<float>",
    "texture_buffer<float, access::read_write>",
    "depth2d<float>",
    "depthcube_array<float>",
    "depth2d_ms<float, access::read>",
};

bool hasMemory(const std::string &type) {
  for (const char *memory : {"device ", "constant ", "threadgroup "})
    if (type.starts_with(memory) || type.starts_with("const " + std::string(memory)))
      return true;
  return false;
}

/// The text of an expression that uses a member, with its first `count` arguments, or with that many
/// parameters the object is a0 and they follow.
std::string expressionOf(const std::string &type, const Member &member, size_t count) {
  using enum Member::Kind;
  const bool hasObject = member.kind == Function || member.kind == Field;
  std::string arguments;
  for (size_t i = 0; i < count; ++i)
    arguments += (i ? ", a" : "a") + std::to_string(i + hasObject);
  if (member.kind == Field)
    return "a0." + member.name;
  if (member.kind == Constant)
    return type + "::" + member.name;
  if (member.kind == StaticFunction)
    return type + "::" + member.name + "(" + arguments + ")";
  if (member.kind == Constructor)
    return type + "(" + arguments + ")";
  if (member.kind == Conversion)
    return "static_cast<" + member.name + ">(a0)";
  const std::string operation = operatorOf(member);
  if (operation.empty())
    return "a0." + member.name + "(" + arguments + ")";
  if (operation == "[]")
    return "a0[a1]";
  if (operation == "()")
    return "a0(" + arguments + ")";
  if (count == 0)
    return operation + "a0";
  return operation == "++" || operation == "--" ? "a0" + operation : "a0 " + operation + " a1";
}

/// A value of no class is not const.
std::string valueType(const std::string &type) {
  constexpr std::string_view kConst = "const ";
  const bool isValue = type.find_first_of(":*&") == type.npos;
  return isValue && type.starts_with(kConst) ? type.substr(kConst.size()) : type;
}

std::optional<Probe> probeOf(const std::string &type, const Member &member, size_t count) {
  using enum Member::Kind;
  Probe probe;
  probe.what = type + ": " + member.text();
  if (member.kind == Function || member.kind == Field || member.kind == Conversion)
    probe.parameters.push_back((member.isConst ? "const thread " : "thread ") + type + " &");
  for (size_t i = 0; i < count; ++i) {
    const std::optional<std::string> parameter = parameterType(member.parameters[i]);
    if (!parameter)
      return std::nullopt;
    probe.parameters.push_back(*parameter);
  }
  if (member.kind == Type) {
    probe.statements = "typedef " + type + "::" + member.name + " t;";
    return probe;
  }
  probe.call = expressionOf(type, member, count);
  if (member.kind == Constructor && count == 0)
    probe.statements = type + " v; (void)v;";
  else if (member.kind == Constructor)
    probe.statements = type + " v(" + probe.call.substr(type.size() + 1) + "; (void)v;";
  // The type of a member that is named is that of the member, not that of an expression.
  if (member.kind == Function || member.kind == StaticFunction)
    if (const std::optional<std::string> result = parameterType(valueType(member.result)))
      probe.result = *result;
  if (member.kind == Field || member.kind == Constant)
    if (const std::optional<std::string> result = parameterType(member.result))
      probe.statements = "(void)(" + probe.call + "); static_assert(Same<decltype(" + probe.call + "), " +
                         *result + ">::value, \"another type\");";
  return probe;
}

/// Each once, with all parameters and with those alone that have no default.
std::vector<Probe> probesOf(const MemberLists &lists, bool (*isAsked)(const Member &)) {
  std::vector<Probe> probes;
  std::set<std::string> known;
  for (const auto &[type, members] : lists)
    for (const Member &member : members) {
      if (!isAsked(member) || member.isTemplate || member.isDeleted || !isForPrograms(member))
        continue;
      for (const size_t count : {member.parameters.size(), member.required})
        if (std::optional<Probe> probe = probeOf(type, member, count);
            probe && known.insert(programLine(*probe, 0)).second)
          probes.push_back(std::move(*probe));
    }
  return probes;
}

/// Operators that need not be members may be functions on one side: random expressions ask for them.
bool hasNameToJudge(const Member &member) {
  const std::string operation = operatorOf(member);
  return member.kind != Member::Kind::Constructor && member.kind != Member::Kind::Conversion &&
         (operation.empty() || operation == "[]" || operation == "()");
}

/// Without its arguments.
std::string templateOf(const std::string &type) {
  return type.substr(0, type.find('<'));
}

} // namespace

std::vector<std::string> judgedClasses() {
  return {std::begin(kClasses), std::end(kClasses)};
}

std::vector<std::string> classesOfMemories() {
  std::vector<std::string> classes = judgedClasses();
  classes.insert(classes.end(), std::begin(kClassesOfMemories), std::end(kClassesOfMemories));
  return classes;
}

std::optional<std::string> parameterType(const std::string &type) {
  if (type.find("::_") != type.npos || type.starts_with("_") || type.find("type-parameter") != type.npos ||
      type.find("&&") != type.npos || type.find("...") != type.npos || type.find("(&") != type.npos ||
      type.find("(*") != type.npos || type.find('[') != type.npos ||
      std::ranges::count_if(type, [](char c) { return c == '*' || c == '&'; }) > 1)
    return std::nullopt;
  const bool pointsAway = type.ends_with("*") || type.ends_with("&");
  return pointsAway && !hasMemory(type) ? "thread " + type : type;
}

std::vector<Probe> memberProbes(const MemberLists &lists) {
  return probesOf(lists, [](const Member &) { return true; });
}

std::vector<Probe> memberProbesElsewhere(const MemberLists &lists, const CompiledHeaders &elsewhere,
                                         const std::string &memory) {
  constexpr std::string_view kThread = "thread ";
  std::vector<Probe> questions = probesOf(lists, [](const Member &member) {
    return (member.kind == Member::Kind::Function && member.name != "operator=") ||
           member.kind == Member::Kind::Conversion;
  });
  for (Probe &probe : questions) {
    probe.result.clear();
    probe.statements.clear();
  }
  const std::map<size_t, std::string> refused = elsewhere.refused(questions);
  for (size_t i = 0; i < questions.size(); ++i) {
    std::string &object = questions[i].parameters[0];
    object.replace(object.find(kThread), kThread.size(), memory + " ");
    questions[i].what = memory + " " + questions[i].what;
    questions[i].accepted = !refused.contains(i);
  }
  return questions;
}

std::vector<std::string> memberNameDifferences(const MemberLists &apples, const MemberLists &ours) {
  const auto namesOf = [](const std::vector<Member> &members) {
    std::set<std::string> names;
    for (const Member &member : members)
      if (isForPrograms(member) && hasNameToJudge(member))
        names.insert(member.name);
    return names;
  };
  std::map<std::string, std::string> differences; // one for a template
  for (const auto &[type, members] : apples) {
    const std::set<std::string> theirs = namesOf(members), mine = namesOf(ours.at(type));
    for (const std::string &name : mine)
      if (!theirs.contains(name))
        differences.emplace(templateOf(type) + "::" + name, "is not Apple's, in " + type);
    for (const std::string &name : theirs)
      if (!mine.contains(name))
        differences.emplace(templateOf(type) + "::" + name, "is missing in " + type);
  }
  std::vector<std::string> list;
  for (const auto &[name, what] : differences)
    list.push_back(name + " " + what);
  return list;
}

} // namespace assay::apple_headers
