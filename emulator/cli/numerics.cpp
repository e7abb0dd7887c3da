// assay numerics: the fields of a numerics profile, and how each of them is known.
#include "commands.h"

#include "../host/numerics_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace assay::cli {
namespace {

struct NumericsCommand {
  std::string text = "apple";
  bool json = false;
};

constexpr const char *kExamples =
    R"(The value of a field is measured (on Apple GPUs, and published), specified (by Apple or by IEEE 754),
or assumed (because nobody knows). An assumed field has another value to try: if a kernel's bits change with
it, they depend on something unknown. --numerics takes the text that is printed after `numerics`.

Examples:
  assay numerics
  assay numerics ieee
  assay numerics apple,simd_sum=pairwise,flush_f16=on --json
  assay run reduce.metal --kernel sum ... --numerics apple,simd_sum=pairwise)";

// A field and what the base profile knows about it. The source of a switched field is the user.
struct Row {
  const NumericsField &field;
  const NumericsFact &fact;
  uint8_t value;
  bool switched() const { return value != fact.value; }
  std::string_view valueText() const { return field.values[value].text; }
  std::string_view status() const { return switched() ? "chosen" : nameOf(fact.status); }
  std::string source(std::string_view profile) const {
    if (!switched())
      return std::string(fact.source);
    return fmt::format("{} has {}: {}, {}", profile, field.values[fact.value].text, nameOf(fact.status),
                       fact.source);
  }
};

int numerics(const NumericsCommand &command) {
  Output out(command.json);
  const Result<NumericsProfile> profile = parseNumerics(command.text);
  if (!profile)
    return out.fail(profile.error());
  Json fields = Json::array();
  std::vector<Row> rows;
  size_t nameWidth = 0, valueWidth = 0;
  for (const NumericsField &field : numericsFields()) {
    rows.push_back({field, field.factOf(profile->name), field.get(*profile)});
    nameWidth = std::max(nameWidth, field.name.size());
    valueWidth = std::max(valueWidth, rows.back().valueText().size());
  }
  out.text(fmt::format("numerics {}", numericsText(*profile)));
  for (const Row &row : rows) {
    const std::string source = row.source(profile->name);
    out.text(fmt::format("  {:<{}}  {:<{}}  {:<9}  {}", row.field.name, nameWidth, row.valueText(),
                         valueWidth, row.status(), source));
    Json values = Json::array();
    for (const NumericsValue &value : row.field.values)
      values.push_back({{"value", value.text}, {"meaning", value.meaning}});
    fields.push_back({{"field", row.field.name},
                      {"value", row.valueText()},
                      {"status", row.status()},
                      {"source", source},
                      {"meaning", row.field.meaning},
                      {"values", std::move(values)}});
  }
  out.text("What may be chosen:");
  for (const Row &row : rows) {
    out.text(fmt::format("  {}: {}", row.field.name, row.field.meaning));
    for (const NumericsValue &value : row.field.values)
      out.text(fmt::format("    {}: {}", value.text, value.meaning));
  }
  out.document()["numerics"] = numericsText(*profile);
  out.document()["fields"] = std::move(fields);
  return out.finish();
}

} // namespace

void addNumerics(CLI::App &app, Action &action) {
  auto command = std::make_shared<NumericsCommand>();
  CLI::App *sub = app.add_subcommand("numerics", "print a numerics profile: each field and how it is known");
  sub->add_option("PROFILE", command->text,
                  "apple (the default) or ieee, and fields that differ: apple,nan=propagate");
  sub->add_flag("--json", command->json, "print one JSON document instead of text, errors included");
  sub->footer(kExamples);
  sub->callback([command, &action] { action = [command] { return numerics(*command); }; });
}

} // namespace assay::cli
