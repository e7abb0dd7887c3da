#include "frontend/diagnostics.h"

#include "frontend/candidate_notes.h"
#include "frontend/given_attributes.h"
#include "support/abi/metal_names.h"

#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace assay::frontend {
namespace {

using clang::SourceLocation;
using clang::SourceManager;

constexpr const char *kIncluded = "included from here";

void replaceAll(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Clang offers the nearest name that it knows, which may be one of the shim's own.
bool dropInternalSuggestion(std::string &text) {
  constexpr std::string_view kOffer = "; did you mean '";
  const size_t offer = text.find(kOffer), name = offer + kOffer.size();
  const size_t end = offer == std::string::npos ? offer : text.find('\'', name);
  if (end == std::string::npos)
    return false;
  const std::string_view offered = std::string_view(text).substr(name, end - name);
  if (offered.find("__") == std::string_view::npos && !offered.ends_with('_'))
    return false;
  text.erase(offer, text.find('?', end) + 1 - offer);
  return true;
}

bool inShim(const SourceManager &sources, SourceLocation location) {
  return isShimPath(sources.getFilename(location));
}

std::string displayName(llvm::StringRef name) {
  // The shim is not on disk: its files have their names in the repository.
  if (name.consume_front(llvm::StringRef(kShimRoot.data(), kShimRoot.size())))
    return "msl_shim" + name.str();
  return name.str();
}

std::string sourceLineOf(const SourceManager &sources, SourceLocation location, const ViewFileSystem &files) {
  const auto [file, offset] = sources.getDecomposedLoc(location);
  const uint32_t line = sources.getLineNumber(file, offset);
  if (const SourceView *view = files.view(sources.getFilename(location)))
    return std::string(view->originalLine(line));
  bool invalid = false;
  const llvm::StringRef buffer = sources.getBufferData(file, &invalid);
  if (invalid)
    return {};
  const std::string_view text(buffer.data(), buffer.size());
  const size_t before = offset ? text.rfind('\n', offset - 1) : std::string_view::npos;
  const size_t first = before == std::string_view::npos ? 0 : before + 1;
  return std::string(text.substr(first, text.find('\n', offset) - first));
}

// Removes an alias's meaning if both are now the same: 'float4' (aka 'float4').
void dropRepeatedAliases(std::string &text) {
  for (size_t at = 0; (at = text.find(" (aka '", at)) != std::string::npos; ++at) {
    const size_t end = text.find("')", at);
    const std::string known = end == std::string::npos ? "" : text.substr(at + 6, end + 1 - (at + 6));
    if (!known.empty() && at >= known.size() && text.compare(at - known.size(), known.size(), known) == 0)
      text.erase(at, end + 2 - at);
  }
}

// Where the name of a type begins, with Metal's own namespace; nothing, if another scope stands before it.
std::optional<size_t> beginOfType(std::string_view text, size_t name) {
  constexpr std::string_view kMetal = "metal::";
  const size_t begin = text.substr(0, name).ends_with(kMetal) ? name - kMetal.size() : name;
  return begin == 0 || std::string_view(" '<(").find(text[begin - 1]) != std::string_view::npos
             ? std::optional(begin)
             : std::nullopt;
}

// `matrix<half, 4 aka 4, 2 aka 2>` as `half4x2`.
void plainMatrices(std::string &text) {
  constexpr std::string_view kAlso = " aka ";
  for (size_t at = 0; (at = text.find(kAlso, at)) != std::string::npos; ++at)
    if (const size_t again = at + kAlso.size();
        at > 0 && again < text.size() && std::isdigit(text[again]) && text[at - 1] == text[again])
      text.erase(at, kAlso.size() + 1);
  constexpr std::string_view kMatrix = "matrix<";
  for (size_t at = 0; (at = text.find(kMatrix, at)) != std::string::npos; ++at) {
    const size_t first = at + kMatrix.size(), comma = text.find(", ", first);
    if (comma == std::string::npos || comma + 7 > text.size() || text.compare(comma + 3, 2, ", ") != 0 ||
        text[comma + 6] != '>')
      continue;
    const std::string element = text.substr(first, comma - first);
    const auto begin = beginOfType(text, at);
    if (begin && (element == "half" || element == "float" || element == "bfloat"))
      text.replace(*begin, comma + 7 - *begin, element + text[comma + 2] + 'x' + text[comma + 5]);
  }
}

// `vec<float, 4>` as `float4`: Clang compares two instantiations of a template by their arguments, whatever
// the program calls them.
std::string plainVectors(std::string text) {
  static constexpr std::string_view kElements[] = {"bool", "char", "uchar", "short", "ushort", "int",
                                                   "uint", "long", "ulong", "half",  "bfloat", "float"};
  for (size_t at = 0; (at = text.find("vec<", at)) != std::string::npos; ++at) {
    const size_t comma = text.find(", ", at), end = comma + 3;
    if (comma == std::string::npos || end >= text.size() || text[end] != '>')
      continue;
    const std::string element = text.substr(at + 4, comma - at - 4);
    const char length = text[comma + 2];
    const auto begin = beginOfType(text, at);
    if (begin && length >= '2' && length <= '4' &&
        std::ranges::find(kElements, element) != std::end(kElements))
      text.replace(*begin, end + 1 - *begin, element + length);
  }
  return text;
}

// `__make_unsigned(char)`, as the library computes a type from another, is that type: `uchar`.
std::string computedTypes(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"char", "uchar"}, {"short", "ushort"}, {"int", "uint"}, {"long", "ulong"}};
  for (const auto &[plain, without] : kSigns)
    for (const std::string_view type : {plain, without}) {
      replaceAll(text, "__make_unsigned(" + std::string(type) + ")", without);
      replaceAll(text, "__make_signed(" + std::string(type) + ")", plain);
    }
  return text;
}

