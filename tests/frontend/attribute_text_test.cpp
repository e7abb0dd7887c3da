// What is written for an attribute, and how its arguments are counted. tests/language has what the rules say
// of wrong ones.
#include "frontend/attribute_text.h"

#include <gmock/gmock.h>

using namespace assay::frontend;

namespace {

std::optional<size_t> counted(std::string_view arguments) {
  const auto lexed = lexSource(arguments);
  return countArguments(lexed->tokens, 0, lexed->tokens.size() - 1);
}

TEST(AttributeText, CountsArguments) {
  EXPECT_EQ(counted(""), 0u);
  EXPECT_EQ(counted("0"), 1u);
  EXPECT_EQ(counted("0, 1"), 2u);
  EXPECT_EQ(counted("f(1, 2), a[g(3, 4)]"), 2u);
  EXPECT_EQ(counted("f<1, 2>()"), std::nullopt);
}

std::string text(std::string_view name, std::optional<std::string> arguments, bool ofArgument = false,
                 bool beforeInitialiser = false) {
  WrittenAttribute attribute{*findAttribute(name)};
  attribute.hasList = arguments.has_value();
  attribute.arguments = arguments.value_or("");
  attribute.count = counted(attribute.arguments);
  attribute.ofArgument = ofArgument;
  attribute.beforeInitialiser = beforeInitialiser;
  return attributeText(attribute);
}

std::string annotated(const std::string &what) {
  return "__attribute__((annotate(" + what + ")))";
}

TEST(AttributeText, IsAnAnnotation) {
  EXPECT_EQ(text("id", "3"), annotated("\"assay.id\", 3"));
  EXPECT_EQ(text("buffer", "n"), annotated("\"assay.buffer\", __builtin_constant_p(n)"));
  EXPECT_EQ(text("stage_in", std::nullopt), annotated("\"assay.stage_in\""));
  EXPECT_EQ(text("user", "a, b"), annotated("\"assay.user\""));
  EXPECT_EQ(text("thread_position_in_grid", std::nullopt),
            annotated("\"assay.builtin.thread_position_in_grid\""));
  EXPECT_EQ(text("function_constant", "n", true), annotated("\"assay.condition\", &(n)"));
  EXPECT_EQ(text("function_constant", "3"), "__attribute__((annotate(\"assay.function_constant\", 3), used)) "
                                            "= __assay_function_constant_init(3)");
}

TEST(AttributeText, HasAnotherNameIfItIsWrong) {
  EXPECT_EQ(text("thread_position_in_grid", ""), annotated("\"assay.arguments thread_position_in_grid\""));
  EXPECT_EQ(text("kernel", "1"), annotated("\"assay.kernel\", 1") + annotated("\"assay.arguments kernel\""));
  EXPECT_EQ(text("visible", "1"), annotated("\"assay.visible\"") + annotated("\"assay.arguments visible\""));
  for (const char *name : {"buffer", "texture", "sampler", "threadgroup", "color", "id", "attribute"}) {
    const std::string wrong = annotated(std::string("\"assay.count ") + name + "\"");
    EXPECT_EQ(text(name, std::nullopt), wrong);
    EXPECT_EQ(text(name, "0, 1"), wrong);
  }
  EXPECT_EQ(text("function_constant", "0, 1", true), annotated("\"assay.count condition\""));
  EXPECT_EQ(text("function_constant", "0, 1"), annotated("\"assay.count function_constant\"") + " = {}");
  EXPECT_EQ(text("function_constant", "0", false, true),
            annotated("\"assay.initialised function_constant\""));
}

} // namespace
