// A program declares an alias for each class and asks for its size, so that Clang has its members.
#include "member_lists.h"

#include "library_run.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>

#include <regex>
#include <set>
#include <stdexcept>

namespace assay::apple_headers {

namespace {

constexpr const char *kAlias = "q_";

std::string programOf(const std::vector<std::string> &types) {
  std::string text = "using namespace metal;\n";
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string alias = kAlias + std::to_string(i);
    text += "typedef " + types[i] + " " + alias + "; static_assert(sizeof(" + alias + ") > 0, \"\");\n";
  }
  return text;
}

/// Clang's words for types become Metal's.
std::string metalWords(std::string text) {
  constexpr std::pair<const char *, const char *> kWords[] = {{"_Float16", "half"},
                                                              {"__bf16", "bfloat"},
                                                              {"unsigned char", "uchar"},
                                                              {"unsigned short", "ushort"},
                                                              {"unsigned int", "uint"},
                                                              {"unsigned long", "ulong"},
                                                              {"std::nullptr_t", "nullptr_t"},
                                                              {"__global", "device"},
                                                              {"__constant", "constant"},
                                                              {"__local", "threadgroup"}};
  for (const auto &[word, metal] : kWords)
    text = std::regex_replace(text, std::regex("\\b" + std::string(word) + "\\b"), metal);
  static const std::regex vector(R"((\w+) __attribute__\(\(ext_vector_type\((\d)\)\)\))");
  return std::regex_replace(text, vector, "$1$2");
}

class MemberReader {
public:
  explicit MemberReader(const clang::ASTContext &context) : policy_(context.getLangOpts()) {
    policy_.adjustForCPlusPlus();
  }

  std::vector<Member> read(const clang::CXXRecordDecl &record) {
    readRecord(record, {}, false);
    return std::move(members_);
  }

private:
  std::string spelled(clang::QualType type) const {
    type = type.getCanonicalType();
    const clang::QualType pointee = type->getPointeeType();
    if (!pointee.isNull() && !pointee->isFunctionType())
      return spelled(pointee) + (type->isPointerType() ? " *" : type->isLValueReferenceType() ? " &" : " &&");
    std::string text = type.isConstQualified() ? "const " : "";
    for (const auto &[space, word] : {std::pair(clang::LangAS::opencl_global, "device "),
                                      std::pair(clang::LangAS::opencl_constant, "constant "),
                                      std::pair(clang::LangAS::opencl_local, "threadgroup ")})
      if (type.getAddressSpace() == space)
        text += word;
    return text + metalWords(type.getUnqualifiedType().getAsString(policy_));
  }

  /// hidden: names of the classes that derive from this one
  void readRecord(const clang::CXXRecordDecl &record, std::set<std::string> hidden, bool isBase) {
    std::set<std::string> names;
    for (const clang::Decl *declaration : record.decls()) {
      if (const auto *shadow = llvm::dyn_cast<clang::UsingShadowDecl>(declaration))
        readDeclaration(*shadow->getTargetDecl(), shadow->getAccess(), hidden, names);
      else if (!isBase || !llvm::isa<clang::CXXConstructorDecl>(declaration))
        readDeclaration(*declaration, declaration->getAccess(), hidden, names);
    }
    hidden.merge(names);
    for (const clang::CXXBaseSpecifier &base : record.bases())
      if (const clang::CXXRecordDecl *derived = base.getType()->getAsCXXRecordDecl();
          derived && base.getAccessSpecifier() == clang::AS_public)
        readRecord(*derived, hidden, true);
  }

  void readDeclaration(const clang::Decl &declaration, clang::AccessSpecifier access,
                       const std::set<std::string> &hidden, std::set<std::string> &names) {
    const auto *named = llvm::dyn_cast<clang::NamedDecl>(&declaration);
    if (!named || named->isImplicit())
      return;
    if (const auto *enumeration = llvm::dyn_cast<clang::EnumDecl>(named);
        enumeration && !enumeration->isScoped())
      for (const clang::EnumConstantDecl *constant : enumeration->enumerators())
        readDeclaration(*constant, access, hidden, names);
    Member member;
    if (!describe(*named, member) || member.name.empty())
      return;
    names.insert(member.name);
    if (access == clang::AS_public && !hidden.contains(member.name))
      members_.push_back(std::move(member));
  }

