// See sarif.h.
#include "sarif.h"

#include "../host/assay.h"

namespace assay::cli {
namespace {

Json locationOf(const SourcePlace &place) {
  Json region = {{"startLine", place.line}};
  if (place.column)
    region["startColumn"] = place.column;
  return {{"artifactLocation", {{"uri", place.file}}}, {"region", std::move(region)}};
}

Json resultOf(const Finding &finding) {
  const std::vector<Diagnostic> all = diagnosticsOf(finding);
  std::string text = all.front().message;
  if (const std::string &hint = all.back().hint; !hint.empty())
    text += "; " + hint;
  Json result = {{"ruleId", finding.warning.rule},
                 {"level", "warning"},
                 {"message", {{"text", text}}},
                 {"occurrenceCount", finding.count}};
  if (finding.warning.where.known())
    result["locations"] = Json::array({{{"physicalLocation", locationOf(finding.warning.where)}}});
  Json related = Json::array();
  for (const Diagnostic &note : finding.notes)
    if (note.where.known())
      related.push_back(
          {{"physicalLocation", locationOf(note.where)}, {"message", {{"text", note.message}}}});
  if (!related.empty())
    result["relatedLocations"] = std::move(related);
  return result;
}

} // namespace

Json sarifOf(const std::vector<Finding> &findings) {
  Json rules = Json::array(), results = Json::array();
  for (const CheckRuleInfo &rule : kCheckRules)
    rules.push_back({{"id", rule.name}, {"shortDescription", {{"text", rule.words}}}});
  for (const Finding &finding : findings)
    results.push_back(resultOf(finding));
  Json driver = {{"name", "Assay"}, {"version", ASSAY_VERSION}, {"rules", std::move(rules)}};
  Json run = {{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

} // namespace assay::cli