// The message of a static_assert in the library, without its condition. `$1` in it is the first argument of
// the template that the condition is: of `is_same_v<float, half>` it is `float`.
std::string requirement(std::string text) {
  if (text.rfind("static assertion failed", 0) != 0)
    return text;
  const size_t said = text.find("': ");
  if (said == std::string::npos)
    return text;
  std::string message = text.substr(said + 3);
  if (const size_t begin = text.find('<'), end = text.rfind('>', said); begin < end && end < said) {
    int nesting = 0, number = 1;
    for (size_t at = begin + 1, first = at; at <= end; ++at)
      if (at == end || (text[at] == ',' && nesting == 0)) {
        replaceAll(message, "$" + std::to_string(number++), text.substr(first, at - first));
        first = at + 2;
      } else
        nesting += text[at] == '<' || text[at] == '(' ? 1 : text[at] == '>' || text[at] == ')' ? -1 : 0;
  }
  return message;
}

// Notes that only tell an option, which the commands here do not have.
bool namesOptionOfClang(unsigned id) {
  return id == clang::diag::note_bracket_depth || id == clang::diag::note_template_recursion_depth;
}

// Metal's rules refuse such an array, in words of their own.
bool isVariableLength(unsigned id) {
  using namespace clang::diag;
  return id == ext_vla_cxx || id == ext_vla_cxx_in_gnu_mode || id == ext_vla_cxx_static_assert ||
         id == ext_vla_cxx_in_gnu_mode_static_assert;
}

// Clang has rules for a function 'main'. Metal has no such function.
bool isRuleOfMain(unsigned id) {
  using namespace clang::diag;
  for (const unsigned rule :
       {err_main_returns_nonint, err_main_surplus_args, err_main_arg_wrong, err_mainlike_template_decl,
        err_static_main, err_inline_main, err_constexpr_main})
    if (id == rule)
      return true;
  return false;
}

// Swizzles are member functions of the shim: '__put_xy' of a const vector, and both of a volatile one.
std::string ofSwizzles(std::string text) {
  constexpr std::string_view kBefore = "'this' argument to member function '__", kType = "' has type ";
  const size_t type = text.find(kType), end = text.rfind(", but function is not marked ");
  if (!text.starts_with(kBefore) || type == std::string::npos || end == std::string::npos || end < type)
    return text;
  const std::string function = text.substr(kBefore.size(), type - kBefore.size());
  if (!function.starts_with("put_") && !function.starts_with("get_"))
    return text;
  const std::string components = function.substr(4);
  if (text.ends_with("volatile"))
    return "'" + components + "' of a volatile vector is not supported: copy the vector to a variable";
  return "cannot assign to '" + components + "' of a value of type " +
         text.substr(type + kType.size(), end - type - kType.size());
}

} // namespace