  /// false: no member that is listed
  bool describe(const clang::NamedDecl &named, Member &member) const {
    using enum Member::Kind;
    member.name = named.getNameAsString();
    if (const auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&named)) {
      member.isTemplate = true;
      return describe(*pattern->getTemplatedDecl(), member);
    }
    if (const auto *field = llvm::dyn_cast<clang::FieldDecl>(&named)) {
      member.result = spelled(field->getType());
    } else if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(&named)) {
      member.kind = Constant;
      member.result = spelled(variable->getType());
    } else if (const auto *constant = llvm::dyn_cast<clang::EnumConstantDecl>(&named)) {
      member.kind = Constant;
      member.result = spelled(constant->getType());
    } else if (const auto *alias = llvm::dyn_cast<clang::TypedefNameDecl>(&named)) {
      member.kind = Type;
      member.result = spelled(alias->getUnderlyingType());
    } else if (llvm::isa<clang::TypeDecl>(named) || llvm::isa<clang::ClassTemplateDecl>(named)) {
      member.kind = Type;
    } else if (const auto *function = llvm::dyn_cast<clang::CXXMethodDecl>(&named)) {
      if (!isAvailable(*function))
        return false;
      describeFunction(*function, member);
    } else {
      return false;
    }
    return true;
  }

  /// Whether its conditions hold, as far as they are the same for all arguments of a call.
  static bool isAvailable(const clang::CXXMethodDecl &function) {
    for (const auto *condition : function.specific_attrs<clang::EnableIfAttr>()) {
      bool holds = true;
      if (!condition->getCond()->isValueDependent() &&
          condition->getCond()->EvaluateAsBooleanCondition(holds, function.getASTContext()) && !holds)
        return false;
    }
    return true;
  }

  void describeFunction(const clang::CXXMethodDecl &function, Member &member) const {
    using enum Member::Kind;
    member.kind = llvm::isa<clang::CXXConstructorDecl>(function)  ? Constructor
                  : llvm::isa<clang::CXXConversionDecl>(function) ? Conversion
                  : function.isStatic()                           ? StaticFunction
                                                                  : Function;
    member.result = spelled(function.getReturnType());
    if (member.kind == Conversion)
      member.name = member.result;
    for (const clang::ParmVarDecl *parameter : function.parameters())
      member.parameters.push_back(spelled(parameter->getType()));
    member.required = function.getMinRequiredArguments();
    member.isConst = function.isConst();
    member.isDeleted = function.isDeleted();
  }

  clang::PrintingPolicy policy_;
  std::vector<Member> members_;
};

class MemberConsumer : public clang::ASTConsumer {
public:
  MemberConsumer(const std::vector<std::string> &types, MemberLists &lists) : types_(types), lists_(lists) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    for (const clang::Decl *declaration : context.getTranslationUnitDecl()->decls()) {
      const auto *alias = llvm::dyn_cast<clang::TypedefDecl>(declaration);
      if (!alias || !alias->getName().starts_with(kAlias))
        continue;
      const clang::CXXRecordDecl *record = alias->getUnderlyingType()->getAsCXXRecordDecl();
      if (record && record->hasDefinition())
        lists_.emplace(types_.at(std::stoul(alias->getNameAsString().substr(2))),
                       MemberReader(context).read(*record->getDefinition()));
    }
  }

private:
  const std::vector<std::string> &types_;
  MemberLists &lists_;
};

class MemberAction : public clang::ASTFrontendAction {
public:
  MemberAction(const std::vector<std::string> &types, MemberLists &lists) : types_(types), lists_(lists) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<MemberConsumer>(types_, lists_);
  }

private:
  const std::vector<std::string> &types_;
  MemberLists &lists_;
};

class FirstError : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    if (level < clang::DiagnosticsEngine::Error || !message.empty())
      return;
    llvm::SmallString<200> text;
    info.FormatDiagnostic(text);
    message = std::string(text);
  }

  std::string message;
};

void expectAll(const MemberLists &lists, const std::vector<std::string> &types) {
  for (const std::string &type : types)
    if (!lists.contains(type))
      throw std::runtime_error(type + " is no class");
}

} // namespace

std::string Member::text() const {
  const bool hasResult = kind != Kind::Constructor && kind != Kind::Conversion && !result.empty();
  std::string text = (hasResult ? result + " " : kind == Kind::Conversion ? "operator " : "") + name;
  if (kind == Kind::Field || kind == Kind::Constant || kind == Kind::Type)
    return text;
  text += "(";
  for (const std::string &parameter : parameters)
    text += (text.back() == '(' ? "" : ", ") + parameter;
  return text + (isConst ? ") const" : ")");
}

std::string operatorOf(const Member &member) {
  constexpr std::string_view kOperator = "operator";
  const std::string &name = member.name;
  const bool isOperator = member.kind == Member::Kind::Function && name.starts_with(kOperator) &&
                          name.find_first_of("+-*/%^&|~!=<>([") == kOperator.size();
  return isOperator ? name.substr(kOperator.size()) : "";
}

bool isForPrograms(const Member &member) {
  return !member.name.starts_with("_") && !member.name.starts_with("~");
}

MemberLists headerMembers(const CompiledHeaders &headers, const std::vector<std::string> &types) {
  MemberLists lists;
  MemberAction action(types, lists);
  FirstError error;
  headers.run(programOf(types), action, error);
  if (!error.message.empty())
    throw std::runtime_error(error.message);
  expectAll(lists, types);
  return lists;
}

MemberLists libraryMembers(const std::vector<std::string> &types, LanguageVersion version) {
  MemberLists lists;
  readLibrary("#include <metal_stdlib>\n" + programOf(types), version,
              std::make_unique<MemberConsumer>(types, lists));
  expectAll(lists, types);
  return lists;
}

} // namespace assay::apple_headers
