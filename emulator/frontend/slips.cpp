#include "frontend/slips.h"

#include "frontend/tokens.h"

#include <clang/Basic/DiagnosticParse.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

namespace assay::frontend {
namespace {

using clang::SourceLocation;
using clang::SourceManager;

// Which of the next declaration's words Clang takes for words of this one.
enum class Taken : uint8_t { Spaces, Words, WordsAndLists };

class PlacesBefore {
public:
  PlacesBefore(const SourceManager &sources, clang::FileID file)
      : sources_(sources), file_(file), lexed_(lexSource(textOf(file))), tokens_(lexed_->tokens) {}

  /// The last token that ends at or before this offset; kNone if there is none.
  size_t lastBefore(uint32_t offset) const {
    size_t last = kNone;
    for (size_t i = 0; i + 1 < tokens_.size() && endOf(i) <= offset; ++i)
      last = i;
    return last;
  }

  /// The first of the words that end with token `last`; last + 1 if that is none of them.
  size_t firstWord(size_t last, Taken taken) const {
    size_t first = last + 1;
    while (first > 0) {
      if (tokens_[first - 1].inDirective)
        break;
      const size_t list = taken == Taken::WordsAndLists ? attributeBefore(first) : first;
      if (list != first)
        first = list;
      else if (isSpace(first - 1) || (taken != Taken::Spaces && isStage(first - 1)))
        --first;
      else
        break;
    }
    return first;
  }

  /// The end of what the program has before a token; invalid if it is not known.
  SourceLocation endBefore(size_t token) const {
    size_t i = token;
    while (i > 0 && tokens_[i - 1].inDirective) {
      size_t hash = i - 1;
      while (hash > 0 && !tokens_[hash].startsLine)
        --hash;
      const RawToken &word = tokens_[hash + 1];
      const bool branches = word.isAny({"else", "elif", "elifdef", "elifndef", "endif"});
      if (branches && hash > 0 && !tokens_[hash - 1].inDirective)
        return {};
      if (word.isAny({"include", "import"}))
        if (const clang::FileID included = includedAt(tokens_[hash].offset, endOf(i - 1));
            included.isValid()) {
          const PlacesBefore other(sources_, included);
          return other.endBefore(other.tokens_.size() - 1);
        }
      i = hash;
    }
    return i == 0 ? SourceLocation() : at(endOf(i - 1));
  }

  uint32_t offset(size_t token) const { return tokens_[token].offset; }
  SourceLocation begin(size_t token) const { return at(offset(token)); }

  /// Whether the parenthesis that closes before this token closes a function's parameters, by what is first
  /// in them: nothing, or two words, of which a literal is none.
  bool followsParameters(size_t token) const {
    if (token == 0 || !tokens_[token - 1].is(")"))
      return false;
    size_t open = token - 1;
    for (int depth = 0; open > 0; --open) {
      depth += int(closesGroup(tokens_[open])) - int(opensGroup(tokens_[open]));
      if (depth == 0)
        break;
    }
    // A macro's call stands alone; a function has its result before its name.
    if (open < 2 || tokens_[open - 1].kind != TokenKind::Identifier || tokens_[open - 2].inDirective ||
        !(tokens_[open - 2].kind == TokenKind::Identifier || tokens_[open - 2].isAny({"*", "&", ">", "::"})))
      return false;
    const RawToken &first = tokens_[open + 1], &second = tokens_[open + 2];
    return first.is(")") || (first.kind == TokenKind::Identifier &&
                             (second.kind == TokenKind::Identifier || second.isAny({"*", "&", "<", "::"})));
  }

  bool hasEndBetween(uint32_t first, uint32_t last, bool ofOneName) const {
    int depth = 0;
    for (const RawToken &t : tokens_)
      if (t.offset >= first && t.offset < last && !t.inDirective) {
        depth += int(opensGroup(t)) - int(closesGroup(t));
        if (t.isAny({";", "{", "}"}) || (ofOneName && depth == 0 && t.is(",")))
          return true;
      }
    return false;
  }

  bool isSpace(size_t token) const {
    return means(tokens_[token], {"device", "constant", "threadgroup", "thread", "ray_data", "object_data",
                                  "threadgroup_imageblock", "__assay_threadgroup_object"});
  }
  bool isStage(size_t token) const { return means(tokens_[token], {"kernel", "vertex", "fragment"}); }

