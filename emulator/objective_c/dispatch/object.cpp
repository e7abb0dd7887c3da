// Counting dispatch objects, and what they share.
#include "objective_c/dispatch/object.h"

#include <cstdio>
#include <cstdlib>

#include <objc/objc-arc.h>

namespace assay::dispatch {

void run(const Work &work) {
  void *pool = objc_autoreleasePoolPush();
  work.function(work.context);
  objc_autoreleasePoolPop(pool);
}

void trap(const char *rule) {
  std::fprintf(stderr, "dispatch: %s\n", rule);
  std::abort();
}

} // namespace assay::dispatch

namespace {
dispatch_object_s *objectOf(dispatch_object_t object) {
  return static_cast<dispatch_object_s *>(object);
}
} // namespace

extern "C" {

void dispatch_retain(dispatch_object_t object) {
  objc_retain(reinterpret_cast<id>(objectOf(object)));
}
void dispatch_release(dispatch_object_t object) {
  objc_release(reinterpret_cast<id>(objectOf(object)));
}

void dispatch_set_context(dispatch_object_t object, void *context) {
  objectOf(object)->context = context;
}
void *dispatch_get_context(dispatch_object_t object) {
  return objectOf(object)->context;
}
void dispatch_set_finalizer_f(dispatch_object_t object, dispatch_function_t finalizer) {
  objectOf(object)->finalizer = finalizer;
}
}
