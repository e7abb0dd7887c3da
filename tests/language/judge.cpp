// Verdicts about rows.
#include "judge.h"

#include "host/assay.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::language {
namespace {

using Rows = std::vector<const Row *>;

constexpr const char *kSourceName = "rows.metal";

Result<Library> compile(const Device &device, const Program &program) {
  CompileOptions options;
  options.mathMode = MathMode::Safe;
  options.name = kSourceName;
  options.cache = false;
  return device.newLibraryWithSource(program.text, options);
}

// The first error, with its place; a warning may precede it.
std::string firstLine(const Error &error) {
  const auto isError = [](const Diagnostic &d) { return d.severity == Severity::Error; };
  const auto first = std::find_if(error.diagnostics.begin(), error.diagnostics.end(), isError);
  const Diagnostic &d = first == error.diagnostics.end() ? error.diagnostics.front() : *first;
  return (d.where.known() ? d.where.file + ":" + std::to_string(d.where.line) + ": " : "") + d.message;
}

// The row that an error lies in, or -1.
int rowOf(const Program &program, const Diagnostic &d) {
  if (d.severity != Severity::Error || d.where.file != kSourceName || d.where.line == 0 ||
      d.where.line > program.rowOfLine.size())
    return -1;
  return program.rowOfLine[d.where.line - 1];
}

// All rows' values from one dispatch of one thread.
Result<std::vector<std::vector<uint64_t>>> run(const Device &device, const Library &library,
                                               const Program &program) {
  const Result<Function> function = library.newFunction("rows");
  if (!function)
    return function.error();
  PipelineOptions options;
  options.cache = false;
  const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function, options);
  if (!pipeline)
    return pipeline.error();
  std::vector<int32_t> ints(kInts * program.rows.size()), constants(kInts);
  for (size_t i = 0; i < ints.size(); ++i)
    ints[i] = int32_t(i % kInts);
  for (size_t i = 0; i < kInts; ++i)
    constants[i] = int32_t(10 * i);
  const std::vector<uint8_t> poison(kSlotBytes * program.rows.size(), 0xa5);
  const Buffer buffer = device.newBuffer(ints.data(), ints.size() * sizeof(int32_t));
  const Buffer constantBuffer = device.newBuffer(constants.data(), constants.size() * sizeof(int32_t));
  const Buffer result = device.newBuffer(poison.data(), poison.size());
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(buffer, 0, 0);
  encoder.setBuffer(constantBuffer, 0, 1);
  encoder.setBuffer(result, 0, 2);
  if (const Result<DispatchReport> report = encoder.dispatchThreads({1, 1, 1}, {1, 1, 1}); !report)
    return report.error();
  std::vector<std::vector<uint64_t>> values(program.rows.size());
  const uint8_t *bytes = static_cast<const uint8_t *>(result.contents());
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const Row &row = *program.rows[i];
    if (row.refused || row.expected == "ok")
      continue;
    const ValueType type = readExpectation(row.expected).type;
    for (unsigned k = 0; k < type.count(); ++k) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes + i * kSlotBytes + k * type.scalarBytes(), type.scalarBytes());
      values[i].push_back(bits);
    }
  }
  return values;
}

void halve(const Rows &rows, const auto &judge) {
  const auto middle = rows.begin() + rows.size() / 2;
  judge(Rows(rows.begin(), middle));
  judge(Rows(middle, rows.end()));
}

// The rows without those in `out`.
Rows without(const Rows &rows, const std::set<int> &out) {
  Rows rest;
  for (size_t i = 0; i < rows.size(); ++i)
    if (!out.count(int(i)))
      rest.push_back(rows[i]);
  return rest;
}

class Judge {
public:
  explicit Judge(const Table &table) : table_(table) {}