std::string metalSpelling(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"unknown type name '__assay_double'", "'double' is not supported in Metal"},
      {"use of undeclared identifier '__assay_double'", "'double' is not supported in Metal"},
      {"use of undeclared identifier '__assay_unread_vector'",
       "ext_vector_type cannot be read here: write it at the end of a typedef"},
      {"__assay_double", "double"}, // a program's macro
      {"cannot assign to return value because function 'operator[]' returns a const value",
       "read-only variable is not assignable"},
      {"'annotate' attribute requires parameter 1 to be a constant expression",
       "the number in an attribute must be a constant expression"},
      {"no setter defined for property 'all'", "expression is not assignable"}, // component_fixes.h
      {"no setter defined for property '", "a component stands twice, so nothing can be assigned to '"},
      {"variable length array declaration cannot have 'static' storage duration",
       "an array in threadgroup memory must have a size that is known when it is compiled"},
      {"address space '__global_device'", "address space 'device'"},
      {"const __global_host ", "constant "},
      {"__global_host const ", "constant "},
      {"__global_device", "device"},
      {"__global_host", "constant"},
      {"address space '__global'", "address space 'object_data'"},
      {"address space '__private'", "address space 'ray_data'"},
      {"address space '__ptr64'", "address space 'thread'"},
      {"'__global ", "'object_data "},
      {"'__private ", "'ray_data "},
      {"__unaligned __local", "threadgroup_imageblock"},
      {"__local", "threadgroup"},
      {"_Float16", "half"},
      {"__bf16", "bfloat"},
      {"unsigned char", "uchar"},
      {"unsigned short", "ushort"},
      {"unsigned int", "uint"},
      {"unsigned long", "ulong"},
      {"default address space", "address space 'thread'"},
  };
  if (text.starts_with("unknown type name '__local'")) // OpenCL's word in a program, not Clang's for a memory
    return text;
  for (const auto &[from, to] : kWords)
    replaceAll(text, from, to);
  // component_fixes.h
  if (text.starts_with("no member named '__itself'") ||
      text.ends_with(" member function for call to '__part'"))
    text = "expression is not assignable";
  if (text.ends_with(" member function for call to '__swizzled'"))
    text = "a swizzle of a volatile vector is not supported: copy the vector to a variable";
  text = ofSwizzles(plainVectors(computedTypes(vectorNames(std::move(text)))));
  plainMatrices(text);
  dropRepeatedAliases(text);
  return text;
}

namespace {

// After the last note of the error or the warning at `first`.
size_t endOfNotes(const std::vector<Diagnostic> &all, size_t first) {
  size_t end = first + 1;
  while (end < all.size() && all[end].severity == Severity::Note)
    ++end;
  return end;
}

} // namespace

std::vector<Diagnostic> atUsersPlaces(std::vector<Diagnostic> all) {
  std::vector<Diagnostic> result, inShim;
  bool refused = false; // at the user's own place
  for (size_t first = 0, end; first < all.size(); first = end) {
    end = endOfNotes(all, first);
    std::vector<Diagnostic> group(std::make_move_iterator(all.begin() + first),
                                  std::make_move_iterator(all.begin() + end));
    tellOfCandidates(group);
    Diagnostic &main = group[0];
    size_t skipped = group.size();
    if (main.severity == Severity::Error && isShims(main))
      for (size_t i = 1; i < group.size() && skipped == group.size(); ++i)
        if (!isShims(group[i]) && group[i].where.known() && group[i].message != kIncluded)
          skipped = i;
    const bool moved = skipped != group.size();
    if (moved) {
      main.message = requirement(std::move(main.message));
      main.where = group[skipped].where;
      main.sourceLine = group[skipped].sourceLine;
      main.ranges = group[skipped].ranges;
    }
    const bool error = main.severity == Severity::Error, usersError = error && !isShims(main);
    refused |= usersError;
    std::vector<Diagnostic> &list = error && !usersError ? inShim : result;
    list.push_back(std::move(main));
    for (size_t i = 1; i < group.size(); ++i) {
      Diagnostic &note = group[i];
      const bool offered = note.message.ends_with("' declared here"); // of a suggestion: it has the name
      const bool builtin = note.message.starts_with("built-in candidate operator"); // hundreds of them
      const bool inside =
          usersError && isShims(note) && (moved || offered || note.where.file.starts_with(kInternals));
      if (i != skipped && !inside && !builtin && !(moved && note.message == kIncluded))
        list.push_back(std::move(note));
    }
  }
  if (!refused)
    std::ranges::move(inShim, std::back_inserter(result));
  return result;
}

