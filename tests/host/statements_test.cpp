// What programs of the command line see of a source's statements.
#include "host/statements.h"

#include <gtest/gtest.h>

namespace assay {

TEST(HostStatements, AreThoseOfTheSource) {
  const std::vector<SourceStatement> found = statementsOf("void f() { x = 1; }");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].value, "x");
}

} // namespace assay