  /// The same of the token before this one.
  bool isSpecifier(size_t token) const {
    return token > 0 &&
           tokens_[token - 1].isAny({"const", "constexpr", "static", "volatile", "inline", "extern"});
  }
  bool endsClass(size_t token) const { return token > 0 && tokens_[token - 1].is("}"); }
  bool endsType(size_t token) const {
    return token > 0 && (tokens_[token - 1].kind == TokenKind::Identifier || tokens_[token - 1].is(">"));
  }
  bool startsLine(size_t token) const { return tokens_[token].startsLine; }

private:
  std::string_view textOf(clang::FileID file) const {
    bool invalid = false;
    const llvm::StringRef buffer = sources_.getBufferData(file, &invalid);
    return invalid ? std::string_view() : std::string_view(buffer.data(), buffer.size());
  }
  uint32_t endOf(size_t token) const { return tokens_[token].offset + tokens_[token].length; }
  SourceLocation at(uint32_t offset) const {
    return sources_.getLocForStartOfFile(file_).getLocWithOffset(int(offset));
  }

  bool means(const RawToken &token, std::initializer_list<std::string_view> words) const {
    if (token.kind != TokenKind::Identifier || token.isAny(words))
      return token.kind == TokenKind::Identifier;
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) // `#define K kernel`
      if (tokens_[i].is("define") && tokens_[i].inDirective && tokens_[i + 1].is(token.text) &&
          tokens_[i + 2].inDirective && tokens_[i + 2].isAny(words))
        return !tokens_[i + 3].inDirective || tokens_[i + 3].startsLine;
    return false;
  }

  // The first token of the `__attribute__((..))` that ends before a token. The view writes attributes so.
  size_t attributeBefore(size_t token) const {
    int depth = 0;
    for (size_t i = token; i > 0; --i) {
      const RawToken &t = tokens_[i - 1];
      depth += int(closesGroup(t)) - int(opensGroup(t));
      if (depth == 0)
        return i < token && i > 1 && tokens_[i - 2].is("__attribute__") ? i - 2 : token;
    }
    return token;
  }

  // The user's file that an #include between these offsets has read.
  clang::FileID includedAt(uint32_t first, uint32_t last) const {
    for (unsigned i = 0; i < sources_.local_sloc_entry_size(); ++i) {
      const clang::SrcMgr::SLocEntry &entry = sources_.getLocalSLocEntry(i);
      if (!entry.isFile() || entry.getFile().getIncludeLoc().isInvalid())
        continue;
      const auto [file, offset] = sources_.getDecomposedLoc(entry.getFile().getIncludeLoc());
      const SourceLocation begin = SourceLocation::getFromRawEncoding(unsigned(entry.getOffset()));
      if (file == file_ && offset >= first && offset <= last && !isShimPath(sources_.getFilename(begin)))
        return sources_.getFileID(begin);
    }
    return {};
  }

