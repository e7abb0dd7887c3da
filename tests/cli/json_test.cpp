#include "cli/json.h"

#include <gtest/gtest.h>

namespace assay {

TEST(Json, AnErrorHasItsKindItsExitCodeAndItsDiagnostics) {
  const Error error = Error::kernel("out-of-bounds", "too far", {"a.metal", 3, 7}, "stay inside");
  EXPECT_EQ(toJson(error).dump(),
            R"({"kind":"kernel","exitCode":1,"diagnostics":[{"severity":"error","message":"too far",)"
            R"("rule":"out-of-bounds","where":{"file":"a.metal","line":3,"column":7},"hint":"stay inside",)"
            R"("sourceLine":""}]})");
  EXPECT_EQ(toJson(Error::usage("internal", "m"))["exitCode"], 2);
  EXPECT_TRUE(toJson(Error::usage("internal", "m"))["diagnostics"][0]["where"].is_null());
}

TEST(Json, AnArgumentSaysWhatIsBoundToIt) {
  ArgumentInfo argument;
  argument.name = "out";
  argument.index = 2;
  argument.type = "device half4 *";
  argument.pointeeBytes = 8;
  argument.pointeeAlign = 8;
  argument.element = ScalarType::Half;
  argument.access = Access::ReadWrite;
  argument.condition = "has_out";
  EXPECT_EQ(toJson(argument).dump(),
            R"({"name":"out","kind":"buffer","type":"device half4 *","index":2,"space":"device",)"
            R"("access":"read-write","reference":false,"pointeeBytes":8,"pointeeAlign":8,"element":"half",)"
            R"("condition":"has_out","members":[]})");
}

TEST(Json, AFunctionTableHasItsTypeAndTheIndexOfABuffer) {
  ArgumentInfo argument;
  argument.name = "operators";
  argument.type = "visible_function_table<float (float)>";
  argument.kind = ArgumentKind::FunctionTable;
  argument.index = 3;
  EXPECT_EQ(toJson(argument).dump(),
            R"({"name":"operators","kind":"table","type":"visible_function_table<float (float)>",)"
            R"("index":3,"condition":null})");
}

TEST(Json, ABuiltinNamesItsAttribute) {
  ArgumentInfo argument;
  argument.name = "tid";
  argument.type = "uint3";
  argument.kind = ArgumentKind::Builtin;
  argument.builtin = Builtin::ThreadPositionInGrid;
  EXPECT_EQ(toJson(argument).dump(),
            R"({"name":"tid","kind":"builtin","type":"uint3","builtin":"thread_position_in_grid"})");
}

TEST(Json, AConstantHasTheTypeOfTheSource) {
  EXPECT_EQ(toJson(FunctionConstantInfo{"size", 4, ScalarType::UShort, 3, "sym"}).dump(),
            R"({"name":"size","index":4,"type":"ushort3"})");
}

} // namespace assay
