// What every dispatch object has: a class of Objective-C, a context and a finaliser.
//
// Programs in Objective-C see dispatch objects as Objective-C objects: ARC counts them, strong properties and
// arrays hold them, and blocks keep them. C and C++ see pointers to structures, in the same program. So the
// structures of this folder *are* instances. `make` takes the memory from the runtime and constructs the
// structure in it, and -dealloc of the class destroys the structure. None of them may have a virtual
// function: the word at their start is the class. The files of this folder see the structures in every
// language (OS_OBJECT_USE_OBJC is 0 here).
#pragma once

#include <atomic>
#include <new>
#include <utility>

#include <dispatch/dispatch.h>

namespace assay::dispatch {

// The classes of the objects that are made, by their Objective-C names. Objects of the last two kinds are the
// library's own. They are never freed, and have no count of references.
enum class Kind {
  OS_dispatch_queue_serial,
  OS_dispatch_queue_concurrent,
  OS_dispatch_group,
  OS_dispatch_semaphore,
  OS_dispatch_data,
  OS_dispatch_queue_global,
  OS_dispatch_queue_main
};

void *classOf(Kind kind);
void *newInstance(Kind kind, size_t size); // zeroed memory of at least `size` bytes, with its class

} // namespace assay::dispatch

struct dispatch_object_s {
  void *isa;
  void *context = nullptr;
  dispatch_function_t finalizer = nullptr;
  void (*destroy)(dispatch_object_s *) = nullptr; // the destructor of the structure; null for statics

  explicit constexpr dispatch_object_s(void *isa) : isa(isa) {}
  dispatch_object_s(const dispatch_object_s &) = delete;
};

namespace assay::dispatch {

// A new object with one reference.
template <class Object, class... Arguments> Object *make(Kind kind, Arguments &&...arguments) {
  void *memory = newInstance(kind, sizeof(Object));
  auto *object = new (memory) Object(classOf(kind), std::forward<Arguments>(arguments)...);
  object->destroy = [](dispatch_object_s *each) { static_cast<Object *>(each)->~Object(); };
  return object;
}

// A C function and its context: what every block becomes.
struct Work {
  dispatch_function_t function;
  void *context;
};

// Runs work in an autorelease pool of its own.
void run(const Work &work);

// Stops the program: a client broke a rule that Apple's library traps on, too.
[[noreturn]] void trap(const char *rule);

} // namespace assay::dispatch
