#include "host/cache.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace fs = std::filesystem;

namespace assay {
namespace {

using testing_support::TemporaryFolder;

constexpr const char *kKey = "0123456789abcdef0123456789abcdef";

std::string readBack(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> filesIn(const fs::path &folder) {
  std::vector<std::string> names;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      names.push_back(entry.path().filename().string());
  return names;
}

void setAge(const fs::path &path, std::chrono::hours age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

} // namespace

TEST(Cache, GivesBackWhatWasPut) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  EXPECT_EQ(cache.get("module", kKey), std::nullopt);
  const std::string payload("a\0b\n\xff", 5);
  cache.put("module", kKey, payload);
  EXPECT_EQ(cache.get("module", kKey), payload);
  EXPECT_EQ(cache.get("pipeline", kKey), std::nullopt) << "kinds are apart";
  cache.put("module", kKey, "");
  EXPECT_EQ(cache.get("module", kKey), "");
}

TEST(Cache, TreatsEveryFlippedBitAsAbsent) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  cache.put("module", kKey, "payload");
  const fs::path path = cache.entryPath("module", kKey);
  const std::string good = readBack(path);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] ^= 1 << bit % 8;
    std::ofstream(path, std::ios::binary) << bad;
    ASSERT_EQ(cache.get("module", kKey), std::nullopt) << "bit " << bit;
  }
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_EQ(cache.get("module", kKey), "payload");
}

TEST(Cache, TreatsEveryTruncationAsAbsentAndRewritesIt) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  cache.put("module", kKey, "payload");
  const fs::path path = cache.entryPath("module", kKey);
  const std::string good = readBack(path);
  for (size_t length = 0; length < good.size(); ++length) {
    std::ofstream(path, std::ios::binary) << good.substr(0, length);
    ASSERT_EQ(cache.get("module", kKey), std::nullopt) << length << " bytes";
  }
  cache.put("module", kKey, "payload");
  EXPECT_EQ(cache.get("module", kKey), "payload");
}

TEST(Cache, LeavesNoTemporaryFiles) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  cache.put("module", kKey, "payload");
  EXPECT_THAT(filesIn(folder.path()), testing::ElementsAre(std::string(kKey) + ".module"));
}

TEST(Cache, RemovesWhatWasNotUsedForLongestWhenItIsTooLarge) {
  TemporaryFolder folder;
  const Cache cache(folder.path(), 1000);
  const std::string keys[] = {"aa", "bb", "cc"};
  for (const std::string &key : keys) {
    cache.put("module", key, std::string(350, 'x'));
    setAge(cache.entryPath("module", key), std::chrono::hours(2));
  }
  setAge(cache.entryPath("module", "bb"), std::chrono::hours(3));
  setAge(cache.entryPath("module", "aa"), std::chrono::hours(4));
  EXPECT_TRUE(cache.get("module", "aa")) << "a look-up is a use";
  cache.trim();
  EXPECT_TRUE(cache.get("module", "aa"));
  EXPECT_FALSE(cache.get("module", "bb"));
}

TEST(Cache, KeepsEverythingWithinItsLimit) {
  TemporaryFolder folder;
  const Cache cache(folder.path(), 1000);
  cache.put("module", "aa", std::string(400, 'x'));
  cache.put("module", "bb", std::string(400, 'x'));
  cache.trim();
  EXPECT_TRUE(cache.get("module", "aa"));
  EXPECT_TRUE(cache.get("module", "bb"));
}

TEST(Cache, RemovesTemporaryFilesOfProcessesThatDied) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  const std::string old = folder.write("aa/.tmp-1-1", "x");
  const std::string young = folder.write("aa/.tmp-2-1", "x");
  setAge(old, std::chrono::hours(2));
  cache.trim();
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "another process may be writing it";
}

TEST(Cache, IsSafeForWritersOfTheSameKey) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  std::vector<std::thread> threads;
  std::atomic<int> torn = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        cache.put("module", kKey, std::string(1000 + t, char('a' + t)));
        const std::optional<std::string> got = cache.get("module", kKey);
        torn += got && *got != std::string(1000 + ((*got)[0] - 'a'), (*got)[0]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(filesIn(folder.path()).size(), 1u);
}

TEST(Cache, IsHarmlessWhereNothingCanBeWritten) {
  const Cache cache("/proc/no-such-place");
  cache.put("module", kKey, "payload");
  cache.trim();
  EXPECT_EQ(cache.get("module", kKey), std::nullopt);
  Cache::off().put("module", kKey, "payload");
  EXPECT_EQ(Cache::off().get("module", kKey), std::nullopt);
}

TEST(Cache, IsWhereTheEnvironmentSays) {
  setenv("HOME", "/home/someone", 1);
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  setenv("ASSAY_CACHE_DIR", "/here", 1);
  EXPECT_EQ(Cache::fromEnvironment().directory(), "/here");
  unsetenv("ASSAY_CACHE_DIR");
  EXPECT_EQ(Cache::fromEnvironment().directory(), "/xdg/assay");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(Cache::fromEnvironment().directory(), "/home/someone/.cache/assay");
  setenv("ASSAY_CACHE", "off", 1);
  EXPECT_TRUE(Cache::fromEnvironment().isOff());
  unsetenv("ASSAY_CACHE");
}

TEST(KeyBuilder, TellsHowPartsAreDivided) {
  EXPECT_NE(KeyBuilder().add("ab").add("c").digest(), KeyBuilder().add("a").add("bc").digest());
  EXPECT_NE(KeyBuilder().add("ab").digest(), KeyBuilder().add("ab").add("").digest());
  EXPECT_EQ(KeyBuilder().add("ab").add("c").digest(), KeyBuilder().add("ab").add("c").digest());
}

} // namespace assay
