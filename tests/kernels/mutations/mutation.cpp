#include "mutation.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <set>

namespace assay::mutations {
namespace {

Error listError(const std::string &file, const toml::source_region &where, std::string message) {
  Error error = Error::usage(Rule::own("mutation-list"), std::move(message));
  error.diagnostics.front().where = {file, where.begin.line, where.begin.column};
  return error;
}

/// Takes the keys of one entry and remembers what is wrong with the first that is.
class Entry {
public:
  Entry(const std::string &file, const toml::table &table) : file_(file), table_(table) {}

  std::string text(std::string_view key) {
    const std::optional<std::string> value = table_[key].value<std::string>();
    known_.insert(key);
    if (!value)
      fail(table_.source(), fmt::format("a mutation needs the text '{}'", key));
    return value.value_or("");
  }
  size_t count(std::string_view key) {
    known_.insert(key);
    if (!table_.contains(key))
      return 0;
    const int64_t value = table_[key].value<int64_t>().value_or(0);
    if (value < 1)
      fail(table_[key].node()->source(), fmt::format("'{}' must be a number from 1", key));
    return size_t(value);
  }
  void fail(const toml::source_region &where, std::string message) {
    if (!error_)
      error_ = listError(file_, where, std::move(message));
  }
  const std::optional<Error> &error() {
    for (const auto &[key, value] : table_)
      if (!known_.contains(key.str()))
        fail(value.source(), fmt::format("unknown key '{}'", key.str()));
    return error_;
  }

private:
  const std::string &file_;
  const toml::table &table_;
  std::set<std::string_view> known_;
  std::optional<Error> error_;
};

} // namespace

Result<std::vector<Mutation>> readMutations(const std::filesystem::path &list) {
  const std::string file = list.string();
  toml::table root;
  try {
    root = toml::parse_file(file);
  } catch (const toml::parse_error &error) {
    return listError(file, error.source(), std::string(error.description()));
  }
  const toml::array *entries = root["mutation"].as_array();
  if (!entries || entries->empty() || root.size() != 1)
    return listError(file, root.source(), "a list has [[mutation]] entries and nothing else");
  std::vector<Mutation> mutations;
  std::set<std::string> names;
  for (const toml::node &node : *entries) {
    if (!node.is_table())
      return listError(file, node.source(), "a list has [[mutation]] entries and nothing else");
    Entry entry(file, *node.as_table());
    Mutation m;
    m.where = {file, node.source().begin.line, node.source().begin.column};
    m.name = entry.text("name");
    m.file = entry.text("file");
    m.find = entry.text("find");
    m.replace = entry.text("replace");
    m.occurrence = entry.count("occurrence");
    const std::string tests = entry.text("tests");
    const size_t colon = tests.find(':');
    m.program = tests.substr(0, colon);
    m.filter = colon == std::string::npos ? "" : tests.substr(colon + 1);
    if (m.program.empty() || m.filter.empty())
      entry.fail(node.source(), fmt::format("'tests' is '{}', it must be program:filter", tests));
    if (m.find.empty() || m.find == m.replace)
      entry.fail(node.source(), "'find' is empty or the same as 'replace', so nothing would change");
    if (!names.insert(m.name).second)
      entry.fail(node.source(), fmt::format("'{}' is listed twice", m.name));
    if (entry.error())
      return *entry.error();
    mutations.push_back(std::move(m));
  }
  return mutations;
}

Result<std::string> mutate(const std::string &text, const Mutation &m) {
  std::vector<size_t> places;
  for (size_t at = text.find(m.find); at != std::string::npos; at = text.find(m.find, at + m.find.size()))
    places.push_back(at);
  const bool unclear = m.occurrence == 0 && places.size() != 1;
  if (unclear || places.size() < m.occurrence) {
    Error error = Error::usage(
        Rule::own("mutation-text"),
        fmt::format("'{}': the text to find is {} times in {}, {}", m.name, places.size(), m.file.string(),
                    unclear ? std::string("it must be there once, or 'occurrence' must say which is meant")
                            : fmt::format("occurrence {} is asked for", m.occurrence)));
    error.diagnostics.front().where = m.where;
    return error;
  }
  std::string mutant = text;
  return mutant.replace(places[m.occurrence ? m.occurrence - 1 : 0], m.find.size(), m.replace);
}

} // namespace assay::mutations
