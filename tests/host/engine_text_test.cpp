// Engines by their names.
#include "host/engine_text.h"

#include <gmock/gmock.h>

namespace assay {

TEST(EngineText, NamesEveryEngine) {
  EXPECT_EQ(*parseEngine("auto"), Engine::Auto);
  EXPECT_EQ(*parseEngine("fiber"), Engine::Fiber);
  EXPECT_EQ(*parseEngine("vector"), Engine::Vector);
  EXPECT_EQ(*parseEngine("both"), Engine::Both);
  EXPECT_EQ(*parseEngine("reference"), Engine::Reference);
  for (const Engine engine : {Engine::Auto, Engine::Fiber, Engine::Vector, Engine::Both, Engine::Reference})
    EXPECT_EQ(*parseEngine(engineText(engine)), engine);
  for (const char *text : {"", "fibers", "Vector", "vector "}) {
    const Result<Engine> none = parseEngine(text);
    ASSERT_FALSE(none) << text;
    EXPECT_TRUE(none.error().is("bad-option"));
  }
}

} // namespace assay