  const SourceManager &sources_;
  const clang::FileID file_;
  const std::shared_ptr<const LexedText> lexed_;
  const std::vector<RawToken> &tokens_;
};

// The place before the words of the next declaration, for a declaration whose last token is `last`.
std::optional<Slip> missingBefore(const PlacesBefore &places, size_t last, Taken taken, std::string message) {
  const size_t first = places.firstWord(last, taken);
  const SourceLocation where = first > last ? SourceLocation() : places.endBefore(first);
  if (where.isInvalid())
    return std::nullopt;
  return Slip{where, std::move(message)};
}

// `struct A {..} constant int z`, where `int` is the second type.
std::optional<Slip> secondType(const PlacesBefore &places, const SourceView *view, size_t last,
                               std::string_view message) {
  const size_t name = message.find('\'') + 1;
  const std::string previous(message.substr(name, message.find('\'', name) - name));
  if (previous != "struct" && previous != "class" && previous != "union" && previous != "enum")
    return std::nullopt;
  size_t first = last + 1;
  while (places.isSpecifier(first) || places.firstWord(first - 1, Taken::Words) < first)
    --first;
  // The view writes `static constant` in functions and namespaces; as a keyword, a specifier before the word
  // is one of the class.
  const bool written = !view || view->originalOffset(places.offset(first));
  if (first > last || (places.isSpecifier(first + 1) && written) ||
      !(places.endsClass(first) || places.startsLine(first)))
    return std::nullopt;
  const SourceLocation where = places.endBefore(first);
  if (where.isInvalid())
    return std::nullopt;
  return Slip{where, "expected ';' after " + previous};
}

std::optional<Slip> slipBeforeWord(const clang::Diagnostic &error, const ViewFileSystem &files) {
  using namespace clang::diag;
  const unsigned id = error.getID();
  const bool topLevel = id == err_invalid_token_after_toplevel_declarator;
  const bool ofDirective = id == err_expected_semi_after_attribute_list;
  const bool inner = id == err_expected_semi_decl_list || id == err_expected_semi_declaration;
  if (error.getLocation().isInvalid() || !error.hasSourceManager() ||
      !(topLevel || ofDirective || inner || id == err_expected_after || id == err_expected ||
        id == err_invalid_decl_spec_combination))
    return std::nullopt;
  llvm::SmallString<64> text;
  error.FormatDiagnostic(text);
  const std::string message = text.str().str();
  const SourceManager &sources = error.getSourceManager();
  const SourceLocation place = sources.getFileLoc(error.getLocation());
  const auto [file, offset] = sources.getDecomposedLoc(place);
  const PlacesBefore places(sources, file);
  const size_t last = places.lastBefore(offset);
  if (last == kNone)
    return std::nullopt;
  if (id == err_invalid_decl_spec_combination)
    return secondType(places, files.view(sources.getFilename(place)), last, message);
  if (ofDirective ||
      message == "expected ';' after attributes list") { // of `using namespace a`, `using a::b`
    std::string mended =
        ofDirective ? "expected ';' after namespace name" : "expected ';' after using declaration";
    const auto slip = missingBefore(places, last, Taken::WordsAndLists, mended);
    return slip ? slip : Slip{place, std::move(mended)};
  }
  if (id == err_expected) { // the place is that of the token after the words
    const size_t first = message == "expected ')'" ? places.firstWord(last, Taken::Spaces) : last + 1;
    return first > last ? std::nullopt : std::optional(Slip{places.begin(first), message});
  }
  if (const size_t first = topLevel ? places.firstWord(last, Taken::Words) : kNone;
      topLevel && places.followsParameters(first)) {
    // After a function's parameters, keywords for memories are words of the function, and others are not.
    if (first > last || places.firstWord(last, Taken::Spaces) <= last || places.isSpace(first))
      return std::nullopt;
    return Slip{places.begin(first), "expected function body after function declarator"};
  }
  // The words after a type that is no pointer are specifiers of that type, also as keywords.
  if (message == "expected ';' after alias declaration" &&
      places.endsType(places.firstWord(last, Taken::Words)))
    return std::nullopt;
  return missingBefore(places, last, inner ? Taken::Spaces : Taken::Words, message);
}

// Whether both places are in one declaration of one file, or of one name in it: no semicolon and no brace, or
// also no comma, is between them.
bool inOneDeclaration(const SourceManager &sources, SourceLocation first, SourceLocation last,
                      bool ofOneName = false) {
  const auto [file, begin] = sources.getDecomposedLoc(sources.getFileLoc(first));
  const auto [other, end] = sources.getDecomposedLoc(sources.getFileLoc(last));
  return file == other && begin <= end && !PlacesBefore(sources, file).hasEndBetween(begin, end, ofOneName);
}

} // namespace

bool Slips::isConsequence(const clang::Diagnostic &error) const {
  const bool ofMemory = error.getID() == clang::diag::err_as_qualified_auto_decl;
  return missing_.isValid() && (lacks_ || ofMemory) && error.getLocation().isValid() &&
         inOneDeclaration(error.getSourceManager(), missing_, error.getLocation());
}

std::optional<Slip> Slips::slipOf(const clang::Diagnostic &error, const ViewFileSystem &files) {
  using namespace clang::diag;
  const unsigned id = error.getID();
  std::optional<Slip> slip = slipBeforeWord(error, files);
  if (slip && memory_.isValid())
    slip->explainsLast = inOneDeclaration(error.getSourceManager(), memory_, slip->where, true);
  const bool missing = id == err_expected_semi_declaration || id == err_expected_semi_after_expr;
  missing_ = slip ? slip->where : missing ? error.getLocation() : SourceLocation();
  lacks_ = slip.has_value();
  memory_ = id == err_arg_with_address_space || id == err_field_with_address_space ? error.getLocation()
                                                                                   : SourceLocation();
  return slip;
}

} // namespace assay::frontend
