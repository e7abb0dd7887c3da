#include "questions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace assay::apple_headers {

namespace {

std::vector<Argument> argumentsOf(const Function &function, bool withDefaults = true) {
  std::vector<Argument> arguments;
  for (const Parameter &parameter : function.parameters)
    if (withDefaults || !parameter.hasDefault)
      arguments.push_back({parameter.type, parameter.isConstant});
  return arguments;
}

Probe probeOf(const Function &function, bool accepted) {
  return callOf(function.text(), argumentsOf(function), function.space + "::" + function.name,
                function.result, accepted);
}

std::set<std::string> keysOf(const std::vector<Function> &functions) {
  std::set<std::string> keys;
  for (const Function &function : functions)
    keys.insert(function.key());
  return keys;
}

/// The type with the argument of its template for T.
std::string instantiated(const std::string &type, const std::string &argument) {
  std::string text;
  for (size_t at = 0; at < type.size();) {
    const size_t end = std::min(type.find(' ', at), type.size());
    const std::string token = type.substr(at, end - at);
    text += (text.empty() ? "" : " ") + (token == "T" ? argument : token);
    at = end + 1;
  }
  return text;
}

/// What stands between `before` and the next `after`, at each place in the text.
std::vector<std::string> allBetween(const std::string &text, const std::string &before,
                                    const std::string &after) {
  std::vector<std::string> found;
  for (size_t at = 0; (at = text.find(before, at)) != text.npos;) {
    at += before.size();
    found.push_back(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

/// The name of the trait that a template's head asks for; empty: of none for simdgroups or quadgroups.
std::string groupTraitOf(const Function &function) {
  for (const char *trait : {"__is_valid_simdgroup_type", "__is_valid_simdgroup_integral_type",
                            "__is_valid_quadgroup_type", "__is_valid_quadgroup_integral_type"})
    if (function.head.find(trait + std::string(" <")) != std::string::npos)
      return trait;
  return {};
}

/// The scalars that a trait permits, alone and in vectors of up to four.
std::set<std::string> permittedBy(const std::string &trait, const Declarations &declarations) {
  std::set<std::string> scalars;
  for (const Record &record : declarations.records)
    if (record.name == trait)
      for (const std::string &scalar : allBetween(record.arguments, "make_scalar_t < T > , ", " >"))
        scalars.insert(scalar);
  return scalars;
}

/// The class of textures that a class of the library is a part of: texture2d_array for
/// _texture2d_array_sample; empty: none.
std::string textureOf(const Record &record) {
  std::string longest;
  for (const char *texture :
       {"texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture3d", "texturecube",
        "texturecube_array", "texture2d_ms", "texture2d_ms_array", "texture_buffer", "depth2d",
        "depth2d_array", "depthcube", "depthcube_array", "depth2d_ms", "depth2d_ms_array"}) {
    const std::string name = "_" + std::string(texture);
    if ((record.name == name || record.name.starts_with(name + "_")) && name.size() > longest.size() + 1)
      longest = texture;
  }
  return longest;
}

/// The accesses that the conditions of a class name: those of all of its _is_any_of(a, ..).
std::set<std::string> accessesOf(const std::string &arguments) {
  std::set<std::string> accesses = {"sample", "read", "write", "read_write"};
  for (const std::string &list : allBetween(arguments, "_is_any_of ( a , ", ")")) {
    const std::vector<std::string> named = allBetween(list, "access :: ", " ");
    std::erase_if(accesses,
                  [&](const std::string &access) { return std::ranges::find(named, access) == named.end(); });
  }
  return accesses;
}

/// The accesses with which the class of textures itself can be used.
std::set<std::string> accessesOfTexture(const std::string &texture, const Declarations &declarations) {
  for (const Record &record : declarations.records)
    if (record.name == "_" + texture && !record.arguments.empty())
      return accessesOf(record.arguments);
  return {};
}

/// A type of channel that has the member.
std::string channelOf(const Record &record, const Function &member) {
  if (record.name.starts_with("_depth"))
    return "float";
  if (record.arguments.find("ulong") != std::string::npos)
    return "ulong";
  const bool isAtomic = (record.arguments + member.name).find("atomic") != std::string::npos;
  return isAtomic ? "uint" : "float";
}

} // namespace

std::vector<Function> judgedFunctions(const Declarations &declarations) {
  std::vector<Function> judged;
  for (const Function &function : declarations.functions)
    if ((function.space == "metal" || function.space == "metal::fast" ||
         function.space == "metal::precise") &&
        function.head.empty() && !function.result.empty() && function.name[0] != '_')
      judged.push_back(function);
  return judged;
}

std::vector<Probe> functionProbes(const Declarations &declarations) {
  std::vector<Probe> probes;
  for (const Function &function : judgedFunctions(declarations))
    probes.push_back(probeOf(function, true));
  return probes;
}

std::vector<Probe> missingFunctionProbes(const Declarations &declarations, const Declarations &later) {
  const std::set<std::string> known = keysOf(declarations.functions);
  std::vector<Probe> probes;
  for (const Function &function : judgedFunctions(later))
    if (!known.contains(function.key()))
      probes.push_back(probeOf(function, false));
  return probes;
}

std::vector<Probe> groupProbes(const Declarations &declarations, const Declarations &later,
                               std::span<const std::string> types) {
  const std::set<std::string> known = keysOf(declarations.functions);
  std::vector<Probe> probes;
  for (const Function &function : later.functions) {
    const std::string trait = groupTraitOf(function);
    if (trait.empty())
      continue;
    const std::set<std::string> permitted = permittedBy(trait, declarations);
    for (const std::string &type : types) {
      Function called = function;
      called.result = instantiated(function.result, type);
      for (Parameter &parameter : called.parameters)
        parameter.type = instantiated(parameter.type, type);
      const std::string scalar = type.substr(0, type.find_first_of("234"));
      probes.push_back(probeOf(called, known.contains(function.key()) && permitted.contains(scalar)));
    }
  }
  return probes;
}

std::vector<Probe> textureProbes(const Declarations &declarations) {
  struct Member {
    std::string texture, channel, name;
    std::vector<Argument> arguments;
    auto operator<=>(const Member &) const = default;
  };
  struct Found {
    std::string result;
    std::set<std::string> accesses;
  };
  std::map<Member, Found> members;
  for (const Record &record : declarations.records)
    for (const Function &function : record.members) {
      // Each member is there for objects in several address spaces.
      const std::string texture = textureOf(record);
      if (texture.empty() || function.qualifiers != "const thread" || !function.head.empty())
        continue;
      for (const bool withDefaults : {false, true}) {
        Member member = {texture, channelOf(record, function), function.name, {}};
        for (const Argument &argument : argumentsOf(function, withDefaults))
          member.arguments.push_back({instantiated(argument.type, member.channel), argument.isConstant});
        Found &found = members[member];
        found.result = instantiated(function.result, member.channel);
        const std::set<std::string> ofTexture = accessesOfTexture(texture, declarations);
        for (const std::string &access : accessesOf(record.arguments))
          if (ofTexture.contains(access))
            found.accesses.insert(access);
      }
    }
  std::vector<Probe> probes;
  std::set<std::tuple<std::string, std::string, std::string>> refused; // one form of a name is enough
  for (const auto &[member, found] : members)
    for (const std::string access : {"sample", "read", "write", "read_write"}) {
      const bool accepted = found.accesses.contains(access);
      const std::string type = member.texture + "<" + member.channel + ", access::" + access + ">";
      if (!accepted && !refused.emplace(type, member.name, found.result).second)
        continue;
      std::vector<Argument> arguments = {{type}};
      std::string what = found.result + " " + type + "::" + member.name + "(";
      for (const Argument &argument : member.arguments) {
        arguments.push_back(argument);
        what += (what.back() == '(' ? "" : ", ") + argument.type;
      }
      what += ")";
      const std::string callee = "a0." + member.name;
      probes.push_back(callOf(what, arguments, callee, found.result, accepted, 1));
      if (!accepted || !std::ranges::any_of(arguments, &Argument::isConstant))
        continue;
      for (Argument &argument : arguments)
        argument.isConstant = false;
      probes.push_back(callOf(what + " without a constant", arguments, callee, found.result, false, 1));
    }
  return probes;
}

} // namespace assay::apple_headers