  void accepted(const Rows &rows) {
    if (rows.empty())
      return;
    const Program program = makeProgram(rows, false, table_.alone);
    const Result<Library> library = compile(device_, program);
    if (!library) {
      std::set<int> bad;
      for (const Diagnostic &d : library.error().diagnostics)
        if (const int row = rowOf(program, d); row >= 0 && bad.insert(row).second)
          verdicts[rows[row]->name] =
              (rows[row]->refused ? "the right form is refused: " : "refused: ") + d.message;
      if (!bad.empty())
        return accepted(without(rows, bad));
      return split(rows, "refused: " + firstLine(library.error()), [this](const Rows &r) { accepted(r); });
    }
    const bool anyValue = std::any_of(rows.begin(), rows.end(),
                                      [](const Row *r) { return !r->refused && r->expected != "ok"; });
    if (anyValue) {
      const Result<std::vector<std::vector<uint64_t>>> values = run(device_, *library, program);
      if (!values)
        return split(rows, "does not run: " + firstLine(values.error()),
                     [this](const Rows &r) { accepted(r); });
      for (size_t i = 0; i < rows.size(); ++i)
        compare(*rows[i], (*values)[i]);
    }
    for (const Row *row : rows)
      verdicts.try_emplace(row->name);
  }

  void refused(const Rows &rows) {
    if (rows.empty())
      return;
    const Program program = makeProgram(rows, true, table_.alone);
    const Result<Library> library = compile(device_, program);
    if (library) {
      for (const Row *row : rows)
        verdicts[row->name] = "accepted, and must be refused";
      return;
    }
    std::map<int, std::string> elsewhere;
    std::set<int> bad;
    for (const Diagnostic &d : library.error().diagnostics)
      if (const int row = rowOf(program, d); row >= 0) {
        bad.insert(row);
        if (d.where.line == program.markLine[row])
          verdicts[rows[row]->name] = "";
        else
          elsewhere.try_emplace(row, d.message);
      }
    for (const auto &[row, message] : elsewhere)
      verdicts.try_emplace(rows[row]->name, "refused at another line of the row: " + message);
    if (!bad.empty())
      return refused(without(rows, bad));
    split(rows, "refused at another place: " + firstLine(library.error()),
          [this](const Rows &r) { refused(r); });
  }

  Verdicts verdicts;

private:
  // One row alone is at fault; of several it is not known which.
  void split(const Rows &rows, const std::string &verdict, const auto &judge) {
    if (rows.size() == 1)
      verdicts[rows.front()->name] = verdict;
    else
      halve(rows, judge);
  }

  void compare(const Row &row, const std::vector<uint64_t> &values) {
    if (row.refused || row.expected == "ok")
      return;
    const Expectation expected = readExpectation(row.expected);
    if (values != expected.bits)
      verdicts[row.name] = "computes " + valuesText(expected.type, values) + ", and must compute " +
                           valuesText(expected.type, expected.bits);
  }

  const Table &table_;
  const Device device_ = Device::systemDefault();
};

Verdicts judgeHere(const Table &table, const Rows &rows, bool wrong) {
  Judge judge(table);
  auto one = [&](const Rows &part) { wrong ? judge.refused(part) : judge.accepted(part); };
  if (table.alone)
    for (const Row *row : rows)
      one({row});
  else
    one(rows);
  return std::move(judge.verdicts);
}

// In a process of their own, because one row that crashes the compiler must not take the others with it.
void judgeApart(const Table &table, const Rows &rows, bool wrong, Verdicts &verdicts) {
  if (rows.empty())
    return;
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0)
    throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    std::string text;
    for (const auto &[name, verdict] : judgeHere(table, rows, wrong))
      text += name + '\0' + verdict + '\0';
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = write(ends[1], text.data() + done, text.size() - done);
      if (n <= 0)
        _exit(1);
      done += size_t(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    if (rows.size() == 1)
      verdicts[rows.front()->name] = "the compiler dies of signal " + std::to_string(WTERMSIG(status));
    else
      halve(rows, [&](const Rows &half) { judgeApart(table, half, wrong, verdicts); });
    return;
  }
  for (size_t at = 0; at < text.size();) {
    const std::string name = text.c_str() + at;
    const std::string verdict = text.c_str() + at + name.size() + 1;
    verdicts[name] = verdict;
    at += name.size() + verdict.size() + 2;
  }
}

Verdicts judgeTable(const Table &table, bool wrong) {
  Rows rows;
  for (const Row &row : table.rows)
    if (!wrong || row.refused)
      rows.push_back(&row);
  Verdicts verdicts;
  judgeApart(table, rows, wrong, verdicts);
  return verdicts;
}

} // namespace

Verdicts judgeAccepted(const Table &table) {
  return judgeTable(table, false);
}
Verdicts judgeRefused(const Table &table) {
  return judgeTable(table, true);
}

} // namespace assay::language