SourcePlace userPlace(const SourceManager &sources, SourceLocation location, const ViewFileSystem &files) {
  SourcePlace place;
  if (location.isInvalid())
    return place;
  location = sources.getFileLoc(location);
  const auto [file, offset] = sources.getDecomposedLoc(location);
  const llvm::StringRef name = sources.getFilename(location);
  place.file = displayName(name);
  place.line = sources.getLineNumber(file, offset);
  place.column = sources.getColumnNumber(file, offset);
  if (const SourceView *view = files.view(name)) {
    place.column = view->originalColumn(place.line, place.column);
    const SourceView::LineName shown = view->nameOf(place.line);
    place.line = shown.line;
    if (!shown.file.empty())
      place.file = shown.file;
  }
  return place;
}

bool DiagnosticCollector::hasErrorBetween(const SourcePlace &first, const SourcePlace &last) const {
  const auto at = [](const SourcePlace &place) { return std::pair(place.line, place.column); };
  return std::ranges::any_of(diagnostics_, [&](const Diagnostic &d) {
    return d.severity == Severity::Error && d.where.file == first.file && at(d.where) >= at(first) &&
           at(d.where) <= at(last);
  });
}

std::vector<Diagnostic> DiagnosticCollector::take() {
  return atUsersPlaces(std::move(diagnostics_));
}

void DiagnosticCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                           const clang::Diagnostic &info) {
  using Level = clang::DiagnosticsEngine::Level;
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level == Level::Ignored)
    return;
  if (level != Level::Note)
    ofArray_ = isVariableLength(info.getID());
  if (ofArray_) { // its notes say why the length is not known, which a fix may change
    lastShown_ = false;
    return fixes_.consider(info, files_);
  }
  if (level == Level::Note && (!lastShown_ || namesOptionOfClang(info.getID())))
    return;
  const bool ruleOfMain = isRuleOfMain(info.getID());
  lastShown_ = !ruleOfMain || !std::exchange(saidMain_, true);
  if (!lastShown_)
    return;
  ended_ |= level == Level::Fatal;
  if (level == Level::Error && slips_.isConsequence(info)) {
    lastShown_ = false;
    return;
  }
  fixes_.consider(info, files_);

  Diagnostic d;
  d.severity = level >= Level::Error    ? Severity::Error
               : level == Level::Note   ? Severity::Note
               : level == Level::Remark ? Severity::Note
                                        : Severity::Warning;
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  const std::optional<Slip> slip = level == Level::Error ? slips_.slipOf(info, files_) : std::nullopt;
  if (slip && slip->explainsLast)
    diagnostics_.resize(lastError_);
  if (level == Level::Error)
    lastError_ = diagnostics_.size();
  d.message = metalSpelling(slip ? slip->message : text.str().str());
  if (const size_t at = d.message.find("; use -f"); at != std::string::npos && d.message.ends_with(" all)"))
    d.message.replace(at, std::string::npos, ")"); // of a note about the templates that are left out
  if (dropInternalSuggestion(d.message) && level == Level::Error)
    slips_.guessed(info.getLocation());
  if (ruleOfMain)
    d.message = "no function can be named 'main'";
  // For Clang a list in braces has no type.
  if (info.getID() == clang::diag::err_reference_bind_drops_quals)
    if (const size_t at = d.message.find("to value of type 'void'"); at != std::string::npos)
      d.message.replace(at, std::string_view("to value of type 'void'").size(),
                        "to a list in braces, whose value lies in thread memory,");
  if (level == Level::Warning && ignoresMetalsAttribute(info)) {
    d.severity = Severity::Error;
    d.message =
        "an attribute of Metal that a macro is given cannot be read here: write it in the macro's body";
    refused_ = true;
  } else if (level != Level::Note)
    if (const llvm::StringRef flag = clang::DiagnosticIDs::getWarningOptionForDiag(info.getID());
        !flag.empty())
      d.rule = "-W" + flag.str();

  if (info.getLocation().isValid() && info.hasSourceManager()) {
    const SourceManager &sources = info.getSourceManager();
    const SourceLocation location = slip ? slip->where : sources.getFileLoc(info.getLocation());
    // A warning inside the shim does not concern the user.
    if (d.severity == Severity::Warning && inShim(sources, location)) {
      lastShown_ = false;
      return;
    }
    d.where = userPlace(sources, location, files_);
    // Shown once for a template, not once for each instantiation.
    if (d.severity == Severity::Warning &&
        !warned_.insert({d.where.file, d.where.line, d.where.column, d.message}).second) {
      lastShown_ = false;
      return;
    }
    d.sourceLine = sourceLineOf(sources, location, files_);
    if (d.sourceLine.find("METAL") != std::string::npos) // the view writes Clang's name for this pragma
      replaceAll(d.message, "#pragma clang fp", "#pragma METAL fp");
    clang::LangOptions options;
    options.CPlusPlus = true;
    for (const clang::CharSourceRange &range : info.getRanges()) {
      if (range.isInvalid())
        continue;
      const SourcePlace first = userPlace(sources, range.getBegin(), files_);
      SourcePlace last = userPlace(sources, range.getEnd(), files_);
      if (first.line != d.where.line || last.line != d.where.line || first.file != d.where.file)
        continue;
      if (range.isTokenRange())
        last.column += clang::Lexer::MeasureTokenLength(sources.getFileLoc(range.getEnd()), sources, options);
      d.ranges.emplace_back(first.column, last.column);
    }
    const auto later = std::ranges::find_if(diagnostics_, [&](const Diagnostic &other) {
      return declarations_ && other.severity != Severity::Note && other.where.file == d.where.file &&
             other.where.line >= d.where.line;
    });
    diagnostics_.insert(later, std::move(d));
    // The place inside the macro, if the place shown is the macro's use.
    if (level != Level::Note && info.getLocation().isMacroID() && !declarations_ && !slip) {
      const SourceLocation spelling = sources.getSpellingLoc(info.getLocation());
      if (!inShim(sources, spelling) && sources.getFilename(spelling) != "" && spelling != location) {
        Diagnostic note;
        note.severity = Severity::Note;
        note.message = "expanded from a macro defined here";
        note.where = userPlace(sources, spelling, files_);
        note.sourceLine = sourceLineOf(sources, spelling, files_);
        diagnostics_.push_back(std::move(note));
      }
    }
    // The #includes that lead to an error in a header.
    if (level >= Level::Error)
      for (SourceLocation up = sources.getIncludeLoc(sources.getFileID(location)); up.isValid();
           up = sources.getIncludeLoc(sources.getFileID(up))) {
        Diagnostic note;
        note.severity = Severity::Note;
        note.message = kIncluded;
        note.where = userPlace(sources, up, files_);
        note.sourceLine = sourceLineOf(sources, up, files_);
        if (note.where.known() && sources.getFilename(up) != "")
          diagnostics_.push_back(std::move(note));
      }
    return;
  }
  diagnostics_.push_back(std::move(d));
}

std::vector<Diagnostic> withoutTrialNames(const std::vector<Diagnostic> &before,
                                          const std::vector<Diagnostic> &after) {
  const auto lineOf = [](const Diagnostic &d) { return std::pair(d.where.file, d.where.line); };
  const auto namesHelper = [](const Diagnostic &d) { return d.message.find("__assay") != std::string::npos; };
  std::vector<Diagnostic> all;
  std::set<std::pair<std::string, uint32_t>> replaced;
  for (size_t first = 0, end; first < after.size(); first = end) {
    end = endOfNotes(after, first);
    std::vector<Diagnostic> earlier;
    if (std::any_of(after.begin() + first, after.begin() + end, namesHelper))
      for (size_t other = 0, last; other < before.size(); other = last) {
        last = endOfNotes(before, other);
        if (before[other].severity == Severity::Error && lineOf(before[other]) == lineOf(after[first]))
          earlier.insert(earlier.end(), before.begin() + other, before.begin() + last);
      }
    if (earlier.empty())
      all.insert(all.end(), after.begin() + first, after.begin() + end);
    else if (replaced.insert(lineOf(after[first])).second)
      all.insert(all.end(), earlier.begin(), earlier.end());
  }
  return all;
}

} // namespace assay::frontend
