// The build ids of what is loaded, against the notes that readelf finds in the files.
#include "support/process/build_id.h"

#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>

namespace assay {
namespace {

int something;

std::string readelf(const std::string &file) {
  FILE *pipe = popen(("readelf -n '" + file + "' | sed -n 's/ *Build ID: //p'").c_str(), "r");
  char line[256] = "";
  const bool read = pipe && std::fgets(line, sizeof line, pipe);
  if (pipe)
    pclose(pipe);
  std::string id = read ? line : "";
  while (!id.empty() && id.back() == '\n')
    id.pop_back();
  return id;
}

TEST(BuildId, OfTheProgramItself) {
  const std::string id = buildIdAt(&something);
  EXPECT_EQ(id.size(), 40u) << "SHA-1, as the build asks for";
  EXPECT_EQ(id, readelf(std::filesystem::read_symlink("/proc/self/exe")));
}

TEST(BuildId, OfALibrary) {
  // A function that no sanitizer replaces by one of the program.
  Dl_info library{};
  ASSERT_TRUE(dladdr(dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), &library));
  const std::string id = buildIdAt(library.dli_saddr);
  EXPECT_EQ(id, readelf(library.dli_fname));
  EXPECT_NE(id, buildIdAt(&something));
}

TEST(BuildId, OfNoObject) {
  EXPECT_EQ(buildIdAt(nullptr), "");
  const auto onTheHeap = std::make_unique<char>();
  EXPECT_EQ(buildIdAt(onTheHeap.get()), "");
}

} // namespace
} // namespace assay
