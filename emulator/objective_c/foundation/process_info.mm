// NSProcessInfo.
#include "objective_c/foundation/foundation.h"

#include <assay/mac_version.h>

#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/utsname.h>
#include <tuple>
#include <unistd.h>

using namespace assay::foundation;

extern char **environ;

@implementation NSProcessInfo {
  NSString *name_;
}
+ (NSProcessInfo *)processInfo {
  static NSProcessInfo *only = [[NSProcessInfo alloc] init];
  return only;
}
- (NSArray<NSString *> *)arguments {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  NSMutableArray *all = [NSMutableArray array];
  for (std::string each; std::getline(file, each, '\0');)
    [all addObject:stringOf(each)];
  return all;
}
- (NSDictionary<NSString *, NSString *> *)environment {
  NSMutableDictionary *all = [NSMutableDictionary dictionary];
  for (char **each = environ; each && *each; ++each)
    if (const char *equals = strchr(*each, '='))
      all[stringOf(std::string(*each, equals - *each))] = stringOf(equals + 1);
  return all;
}
- (NSString *)processName {
  @synchronized(self) {
    return name_ ? [[name_ retain] autorelease] : [[[self arguments] firstObject] lastPathComponent];
  }
}
- (void)setProcessName:(NSString *)name {
  @synchronized(self) {
    [name_ autorelease];
    name_ = [name copy];
  }
}
- (int)processIdentifier {
  return getpid();
}
- (NSString *)hostName {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return @(name);
}
- (NSUInteger)processorCount {
  return (NSUInteger)sysconf(_SC_NPROCESSORS_CONF);
}
- (NSUInteger)activeProcessorCount {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? (NSUInteger)sysconf(_SC_NPROCESSORS_ONLN)
                                                : (NSUInteger)CPU_COUNT(&set);
}
- (unsigned long long)physicalMemory {
  return (unsigned long long)sysconf(_SC_PHYS_PAGES) * (unsigned long long)sysconf(_SC_PAGESIZE);
}
- (NSTimeInterval)systemUptime {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
- (NSOperatingSystemVersion)operatingSystemVersion {
  return {ASSAY_MAC_MAJOR, ASSAY_MAC_MINOR, 0};
}
- (NSString *)operatingSystemVersionString {
  return [NSString stringWithFormat:@"Version %d.%d", ASSAY_MAC_MAJOR, ASSAY_MAC_MINOR];
}
- (BOOL)isOperatingSystemAtLeastVersion:(NSOperatingSystemVersion)version {
  const NSOperatingSystemVersion own = [self operatingSystemVersion];
  return std::tie(own.majorVersion, own.minorVersion, own.patchVersion) >=
         std::tie(version.majorVersion, version.minorVersion, version.patchVersion);
}
- (NSString *)globallyUniqueString {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/uuid") >> text;
  for (char &c : text)
    c = (char)toupper(c);
  return [NSString stringWithFormat:@"%s-%d-%016llX", text.c_str(), getpid(),
                                    (unsigned long long)(1e9 * [self systemUptime])];
}
- (NSProcessInfoThermalState)thermalState {
  return NSProcessInfoThermalStateNominal;
}
- (BOOL)isLowPowerModeEnabled {
  return NO;
}
@end
