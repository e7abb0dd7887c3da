// The line that a terminal gets while something takes long, by way of a pseudo-terminal.
#include "cli/progress.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace {

using namespace assay::cli;
using testing::HasSubstr;

// Standard error is a terminal while it lives.
class Terminal {
public:
  Terminal() : saved_(dup(STDERR_FILENO)) {
    int terminal = -1;
    if (openpty(&screen_, &terminal, nullptr, nullptr, nullptr) != 0)
      return;
    dup2(terminal, STDERR_FILENO);
    close(terminal);
  }
  ~Terminal() {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    close(screen_);
  }
  bool works() const { return screen_ >= 0; }

  /// What is shown until `last` is among it; at most half a minute.
  std::string readUntil(const std::string &last) {
    std::string shown;
    pollfd ready{screen_, POLLIN, 0};
    char bytes[256];
    while (shown.find(last) == shown.npos && poll(&ready, 1, 30'000) > 0) {
      const ssize_t count = read(screen_, bytes, sizeof bytes);
      if (count <= 0)
        break;
      shown.append(bytes, size_t(count));
    }
    return shown;
  }

private:
  int saved_, screen_ = -1;
};

TEST(Progress, IsShownAfterAWhileAndErasedAtTheEnd) {
  Terminal terminal;
  if (!terminal.works())
    GTEST_SKIP() << "the system gives no pseudo-terminal";
  {
    Progress progress("compiling add.metal");
    progress.now("running add");
    EXPECT_THAT(terminal.readUntil(" s"), HasSubstr("running add ... 2 s"));
  }
  EXPECT_THAT(terminal.readUntil("\x1b[K"), HasSubstr("\r\x1b[K"));
}

TEST(Progress, OfSomethingShortSaysNothing) {
  Terminal terminal;
  if (!terminal.works())
    GTEST_SKIP() << "the system gives no pseudo-terminal";
  {
    const Progress progress("compiling add.metal");
  }
  ASSERT_EQ(write(STDERR_FILENO, "end", 3), 3);
  EXPECT_EQ(terminal.readUntil("end"), "end");
}

} // namespace
