// Blocks: closures that start on the stack and are copied to the heap, and the __block variables that they
// share.
//
// A copied block is an object like any other, with the count before it, so that retain, release, pools and
// weak references need no second way of counting. Clang defines the layout of blocks and of shared variables
// ("Block Implementation Specification" in its documentation).
#include <cstdlib>
#include <cstring>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

namespace {

enum BlockFlags : int { kNeedsFree = 1 << 24, kHasCopyDispose = 1 << 25, kIsGlobal = 1 << 28 };

// The helpers follow if kHasCopyDispose is set.
struct Descriptor {
  unsigned long reserved;
  unsigned long size;
  void (*copy)(void *to, const void *from);
  void (*dispose)(const void *block);
};

struct Block {
  Class isa;
  int flags;
  int reserved;
  void (*invoke)(void);
  Descriptor *descriptor;
};

// A __block variable. Compiled code always goes through `forwarding`, and never reads the first word. On the
// heap the first word counts the references; the 15 bits that the flags have for it overflow when a host
// queues many blocks.
struct SharedVariable {
  std::atomic<uintptr_t> references;
  SharedVariable *forwarding;
  int flags; // kNeedsFree, kHasCopyDispose
  unsigned size;
  void (*keep)(void *to, void *from);
  void (*destroy)(void *variable);
};

enum FieldFlags { kFieldObject = 3, kFieldBlock = 7, kFieldShared = 8, kFieldWeak = 16, kFromHelper = 128 };

SharedVariable *shareOnHeap(SharedVariable *variable) {
  SharedVariable *source = variable->forwarding;
  if (source->flags & kNeedsFree) {
    source->references.fetch_add(1, std::memory_order_relaxed);
    return source;
  }
  // It is still on the stack, so one thread owns it. One reference for the block and one for the stack frame.
  auto *copy = static_cast<SharedVariable *>(std::malloc(source->size));
  std::memcpy(static_cast<void *>(copy), source, source->size);
  copy->flags = source->flags | kNeedsFree;
  copy->references.store(2);
  copy->forwarding = copy;
  source->forwarding = copy;
  if (copy->flags & kHasCopyDispose)
    copy->keep(copy, source);
  return copy;
}

void releaseShared(SharedVariable *variable) {
  variable = variable->forwarding;
  if (!(variable->flags & kNeedsFree) || variable->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (variable->flags & kHasCopyDispose)
    variable->destroy(variable);
  std::free(variable);
}

} // namespace

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

// Compiled code writes the addresses of these into blocks. They become classes of the runtime when the first
// image loads.
objc_class _NSConcreteStackBlock, _NSConcreteGlobalBlock, _NSConcreteMallocBlock;
objc_class _NSConcreteAutoBlock, _NSConcreteFinalizingBlock, _NSConcreteWeakBlockVariable;
}

namespace assay::objc {

namespace {
objc_class metaclasses[6];
struct {
  objc_class *cls;
  const char *name;
} const kBlockClasses[] = {{&_NSConcreteStackBlock, "_NSConcreteStackBlock"},
                           {&_NSConcreteGlobalBlock, "_NSConcreteGlobalBlock"},
                           {&_NSConcreteMallocBlock, "_NSConcreteMallocBlock"},
                           {&_NSConcreteAutoBlock, "_NSConcreteAutoBlock"},
                           {&_NSConcreteFinalizingBlock, "_NSConcreteFinalizingBlock"},
                           {&_NSConcreteWeakBlockVariable, "_NSConcreteWeakBlockVariable"}};
} // namespace

bool isBlock(id object) {
  return flagsOf(object->isa) & kClassIsBlock;
}
bool isHeapBlock(id object) {
  return object->isa == &_NSConcreteMallocBlock;
}

// Until Foundation gives them a superclass, they are root classes without methods.
void loadBlockClasses() {
  if (_NSConcreteStackBlock.name)
    return;
  for (size_t i = 0; i < std::size(kBlockClasses); ++i) {
    objc_class &cls = *kBlockClasses[i].cls;
    cls.isa = &metaclasses[i];
    cls.name = metaclasses[i].name = kBlockClasses[i].name;
    cls.flags = kClassIsBlock;
    cls.instanceSize = -long(sizeof(Block));
    loadClass(&cls);
  }
}

void disposeBlock(id object) {
  auto *block = reinterpret_cast<Block *>(object);
  if (block->flags & kHasCopyDispose)
    block->descriptor->dispose(block);
  destroySideTables(object);
  freeObject(object);
}

} // namespace assay::objc

extern "C" {

void *_Block_copy(const void *source) {
  if (!source)
    return nullptr;
  auto *block = static_cast<const Block *>(source);
  const id object = reinterpret_cast<id>(const_cast<Block *>(block));
  if (block->flags & kIsGlobal)
    return object;
  if (isHeapBlock(object))
    return objc_retain_fast_np(object);
  auto *copy = static_cast<Block *>(allocateObject(block->descriptor->size));
  std::memcpy(static_cast<void *>(copy), block, block->descriptor->size);
  copy->isa = &_NSConcreteMallocBlock;
  copy->flags |= kNeedsFree;
  if (copy->flags & kHasCopyDispose)
    copy->descriptor->copy(copy, block);
  return copy;
}

void _Block_release(const void *block) {
  const id object = static_cast<id>(const_cast<void *>(block));
  if (object && isHeapBlock(object))
    objc_release_fast_np(object);
}

// Called by the helpers that compiled code has for each block: handles a captured field when its block is
// copied.
void _Block_object_assign(void *destination, const void *object, int flags) {
  id *field = static_cast<id *>(destination);
  const id value = static_cast<id>(const_cast<void *>(object));
  if (flags & kFieldShared)
    *reinterpret_cast<SharedVariable **>(field) =
        shareOnHeap(static_cast<SharedVariable *>(const_cast<void *>(object)));
  else if (flags & kFromHelper) // a __block variable does not own its content
    *field = value;
  else if ((flags & kFieldBlock) == kFieldBlock)
    *field = static_cast<id>(_Block_copy(object));
  else
    *field = objc_retain(value);
}

void _Block_object_dispose(const void *object, int flags) {
  if (flags & kFieldShared)
    releaseShared(static_cast<SharedVariable *>(const_cast<void *>(object)));
  else if (flags & kFromHelper)
    return;
  else if ((flags & kFieldBlock) == kFieldBlock)
    _Block_release(object);
  else
    objc_release(static_cast<id>(const_cast<void *>(object)));
}

// Foundation's class of blocks becomes the superclass of the six.
BOOL objc_create_block_classes_as_subclasses_of(Class superclass) {
  Locked locked(runtimeLock());
  loadBlockClasses();
  loadClass(superclass);
  for (auto &[cls, name] : kBlockClasses) {
    if (cls->superclass)
      return NO;
    cls->superclass = superclass;
    cls->isa->superclass = superclass->isa;
    cls->isa->isa = superclass->isa->isa;
    cls->nextSibling = superclass->firstSubclass;
    superclass->firstSubclass = cls;
    // The metaclass was listed below its own class, like that of a root class.
    cls->firstSubclass = nullptr;
    cls->isa->nextSibling = superclass->isa->firstSubclass;
    superclass->isa->firstSubclass = cls->isa;
  }
  return YES;
}
}
