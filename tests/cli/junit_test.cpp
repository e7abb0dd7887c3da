// Findings as JUnit's XML, read back by a parser that is not ours; and that every character of the document
// is one that XML 1.0 has, whatever names and texts are given.
#include "emulator/cli/junit.h"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <gmock/gmock.h>

#include <sstream>

namespace assay::cli {
namespace {

using Tree = boost::property_tree::ptree;

Tree parse(const std::string &xml) {
  std::istringstream in(xml);
  Tree tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

std::string attribute(const Tree &element, const std::string &name) {
  return element.get<std::string>("<xmlattr>." + name, "(none)");
}

std::vector<const Tree *> cases(const Tree &document) {
  std::vector<const Tree *> all;
  for (const auto &[name, child] : document.get_child("testsuites.testsuite"))
    if (name == "testcase")
      all.push_back(&child);
  return all;
}

const Tree &caseNamed(const Tree &document, const std::string &name) {
  for (const Tree *one : cases(document))
    if (attribute(*one, "name") == name)
      return *one;
  throw std::runtime_error("no case " + name);
}

Finding race() {
  Finding finding;
  finding.warning = {Severity::Warning, {"k.metal", 7, 3}, "it races", "race-grid", "do this", {}, {}};
  finding.notes.push_back({Severity::Note, {"k.metal", 4, 0}, "the write", {}, {}, {}, {}});
  finding.count = 3;
  return finding;
}

JUnitSuite suite() {
  return {.file = "k.metal",
          .kernel = "turn",
          .seconds = 0.25,
          .rules = CheckRules::byDefault(),
          .findings = {},
          .error = {},
          .others = {}};
}

size_t rulesByDefault() {
  size_t count = 0;
  for (const CheckRuleInfo &rule : kCheckRules)
    count += rule.byDefault;
  return count;
}

TEST(JUnit, EveryRuleThatLookedIsACaseThatPassed) {
  const Tree document = parse(junitOf(suite()));
  const Tree &one = document.get_child("testsuites.testsuite");
  EXPECT_EQ(attribute(one, "name"), "turn (k.metal)");
  EXPECT_EQ(attribute(one, "failures"), "0");
  EXPECT_EQ(attribute(one, "errors"), "0");
  EXPECT_EQ(attribute(one, "time"), "0.250");
  EXPECT_EQ(cases(document).size(), rulesByDefault() + 1);
  EXPECT_EQ(attribute(one, "tests"), std::to_string(rulesByDefault() + 1));
  for (const Tree *passed : cases(document)) {
    EXPECT_EQ(passed->count("failure"), 0u);
    EXPECT_EQ(attribute(*passed, "classname"), "k.metal.turn");
  }
  EXPECT_THROW(caseNamed(document, "misaligned-access"), std::runtime_error) << "nobody asked for it";
}

TEST(JUnit, FindingsOfARuleAreTheFailureOfItsCase) {
  JUnitSuite found = suite();
  found.findings = {race(), race()};
  const Tree document = parse(junitOf(found));
  EXPECT_EQ(attribute(document.get_child("testsuites.testsuite"), "failures"), "1");
  const Tree &failure = caseNamed(document, "race-grid").get_child("failure");
  EXPECT_EQ(attribute(failure, "type"), "race-grid");
  EXPECT_THAT(attribute(failure, "message"), testing::EndsWith("(6 instances)"));
  const std::string once = "k.metal:7:3: warning: it races; 2 more like it [race-grid]\n"
                           "k.metal:4: note: the write\n  do this\n";
  EXPECT_EQ(failure.data(), once + once);
  EXPECT_EQ(caseNamed(document, "race-lanes").count("failure"), 0u);
}

TEST(JUnit, AFaultIsAnErrorAndWhatWasFoundBeforeItCounts) {
  JUnitSuite ended = suite();
  Error error = Error::kernel("out-of-bounds", "read of 4 bytes at byte 8 of buffer(0)", {"k.metal", 9, 1});
  const Finding before = race();
  error.diagnostics.push_back({Severity::Note, {}, "kernel turn, thread 3", {}, {}, {}, {}});
  error.diagnostics.push_back(before.warning);
  error.diagnostics.push_back(before.notes[0]);
  ended.error = error;
  const Tree document = parse(junitOf(ended));
  EXPECT_EQ(attribute(document.get_child("testsuites.testsuite"), "errors"), "1");
  EXPECT_EQ(attribute(document.get_child("testsuites.testsuite"), "failures"), "1");
  const Tree &fault = caseNamed(document, "dispatch").get_child("error");
  EXPECT_EQ(attribute(fault, "type"), "out-of-bounds");
  EXPECT_THAT(fault.data(), testing::HasSubstr("note: kernel turn, thread 3"));
  EXPECT_THAT(fault.data(), testing::Not(testing::HasSubstr("it races")));
  EXPECT_EQ(caseNamed(document, "race-grid").count("failure"), 1u);
}

TEST(JUnit, OtherCasesFailByTheirText) {
  JUnitSuite verdict = suite();
  verdict.others = {{"engines", ""}, {"schedules", "different bits in 3 of 65 orders of threadgroups"}};
  const Tree document = parse(junitOf(verdict));
  EXPECT_EQ(caseNamed(document, "engines").count("failure"), 0u);
  EXPECT_EQ(attribute(caseNamed(document, "schedules").get_child("failure"), "message"),
            "different bits in 3 of 65 orders of threadgroups");
}

TEST(JUnit, EveryNameComesBack) {
  JUnitSuite odd = suite();
  odd.kernel = "fold<32, \"a\" & 'b'>";
  odd.file = "räume/日本 ]]> & <!--.metal";
  odd.findings = {race()};
  odd.findings[0].warning.message = "a\tb\nc]]>d";
  const Tree document = parse(junitOf(odd));
  EXPECT_EQ(attribute(document.get_child("testsuites.testsuite"), "name"),
            odd.kernel + " (" + odd.file + ")");
  EXPECT_THAT(caseNamed(document, "race-grid").get<std::string>("failure"),
              testing::HasSubstr("a\tb\nc]]>d"));
}

// XML 1.0, section 2.2, on the document's characters; the test's own decoder.
bool onlyXmlCharacters(const std::string &text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return i + k < text.size() ? uint32_t(uint8_t(text[i + k])) : 0u; };
    const size_t bytes = byte(0) < 0x80 ? 1 : byte(0) >> 5 == 6 ? 2 : byte(0) >> 4 == 14 ? 3 : 4;
    uint32_t value = bytes == 1 ? byte(0) : byte(0) & (0x7Fu >> bytes);
    for (size_t k = 1; k < bytes; ++k) {
      if (byte(k) >> 6 != 2)
        return false;
      value = value << 6 | (byte(k) & 63);
    }
    const bool allowed = value == 9 || value == 10 || value == 13 || (value >= 0x20 && value <= 0xD7FF) ||
                         (value >= 0xE000 && value <= 0xFFFD) || (value >= 0x10000 && value <= 0x10FFFF);
    if (!allowed)
      return false;
    i += bytes;
  }
  return true;
}

TEST(JUnit, WhatXmlCannotWriteBecomesTheReplacementCharacter) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(xmlText(std::string_view("a\0b\x01\x1F\x7F", 6)), "a" + mark + "b" + mark + mark + "\x7F");
  EXPECT_EQ(xmlText("\x80\xC3"), mark + mark) << "no first byte, and a character that is cut off";
  EXPECT_EQ(xmlText("\xC0\xAF"), mark + mark) << "a longer form than needed";
  EXPECT_EQ(xmlText("\xED\xA0\x80"), mark) << "a surrogate";
  EXPECT_EQ(xmlText("\xEF\xBF\xBE"), mark) << "U+FFFE";
  EXPECT_EQ(xmlText("\xF4\x90\x80\x80"), mark) << "past U+10FFFF";
  EXPECT_EQ(xmlText("\xF0\x9F\x98\x80\xC3\xA4"), "\xF0\x9F\x98\x80\xC3\xA4");
  EXPECT_EQ(xmlText("\r\n"), "&#13;&#10;");
  for (uint32_t first = 0; first < 256; ++first) {
    JUnitSuite odd = suite();
    odd.kernel = odd.file = std::string(1, char(first));
    ASSERT_TRUE(onlyXmlCharacters(junitOf(odd))) << first;
    for (uint32_t second = 0; second < 256; ++second)
      ASSERT_TRUE(onlyXmlCharacters(xmlText(std::string{char(first), char(second)})))
          << first << " " << second;
  }
  EXPECT_FALSE(onlyXmlCharacters("\x01")) << "the judge itself";
  EXPECT_FALSE(onlyXmlCharacters("\xC3")) << "the judge itself";
}

} // namespace
} // namespace assay::cli
