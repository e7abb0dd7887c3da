// Loads of matrices by some lanes: by events. Kernels are in pairs/matrix_tiles.metal.
#include "emulator/validation/matrix_checker.h"

#include "tests/validation/trace.h"

#include <gmock/gmock.h>

namespace assay::validation::test {
namespace {

class Dispatch {
public:
  explicit Dispatch(uint32_t threads) : checker_({findings_, arguments_}) {
    group_.threads[0] = threads;
    group_.threads[1] = group_.threads[2] = 1;
    for (uint32_t i = 0; i < 3; ++i) {
      SiteInfo &site = code_.sites.emplace_back();
      site.where = {"k.metal", 4 + i / 2, 3}; // the first two are copies of one line
      site.together = true;
    }
    checker_.dispatchBegin({&code_, nullptr, {threads, 1, 1}, {threads, 1, 1}});
    checker_.groupBegin(group_);
  }
  void load(uint32_t site, uint32_t simdgroup, uint32_t mask) {
    const uint64_t addresses[kSimdWidth] = {};
    checker_.access(group_, {&code_.sites[site], simdgroup, mask, addresses, 4});
  }
  std::vector<Finding> findings() {
    checker_.groupEnd(group_);
    return findings_.take();
  }

private:
  Findings findings_{CheckRules::all()};
  std::vector<ArgumentInfo> arguments_;
  MatrixChecker checker_;
  GroupEvent group_{};
  KernelCodeInfo code_;
};

TEST(MatrixChecker, CountsLanesOfEachSimdgroup) {
  Dispatch d(64);
  d.load(0, 0, ~0u);
  d.load(0, 0, ~0u);
  d.load(0, 1, ~0u);
  EXPECT_TRUE(d.findings().empty()) << "simdgroups may differ";
}

TEST(MatrixChecker, NamesTheLanesThatDoNotCome) {
  Dispatch d(64);
  d.load(2, 1, 0xffff);
  const std::vector<Finding> found = d.findings();
  EXPECT_THAT(found, testing::HasFinding("matrix-lanes", 5));
  EXPECT_THAT(
      found[0].warning.message,
      ::testing::HasSubstr("simdgroup 1 of threadgroup (0,0,0) loads a simdgroup_matrix here, and not "
                           "all of its lanes come as often: lanes 16 to 31 do not"));
}

TEST(MatrixChecker, CopiesOfOneLineAreOne) {
  Dispatch d(32);
  d.load(0, 0, 0xffff);
  d.load(1, 0, 0xffff0000);
  EXPECT_TRUE(d.findings().empty());
}

TEST(MatrixChecker, LanesThatDoNotExistAreMissing) {
  Dispatch d(40);
  d.load(0, 0, ~0u);
  d.load(0, 1, 0xff);
  EXPECT_THAT(d.findings(), testing::HasFinding("matrix-lanes", 4));
}

} // namespace
} // namespace assay::validation::test
