// A tiny host: runs a kernel of the library that was built beside it, and one from a string.
#include <Foundation/Foundation.h>
#include <stdio.h>

NSArray<NSNumber *> *scaled(NSURL *library, NSArray<NSNumber *> *values, float by);

float sumOf(const float *values, size_t count);
int endThreads(void);

int main(void) {
  @autoreleasepool {
    NSURL *library = [[NSBundle mainBundle] URLForResource:@"default" withExtension:@"metallib"];
    for (NSURL *place in @[ library, [NSNull null] ]) {
      NSArray<NSNumber *> *result =
          scaled([place isKindOfClass:[NSURL class]] ? place : nil, @[ @1, @2.5, @-4 ], 2);
      printf("%s\n", [[result componentsJoinedByString:@" "] UTF8String]);
    }
  }
  const float values[] = {1, 2, 4};
  printf("%g %d\n", sumOf(values, 3), endThreads());
  return 0;
}
