// Rows as a source: a namespace for each, and one kernel that calls them in turn.
#include "program.h"

#include <algorithm>

namespace assay::language {
namespace {

constexpr const char *kParameters = "device int *buffer, constant int *constants, threadgroup int *shared";
constexpr const char *kArguments = "buffer, constants, shared";

class Writer {
public:
  void line(const std::string &text, int row = -1) {
    program.text += text + "\n";
    program.rowOfLine.push_back(row);
  }
  Program program;
};

// Writes the components of `v` of the row's type into its slot.
std::string stores(const ValueType &type) {
  std::string text;
  unsigned k = 0;
  for (unsigned c = 0; c < type.columns; ++c)
    for (unsigned r = 0; r < type.components; ++r, ++k) {
      std::string element = "v";
      if (type.columns > 1)
        element += "[" + std::to_string(c) + "]";
      if (!type.isScalar)
        element += "[" + std::to_string(r) + "]";
      const std::string scalar = type.scalar == "bool" ? "uchar" : type.scalar;
      text += " ((device " + scalar + " *)slot)[" + std::to_string(k) +
              "] = " + (type.scalar == "bool" ? "uchar(" + element + ")" : element) + ";";
    }
  return text;
}

void writeRow(Writer &out, const Row &row, int index, bool wrong) {
  out.line("namespace row_" + std::to_string(index) + " { // " + row.name);
  unsigned mark = 0;
  auto line = [&](const std::string &text, const std::string &source) {
    if (source.find("[~") != std::string::npos)
      mark = unsigned(out.program.rowOfLine.size()) + 1;
    out.line(text, index);
  };
  for (const std::string &given : row.given)
    line(chosen(given, wrong), given);
  const std::string code = chosen(row.code, wrong);
  const bool block = code[0] == '{';
  const bool valued = !row.refused && row.expected != "ok";
  if (!valued) {
    line(std::string("static inline void run(") + kParameters + ") " +
             (block ? code : "{ (void)(" + code + "); }"),
         row.code);
  } else {
    const ValueType type = readExpectation(row.expected).type;
    if (block) {
      line("static inline " + type.name + " value(" + kParameters + ") " + code, row.code);
    } else {
      line("static inline " + type.name + " value(" + kParameters + ") { auto v = (" + code +
               "); static_assert(SameType<decltype(v), " + type.name + ">::yes, \"the type\"); return v; }",
           row.code);
    }
    out.line(std::string("static inline void run(") + kParameters + ", device char *slot) { " + type.name +
                 " v = value(" + kArguments + ");" + stores(type) + " }",
             index);
  }
  out.line("}");
  out.program.markLine.push_back(mark);
}

} // namespace

Program makeProgram(const std::vector<const Row *> &rows, bool wrong, bool alone) {
  Writer out;
  out.program.rows = rows;
  if (alone) { // what precedes the row, before its namespace: includes, macros
    const Row &row = *rows.front();
    unsigned mark = 0;
    for (const std::string &given : row.given) {
      if (given.find("[~") != std::string::npos)
        mark = unsigned(out.program.rowOfLine.size()) + 1;
      out.line(chosen(given, wrong), 0);
    }
    Row rest = row;
    rest.given.clear();
    out.line("template <typename A, typename B> struct SameType { enum { yes = 0 }; };");
    out.line("template <typename A> struct SameType<A, A> { enum { yes = 1 }; };");
    writeRow(out, rest, 0, wrong);
    if (mark)
      out.program.markLine[0] = mark;
  } else {
    out.line("#include <metal_stdlib>");
    out.line("using namespace metal;");
    out.line("template <typename A, typename B> struct SameType { enum { yes = 0 }; };");
    out.line("template <typename A> struct SameType<A, A> { enum { yes = 1 }; };");
    for (size_t i = 0; i < rows.size(); ++i)
      writeRow(out, *rows[i], int(i), wrong);
  }
  out.line("kernel void rows(device int *buffers [[buffer(0)]], constant int *constants [[buffer(1)]],");
  out.line("                 device char *result [[buffer(2)]]) {");
  // Aligned for every type that a row lays over it.
  out.line("  alignas(16) threadgroup int shared[" + std::to_string(kInts) + "];");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &row = *rows[i];
    if (row.refused || row.expected == "ok")
      continue;
    const std::string n = std::to_string(i);
    out.line("  for (int i = 0; i < " + std::to_string(kInts) + "; ++i) shared[i] = 100 + i;");
    out.line("  row_" + n + "::run(buffers + " + n + " * " + std::to_string(kInts) +
                 ", constants, shared, result + " + n + " * " + std::to_string(kSlotBytes) + ");",
             int(i));
  }
  out.line("}");
  return std::move(out.program);
}

} // namespace assay::language
