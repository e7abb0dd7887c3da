// Says whether this is a Mac for the sources, and that there is a device.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <cstdio>

int main() {
  @autoreleasepool {
#if defined(__APPLE__)
    const char *system = "a Mac";
#else
    const char *system = "no Mac";
#endif
    std::printf("%s, %s\n", system, MTLCreateSystemDefaultDevice() ? "a device" : "no device");
  }
}
