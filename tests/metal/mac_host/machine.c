// What C code for macOS asks the system.
#include <string.h>
#include <sys/sysctl.h>
#include <sys/types.h>

int countProcessors(char *name, size_t size) {
  int count = 0;
  size_t length = sizeof count;
  if (sysctlbyname("hw.logicalcpu", &count, &length, NULL, 0))
    return -1;
  strlcpy(name, "machine", size - 2);
  strlcat(name, "-and-more", size);
  return count;
}
