// What is instantiated at the end of a beginning, and what waits for the rest of the program.
#include "frontend/early_instantiations.h"

#include "frontend/view_file_system.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Tooling/Tooling.h>

#include <gmock/gmock.h>

namespace assay::frontend {
namespace {

using testing::ElementsAre;

using Names = std::vector<std::string>;

Names namesOf(const clang::Sema &sema) {
  Names names;
  for (const auto &[decl, where] : sema.PendingInstantiations) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    decl->getNameForDiagnostic(stream, sema.getASTContext().getPrintingPolicy(), /*Qualified=*/true);
    names.push_back(name);
  }
  return names;
}

struct Pending {
  Names before, after;
};

class Consumer : public clang::SemaConsumer {
public:
  Consumer(const ViewFileSystem &files, Pending &pending) : files_(files), pending_(pending) {}
  void InitializeSema(clang::Sema &sema) override { sema_ = &sema; }
  void HandleTranslationUnit(clang::ASTContext &) override {
    pending_.before = namesOf(*sema_);
    instantiateOfShim(*sema_, files_);
    pending_.after = namesOf(*sema_);
  }

private:
  const ViewFileSystem &files_;
  Pending &pending_;
  clang::Sema *sema_ = nullptr;
};

// Of a beginning, which leaves its instantiations pending.
class Action : public clang::ASTFrontendAction {
public:
  Action(const ViewFileSystem &files, Pending &pending) : files_(files), pending_(pending) {}
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<Consumer>(files_, pending_);
  }

private:
  const ViewFileSystem &files_;
  Pending &pending_;
};

constexpr const char *kLibrary = R"(
template <class T> T twice(T x) { return x + x; }
template <class T> T fourTimes(T x) { return twice(twice(x)); }
template <class T> struct Box {
  T held;
  T get() const { return held; }
  template <class U> U as() const { return U(held); }
};
template <int N> int number() { return N; }
enum class Kind { One };
template <Kind K> int kind() { return int(K); }
struct Watched { Watched &operator=(const Watched &); };
struct Row { int cells[8]; Watched watched; };
template <class T> void assign(T &to, T &from) { to = from; }
)";

Pending pendingAfter(const std::string &program) {
  ViewFileSystem files;
  const std::string path = "program.cc";
  files.addText(path, program);
  files.read(path);
  Pending pending;
  EXPECT_TRUE(clang::tooling::runToolOnCodeWithArgs(
      std::make_unique<Action>(files, pending), "#include \"library.h\"\n" + program,
      {"-std=c++17", "--target=x86_64-pc-linux-gnu", "-nostdinc", "-I."}, path, "test",
      std::make_shared<clang::PCHContainerOperations>(), {{"library.h", kLibrary}}));
  return pending;
}

TEST(EarlyInstantiations, AreThoseOfTheLibraryWithTypesOfItsOwn) {
  const Pending pending = pendingAfter("inline int f() { return twice(1) + Box<int>{2}.get() + number<3>() + "
                                       "kind<Kind::One>() + Box<Box<short>>{}.get().get(); }\n");
  EXPECT_EQ(pending.before.size(), 6u);
  EXPECT_THAT(pending.after, ElementsAre());
}

TEST(EarlyInstantiations, TakeWhatTheyNeedWithThem) {
  const Pending pending = pendingAfter("inline int f() { return fourTimes(1); }\n");
  EXPECT_THAT(pending.before, ElementsAre("fourTimes<int>"));
  EXPECT_THAT(pending.after, ElementsAre());
}

// The first use of memcpy in a program, for the array, is after its end.
TEST(EarlyInstantiations, MayCopyArrays) {
  const Pending pending = pendingAfter("inline void f(Row &a, Row &b) { assign(a, b); }\n");
  EXPECT_THAT(pending.before, ElementsAre("assign<Row>"));
  EXPECT_THAT(pending.after, ElementsAre());
}

TEST(EarlyInstantiations, LeaveWhatTheRestOfTheProgramMayChange) {
  const Pending pending = pendingAfter(
      "struct Mine { int a; operator int() const { return a; } };\n"
      "enum class Own { One };\n"
      "Mine operator+(Mine, Mine);\n"
      "template <class T> T ours(T x) { return x; }\n"
      "template <Own K> struct Chosen {};\n"
      "inline int f(Box<Mine *> *a, Box<Box<Mine>> *b) {\n"
      "  twice(Mine()); ours(2); a->get(); b->get(); Box<int>{}.as<Mine>(); Box<int>{}.as<long>();\n"
      "  (void)twice<Mine (*)(int)>; Box<int Mine::*>{}.get(); Box<Chosen<Own::One>>{}.get(); return "
      "twice(1); }\n");
  EXPECT_THAT(pending.after, ElementsAre("twice<Mine>", "ours<int>", "Box<Mine *>::get",
                                         "Box<Box<Mine>>::get", "Box<int>::as<Mine>", "twice<Mine (*)(int)>",
                                         "Box<int Mine::*>::get", "Box<Chosen<Own::One>>::get"));
}

} // namespace
} // namespace assay::frontend
