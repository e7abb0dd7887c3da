// What libMetal.so shows to the programs that link it is what its headers declare,
// and what the compiler calls.
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

using Names = std::set<std::string>;

std::string outputOf(const std::string &command) {
  std::string all;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return all;
  char part[1 << 14];
  for (size_t got; (got = fread(part, 1, sizeof part, pipe)) > 0;)
    all.append(part, got);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return all;
}

/// The global symbols that the library defines; nm writes the kind of a local one in lower case.
Names exported() {
  Names all;
  std::istringstream lines(outputOf("nm -D --defined-only '" ASSAY_LIBMETAL "'"));
  for (std::string address, kind, name; lines >> address >> kind && std::getline(lines >> std::ws, name);)
    if (std::isupper(kind[0]) || kind == "u" || kind == "v" || kind == "w")
      all.insert(name);
  return all;
}

bool isSystems(const std::filesystem::path &header) {
  const std::filesystem::path folder = header.parent_path().filename();
  return folder == "Accelerate" || folder == "OpenCL";
}

/// All headers of the SDK after preprocessing, without what they include of the system. `but` skips a folder.
std::string headers(const std::string &but) {
  const std::filesystem::path root = ASSAY_SDK_INCLUDE;
  const std::string source = testing::TempDir() + "assay_exports.m";
  {
    std::ofstream file(source);
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root))
      // The headers of these are the system's, which need not be installed.
      if (entry.path().extension() == ".h" && !isSystems(entry.path()))
        file << "#include <" << entry.path().lexically_relative(root).string() << ">\n";
  }
  std::istringstream lines(
      outputOf(ASSAY_OBJC_COMPILER
               " -E -x objective-c -fblocks -fobjc-runtime=gnustep-2.2 -isystem '" ASSAY_SDK_INCLUDE "' '" +
               source + "'"));
  std::string all, line;
  bool ours = false;
  while (std::getline(lines, line))
    if (line.rfind("# ", 0) == 0) // where the next line comes from
      ours = line.find("\"" + root.string() + "/") != std::string::npos &&
             (but.empty() || line.find("/" + but + "/") == std::string::npos);
    else if (ours && line[0] != '#')
      all += line + "\n";
  return all;
}

struct Declared {
  Names functions, variables, classes;
};

/// Reads declarations; attributes go first, then classes and protocols,
/// then each statement at the outer level.
Declared declaredIn(std::string text) {
  Declared all;
  for (size_t at; (at = text.find("__attribute__((")) != std::string::npos;) {
    size_t end = at + 13;
    for (int depth = 0; end == at + 13 || depth; ++end)
      depth += (text[end] == '(') - (text[end] == ')');
    text.erase(at, end - at);
  }
  const std::regex classNamed(R"(@interface\s+(\w+)\s*[:<{])");
  for (std::sregex_iterator each(text.begin(), text.end(), classNamed), none; each != none; ++each)
    all.classes.insert((*each)[1]);
  text = std::regex_replace(text, std::regex(R"(@(class|protocol)\s+[\w\s,<>]+;)"), "");
  for (size_t at; (at = std::min(text.find("@interface"), text.find("@protocol"))) != std::string::npos;)
    text.erase(at, text.find("@end", at) + 4 - at);

  std::string statement;
  int depth = 0;
  const std::regex function(R"((\w+)\s*\()"), variable(R"((\w+)\s*(\[\w*\])?\s*;$)");
  for (char c : text) {
    if (statement.empty() && std::isspace((unsigned char)c))
      continue;
    statement += c;
    depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
    const bool inlined = statement.rfind("static", 0) == 0;
    if (depth || !(c == ';' || (c == '}' && inlined)))
      continue;
    std::smatch found;
    if (!inlined && statement.rfind("typedef", 0) != 0 && statement.find('{') == std::string::npos) {
      if (std::regex_search(statement, found, function))
        all.functions.insert(found[1]);
      else if (statement.rfind("extern", 0) == 0 && std::regex_search(statement, found, variable))
        all.variables.insert(found[1]);
    }
    statement.clear();
  }
  return all;
}

/// What Clang itself refers to for Objective-C and blocks; headers need not declare it.
const Names kCompiler = {"__gnustep_objc_personality_v0",
                         "__gnustep_objcxx_personality_v0",
                         "__objc_id_type_info",
                         "__objc_load",
                         "._OBJC_CLASS_Protocol",
                         "._OBJC_REF_CLASS_Protocol",
                         "objc_begin_catch",
                         "objc_copyPropertyStruct",
                         "objc_end_catch",
                         "objc_exception_rethrow",
                         "objc_getCppObjectAtomic",
                         "objc_getProperty",
                         "objc_getPropertyStruct",
                         "objc_msgSend_fp2ret",
                         "objc_setCppObjectAtomic",
                         "objc_setProperty",
                         "objc_setPropertyStruct",
                         "objc_setProperty_atomic",
                         "objc_setProperty_atomic_copy",
                         "objc_setProperty_nonatomic",
                         "objc_setProperty_nonatomic_copy"};

} // namespace

TEST(Exports, HaveEveryFunctionConstantAndClassOfTheHeaders) {
  const Declared declared = declaredIn(headers(ASSAY_TEST_LIBOBJC2 ? "objc" : ""));
  // The reader reads: some of each kind, with macros, blocks, arrays and generics in them.
  EXPECT_THAT(declared.functions,
              testing::IsSupersetOf({"MTLCreateSystemDefaultDevice", "NSLog", "dispatch_apply",
                                     "dispatch_data_create_map", "_Block_copy", "CFRetain"}));
  EXPECT_THAT(declared.variables,
              testing::IsSupersetOf({"NSCocoaErrorDomain", "_NSConcreteStackBlock",
                                     "MTLCommonCounterTimestamp", "_dispatch_data_empty"}));
  EXPECT_THAT(declared.classes, testing::IsSupersetOf({"NSObject", "NSMutableArray", "MTLHeapDescriptor"}));
  EXPECT_GT(declared.functions.size(), ASSAY_TEST_LIBOBJC2 ? 60u : 160u);

  const Names all = exported();
  for (const Names *names : {&declared.functions, &declared.variables})
    for (const std::string &name : *names)
      EXPECT_TRUE(all.count(name)) << name << " is declared and not exported";
  for (const std::string &name : declared.classes)
    for (const char *prefix : {"._OBJC_CLASS_", "._OBJC_REF_CLASS_"})
      EXPECT_TRUE(all.count(prefix + name)) << "the class " << name << " is declared and not exported";
}

TEST(Exports, HaveNothingElse) {
  const Declared declared = declaredIn(headers(""));
  Names expected = kCompiler;
  expected.insert(declared.functions.begin(), declared.functions.end());
  expected.insert(declared.variables.begin(), declared.variables.end());
  for (const std::string &name : declared.classes)
    expected.insert({"._OBJC_CLASS_" + name, "._OBJC_REF_CLASS_" + name});
  // An ivar that a subclass may name, the types of caught objects, what ThreadSanitizer's build adds.
  const std::regex rest(R"(__objc_ivar_offset_NSObject\.isa\..*|_ZT[ISV]N7gnustep7libobjc.*|__tsan_mem.*)");
  const Names all = exported();
  EXPECT_GT(all.size(), 100u);
  for (const std::string &name : all)
    EXPECT_TRUE(expected.count(name) || std::regex_match(name, rest))
        << name << " is exported and no header declares it";
}
