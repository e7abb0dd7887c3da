#include "builtin_stubs.h"

#include "tokens.h"

#include <algorithm>
#include <map>

namespace assay::apple_headers {

namespace {

// No memory is `const` here: headers have templates for `constant T` and for `const constant T`.
constexpr const char *kWords =
    "#define device __attribute__((opencl_global))\n"
    "#define constant __attribute__((opencl_constant))\n"
    "#define threadgroup __attribute__((opencl_local))\n"
    "#define thread\n"
    "#define ray_data __attribute__((address_space(11)))\n"
    "#define object_data __attribute__((address_space(12)))\n"
    "#define threadgroup_imageblock __attribute__((address_space(13)))\n"
    "#define coherent(memory)\n"
    "#define visible\n" // an attribute, which the front end adds to Clang for functions alone
    "#define __METAL_VOTE_T__ unsigned long\n"
    "#define __builtin_astype(value, type) __builtin_bit_cast(type, value)\n"
    "typedef _Float16 half;\n"
    "typedef __bf16 bfloat;\n"
    "template <class T, class U> constexpr T as_type(U value) { return __builtin_bit_cast(T, value); }\n"
    "template <class T, int N> struct __packed { T v[N]; constexpr __packed() = default; };\n"
    "template <class... T> struct __yes { static constexpr bool value = true; };\n"
    "struct __any { template <class T> constexpr operator T() const;\n"
    "               template <class T> constexpr operator T *() const; };\n";

enum class Stub { Constant, Number, Question, Float, Function, Type };

bool isConstantName(const std::string &word) {
  return word.size() > 4 && word.starts_with("__") && word.ends_with("__") &&
         std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

} // namespace

std::string builtinStubs(const std::string &headers) {
  const Tokens tokens = tokensOf(headers);
  std::map<std::string, Stub> stubs;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string &word = tokens[i];
    const bool isCall = i + 1 < tokens.size() && tokens[i + 1] == "(";
    if (word.starts_with("__METAL_") && isConstantName(word))
      stubs[word] = Stub::Constant;
    else if (isConstantName(word))
      stubs[word] = Stub::Number;
    else if (word.starts_with("__is_metal_"))
      stubs[word] = Stub::Question;
    else if (word.starts_with("__builtin_") && (word.ends_with("h") || word.ends_with("f16b")))
      stubs[word] = Stub::Float;
    else if (word.starts_with("__metal_") && !isCall)
      stubs[word] = Stub::Type;
    else if (word.starts_with("__metal_"))
      stubs.emplace(word, Stub::Function);
  }
  stubs.erase("__METAL_VOTE_T__");
  std::string text = kWords;
  size_t constants = 0;
  for (const auto &[name, stub] : stubs)
    switch (stub) {
    case Stub::Constant: text += "#define " + name + " " + std::to_string(constants++) + "\n"; break;
    case Stub::Number: text += "#define " + name + " 1\n"; break;
    case Stub::Question: text += "#define " + name + "(...) __yes<__VA_ARGS__>::value\n"; break;
    case Stub::Float:
      text += "template <class... A> constexpr float " + name + "(A...) { return 0; }\n";
      break;
    case Stub::Function: text += "template <class... A> constexpr __any " + name + "(A...);\n"; break;
    case Stub::Type:
      text +=
          "struct " + name + " { constexpr " + name + "() = default; constexpr " + name + "(__any) {} };\n";
      break;
    }
  return text;
}

} // namespace assay::apple_headers
