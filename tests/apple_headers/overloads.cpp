#include "overloads.h"

#include "clang_run.h"
#include "questions.h"

#include "support/numbers/split_mix.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

/// A scalar of Metal, and what it is in C++.
struct Scalar {
  const char *name, *plain;
};
constexpr Scalar kScalars[] = {{"bool", "bool"},
                               {"char", "char"},
                               {"uchar", "unsigned char"},
                               {"short", "short"},
                               {"ushort", "unsigned short"},
                               {"int", "int"},
                               {"uint", "unsigned"},
                               {"long", "long"},
                               {"ulong", "unsigned long"},
                               {"half", "_Float16"},
                               {"float", "float"}};

/// The scalars, then their vectors.
std::vector<std::string> allTypes() {
  std::vector<std::string> types;
  for (const char *size : {"", "2", "3", "4"})
    for (const Scalar &scalar : kScalars)
      types.push_back(std::string(scalar.name) + size);
  return types;
}

/// The judged functions that have only such types.
std::vector<Function> plainFunctions(const Declarations &declarations) {
  const std::vector<std::string> types = allTypes();
  const auto isPlain = [&](const std::string &type) { return std::ranges::find(types, type) != types.end(); };
  std::vector<Function> functions = judgedFunctions(declarations);
  std::erase_if(functions, [&](const Function &function) {
    return !isPlain(function.result) || !std::ranges::all_of(function.parameters, isPlain, &Parameter::type);
  });
  return functions;
}

Probe probeOf(const RandomCall &call, const std::string &what, const std::string &result, bool accepted) {
  std::vector<Argument> arguments;
  for (const std::string &type : call.types)
    arguments.push_back({type});
  return callOf(what, arguments, call.space + "::" + call.name, result, accepted);
}

/// Every line has an error: a call that is resolved asks for the undefined Result<N>, N is its type's number.
std::string programOf(const std::vector<Function> &functions, const std::vector<RandomCall> &calls) {
  std::string text;
  for (const Scalar &scalar : kScalars) {
    if (std::string(scalar.name) != scalar.plain)
      text += "typedef " + std::string(scalar.plain) + " " + scalar.name + ";";
    for (const char *size : {"2", "3", "4"})
      text += " typedef " + std::string(scalar.name) + " " + scalar.name + size +
              " __attribute__((ext_vector_type(" + size + ")));";
  }
  text += " template <int> struct Result; template <class> constexpr int kNumber = -1;";
  const std::vector<std::string> types = allTypes();
  for (size_t i = 0; i < types.size(); ++i)
    text += " template <> constexpr int kNumber<" + types[i] + "> = " + std::to_string(i) + ";";
  for (const Function &function : functions) {
    text += " namespace " + function.space + " { " + function.result + " " + function.name + "(";
    for (const Parameter &parameter : function.parameters)
      text += (text.back() == '(' ? "" : ", ") + parameter.type;
    text += "); }";
  }
  text += " using namespace metal;\n";
  for (size_t i = 0; i < calls.size(); ++i) {
    const Probe probe = probeOf(calls[i], "", "", true);
    text += "void t" + std::to_string(i) + "(";
    for (size_t k = 0; k < probe.parameters.size(); ++k)
      text += (k ? ", " : "") + probe.parameters[k] + " a" + std::to_string(k);
    text += ") { Result<kNumber<decltype(" + probe.call + ")>> r; }\n";
  }
  return text;
}

/// The message of plain:LINE:COLUMN: error: MESSAGE, by line.
std::multimap<size_t, std::string> errorsIn(const std::string &text) {
  std::multimap<size_t, std::string> errors;
  constexpr std::string_view kFile = "plain:", kError = " error: ";
  for (size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (const size_t error = line.find(kError); line.starts_with(kFile) && error != line.npos)
      errors.emplace(std::stoul(line.substr(kFile.size())), line.substr(error + kError.size()));
  }
  return errors;
}

} // namespace

std::vector<RandomCall> randomCalls(const Declarations &declarations, size_t count, uint64_t seed) {
  std::map<std::pair<std::string, std::string>, std::vector<Function>> sets;
  for (const Function &function : plainFunctions(declarations))
    sets[{function.space, function.name}].push_back(function);
  SplitMix64 random(seed);
  const std::vector<std::string> types = allTypes();
  std::vector<RandomCall> calls;
  std::set<RandomCall> known;
  for (size_t i = 0; i < count && !sets.empty(); ++i) {
    const auto &[name, overloads] = *std::next(sets.begin(), random.below(sets.size()));
    RandomCall call = {name.first, name.second, {}};
    for (const Parameter &parameter : overloads[random.below(overloads.size())].parameters)
      call.types.push_back(parameter.type);
    for (size_t changes = random.below(3); changes > 0 && !call.types.empty(); --changes) {
      const size_t among = random.below(2) ? types.size() : std::size(kScalars);
      call.types[random.below(call.types.size())] = types[random.below(among)];
    }
    if (!call.types.empty() && random.below(20) == 0)
      call.types.pop_back();
    if (known.insert(call).second)
      calls.push_back(std::move(call));
  }
  return calls;
}

std::vector<Probe> resolved(const Declarations &declarations, const std::vector<RandomCall> &calls) {
  const ClangRun run = runClang("-std=c++17 -fsyntax-only -ferror-limit=0 -w -fno-caret-diagnostics",
                                programOf(plainFunctions(declarations), calls));
  const std::multimap<size_t, std::string> errors = errorsIn(run.err);
  if (const auto first = errors.find(1); first != errors.end())
    throw std::runtime_error("plain Clang refuses the declarations: " + first->second);
  const std::vector<std::string> types = allTypes();
  std::vector<Probe> probes;
  for (size_t i = 0; i < calls.size(); ++i) {
    const RandomCall &call = calls[i];
    const auto [first, last] = errors.equal_range(i + 2);
    if (first == last)
      throw std::runtime_error("plain Clang says nothing about a call of " + call.name + ": " + run.err);
    std::string what = call.space + "::" + call.name + "(", result, refusal;
    for (const std::string &type : call.types)
      what += (what.back() == '(' ? "" : ", ") + type;
    for (auto error = first; error != last; ++error) {
      constexpr std::string_view kResult = "implicit instantiation of undefined template 'Result<";
      if (error->second.starts_with(kResult))
        result = types.at(std::stoul(error->second.substr(kResult.size())));
      else
        refusal = error->second;
    }
    what =
        refusal.empty() ? result + " " + what + ")" : what + "), of which plain Clang says '" + refusal + "'";
    probes.push_back(probeOf(call, what, result, refusal.empty()));
  }
  return probes;
}

} // namespace assay::apple_headers
