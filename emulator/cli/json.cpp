#include "cli/json.h"

namespace assay {

std::string_view nameOf(Access access) {
  switch (access) {
  case Access::Read: return "read";
  case Access::Write: return "write";
  case Access::ReadWrite: return "read-write";
  case Access::Sample: return "sample";
  }
  return "";
}

std::string_view nameOf(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Buffer: return "buffer";
  case ArgumentKind::ThreadgroupMemory: return "threadgroup";
  case ArgumentKind::Builtin: return "builtin";
  case ArgumentKind::Texture: return "texture";
  case ArgumentKind::Sampler: return "sampler";
  case ArgumentKind::FunctionTable: return "table";
  case ArgumentKind::Tensor: return "tensor";
  case ArgumentKind::Attribute: return "attribute";
  }
  return "";
}

Json toJson(const SourcePlace &place) {
  if (place.file.empty())
    return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Diagnostic &d) {
  return {{"severity", nameOf(d.severity)}, {"message", d.message}, {"rule", d.rule},
          {"where", toJson(d.where)},       {"hint", d.hint},       {"sourceLine", d.sourceLine}};
}

Json toJson(const Finding &finding) {
  Json json = toJson(finding.warning);
  json["count"] = finding.count;
  json["notes"] = toJson(finding.notes);
  return json;
}

Json toJson(const std::vector<Diagnostic> &diagnostics) {
  Json list = Json::array();
  for (const Diagnostic &d : diagnostics)
    list.push_back(toJson(d));
  return list;
}

Json toJson(const Error &error) {
  return {{"kind", error.kind == ErrorKind::Kernel ? "kernel" : "usage"},
          {"exitCode", static_cast<int>(error.kind)},
          {"diagnostics", toJson(error.diagnostics)}};
}

static Json toJson(const TextureUse &use) {
  return {{"textureType", textureTypeInfo(use.type).name},
          {"depth", use.depth},
          {"access", nameOf(use.access)},
          {"element", use.element ? Json(scalarTypeInfo(*use.element).metalName) : Json(nullptr)}};
}

// An extent that the host decides is null.
static Json toJson(const TensorUse &use) {
  Json extents = Json::array();
  for (const uint64_t extent : use.extents)
    extents.push_back(extent == TensorUse::kAnyExtent ? Json(nullptr) : Json(extent));
  return {{"element", use.element.metalName()},
          {"scales", use.scales},
          {"space", nameOf(use.space)},
          {"access", nameOf(use.access)},
          {"indexType", scalarTypeInfo(use.index).metalName},
          {"rank", use.rank()},
          {"extents", std::move(extents)}};
}

Json toJson(const ArgumentInfo &a) {
  Json json = {{"name", a.name}, {"kind", nameOf(a.kind)}, {"type", a.type}};
  if (a.kind == ArgumentKind::Builtin) {
    json["builtin"] = a.builtin ? Json(builtinInfo(*a.builtin).metalName) : Json(nullptr);
    return json;
  }
  json["index"] = a.index;
  if (!a.indexConstant.empty())
    json["indexConstant"] = a.indexConstant;
  const Json condition = a.condition.empty() ? Json(nullptr) : Json(a.condition);
  if (a.kind == ArgumentKind::Texture || a.kind == ArgumentKind::Sampler) {
    json["count"] = a.count;
    if (a.kind == ArgumentKind::Texture)
      json.update(toJson(a.textureUse()));
    json["condition"] = condition;
    return json;
  }
  if (a.kind == ArgumentKind::Tensor) {
    json.update(toJson(*a.tensor));
    json["condition"] = condition;
    return json;
  }
  if (a.kind == ArgumentKind::Attribute) {
    json["element"] = scalarTypeInfo(*a.element).metalName;
    json["components"] = a.components;
    json["condition"] = condition;
    return json;
  }
  if (a.kind == ArgumentKind::FunctionTable) {
    json["condition"] = condition;
    return json;
  }
  json["space"] = nameOf(a.space);
  json["access"] = nameOf(a.access);
  json["reference"] = a.isReference;
  json["pointeeBytes"] = a.pointeeBytes;
  json["pointeeAlign"] = a.pointeeAlign;
  json["element"] = a.element ? Json(scalarTypeInfo(*a.element).metalName) : Json(nullptr);
  json["condition"] = condition;
  json["members"] = Json::array();
  for (const MemberInfo &m : a.members)
    json["members"].push_back({{"name", m.name},
                               {"id", m.id},
                               {"type", m.type},
                               {"offset", m.offset},
                               {"bytes", m.bytes},
                               {"count", m.count},
                               {"pointsTo", m.pointsTo ? Json(nameOf(*m.pointsTo)) : Json(nullptr)},
                               {"access", m.pointsTo  ? Json(nameOf(m.access))
                                          : m.texture ? Json(nameOf(m.texture->access))
                                          : m.tensor  ? Json(nameOf(m.tensor->access))
                                                      : Json(nullptr)},
                               {"texture", m.texture ? toJson(*m.texture) : Json(nullptr)},
                               {"sampler", m.sampler},
                               {"functionTable", m.functionTable},
                               {"tensor", m.tensor ? toJson(*m.tensor) : Json(nullptr)}});
  return json;
}

Json toJson(const StructInfo &info) {
  Json fields = Json::array();
  for (const FieldInfo &field : info.fields) {
    Json extents = Json::array();
    for (const FieldExtent &extent : field.extents)
      extents.push_back({{"count", extent.count}, {"bytes", extent.bytes}});
    fields.push_back({{"name", field.name},
                      {"offset", field.offset},
                      {"type", field.kind == FieldKind::Address  ? "address"
                               : field.kind == FieldKind::Handle ? "handle"
                                                                 : scalarTypeInfo(field.type).metalName},
                      {"extents", std::move(extents)}});
  }
  return {{"name", info.name},
          {"bytes", info.bytes},
          {"fields", std::move(fields)},
          {"unsupported", info.unsupported.empty() ? Json(nullptr) : Json(info.unsupported)}};
}

Json toJson(const FunctionConstantInfo &c) {
  const std::string components = c.components > 1 ? std::to_string(c.components) : "";
  return {{"name", c.name},
          {"index", c.index},
          {"type", std::string(scalarTypeInfo(c.type).metalName) + components}};
}

} // namespace assay
