#include "frontend/attribute_text.h"

#include <fmt/format.h>

namespace assay::frontend {
namespace {

std::string annotationText(std::string_view prefix, std::string_view name, std::string_view arguments = {}) {
  return fmt::format("__attribute__((annotate(\"{}{}\"{}{})))", prefix, name, arguments.empty() ? "" : ", ",
                     arguments);
}

// Whether there is one argument, the index.
bool takesIndex(const AttributeInfo &info) {
  return info.use == AttributeUse::Slot || info.name == "id" || info.name == "attribute";
}

// source: stock Clang says of an attribute without arguments that it "cannot have an argument list".
bool takesNone(std::string_view name) {
  return name == "kernel" || name == "vertex" || name == "fragment" || name == "visible";
}

} // namespace

std::optional<size_t> countArguments(const std::vector<RawToken> &tokens, size_t first, size_t last) {
  int depth = 0;
  size_t commas = 0;
  for (size_t i = first; i < last; ++i) {
    const RawToken &t = tokens[i];
    if (t.is("<"))
      return std::nullopt;
    depth += opensGroup(t) - closesGroup(t);
    commas += t.is(",") && depth == 0;
  }
  return first == last ? 0 : commas + 1;
}

std::string attributeText(const WrittenAttribute &attribute) {
  const std::string_view name = attribute.info.name, arguments = attribute.arguments;
  const bool one = attribute.count.value_or(1) == 1;
  switch (attribute.info.use) {
  case AttributeUse::Builtin:
    return annotationText(attribute.hasList ? kArgumentsPrefix : kBuiltinPrefix, name);
  case AttributeUse::FunctionConstant:
    if (!one) // a variable without a value would be another error
      return attribute.ofArgument
                 ? annotationText(kCountPrefix, "condition")
                 : annotationText(kCountPrefix, name) + (attribute.beforeInitialiser ? "" : " = {}");
    if (attribute.ofArgument)
      return annotationText(kAnnotationPrefix, "condition", fmt::format("&({})", arguments));
    if (attribute.beforeInitialiser)
      return annotationText(kInitialisedPrefix, name);
    return fmt::format("__attribute__((annotate(\"{1}{2}\", {0}), used)) = "
                       "__assay_function_constant_init({0})",
                       arguments, kAnnotationPrefix, name);
  case AttributeUse::Hint: return {};
  case AttributeUse::Slot:
    // Clang wants a constant, and a function constant is none. The question is one, whatever it is about.
    return one ? annotationText(kAnnotationPrefix, name, fmt::format("__builtin_constant_p({})", arguments))
               : annotationText(kCountPrefix, name);
  case AttributeUse::Annotation:
  case AttributeUse::Graphics: break;
  }
  if (takesIndex(attribute.info) && !one)
    return annotationText(kCountPrefix, name);
  const bool list = attribute.hasList && takesNone(name);
  return annotationText(kAnnotationPrefix, name,
                        attribute.info.use == AttributeUse::Graphics ? "" : arguments) +
         (list ? annotationText(kArgumentsPrefix, name) : "");
}

} // namespace assay::frontend
