// What Clang emits for -fobjc-runtime=gnustep-2.x: the layout of classes, methods, ivars, categories,
// protocols and of the table by which an image passes them to __objc_load. The compiler fixes every field
// here; the names are ours. Derived from Clang 19's output, which CGObjCGNUstep2 of
// clang/lib/CodeGen/CGObjCGNU.cpp makes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <objc/runtime.h>

struct objc_selector {
  // The text of the name as emitted; a number below kMaxSelectors once the selector is registered.
  union {
    const char *text;
    uintptr_t index;
  };
  const char *types; // null when the selector was written without types
};

struct objc_method {
  IMP imp;
  SEL selector;
  const char *types;
};

struct objc_ivar {
  const char *name;
  const char *types;
  int *offset; // emitted relative to the class's own first ivar, made absolute when the class is loaded
  uint32_t size;
  uint32_t flags; // ownership in the two low bits, log2 of the alignment from bit 3 on
  size_t alignment() const { return size_t{1} << ((flags >> 3) & 63); }
};

struct objc_property {
  const char *name;
  const char *attributes;
  const char *types;
  SEL getter;
  SEL setter;
};

namespace assay::objc {

// Lists say how large their elements are, so that a later compiler may add fields.
template <class T> const T &elementAt(const T *first, size_t stride, int index) {
  return *reinterpret_cast<const T *>(reinterpret_cast<const char *>(first) + stride * index);
}

struct MethodList {
  MethodList *next;
  int count;
  size_t stride;
  objc_method methods[];
  objc_method &at(int index) { return const_cast<objc_method &>(elementAt(methods, stride, index)); }
};

struct IvarList {
  int count;
  size_t stride;
  objc_ivar ivars[];
  objc_ivar &at(int index) { return const_cast<objc_ivar &>(elementAt(ivars, stride, index)); }
};

struct PropertyList {
  int count;
  int stride;
  PropertyList *next;
  objc_property properties[];
  objc_property &at(int index) { return const_cast<objc_property &>(elementAt(properties, stride, index)); }
};

struct MethodDescription {
  SEL selector;
  const char *types;
};

struct MethodDescriptionList {
  int count;
  int stride;
  MethodDescription methods[];
  MethodDescription &at(int index) {
    return const_cast<MethodDescription &>(elementAt(methods, stride, index));
  }
};

struct ProtocolList {
  ProtocolList *next;
  size_t count;
  Protocol *protocols[];
};

// A class's methods by selector: two levels of 256, so that a send is four loads and no loop. Entries are
// filled at the first send and cleared when a method is added; readers take no lock.
inline constexpr uintptr_t kMaxSelectors = 65536;
struct DispatchPage {
  std::atomic<IMP> imps[256];
};
struct DispatchTable {
  std::atomic<DispatchPage *> pages[256];
};

enum ClassFlags : unsigned long {
  kClassIsMeta = 1ul << 0,
  kClassInitialized = 1ul << 8, // tested by compiled code, too (direct methods)
  kClassLoaded = 1ul << 9,
  // Bits above 16 are this runtime's.
  kClassCountsItself = 1ul << 20, // -retain or -release is not the plain reference count's: send the message
  kClassIsBlock = 1ul << 21
};

} // namespace assay::objc

struct objc_class {
  Class isa;
  Class superclass;
  const char *name;
  long version;
  unsigned long flags;
  long instanceSize; // emitted as minus the size of the class's own ivars
  assay::objc::IvarList *ivars;
  assay::objc::MethodList *methods;
  std::atomic<assay::objc::DispatchTable *> table;
  Class firstSubclass;
  IMP construct;
  IMP destruct;
  Class nextSibling;
  assay::objc::ProtocolList *protocols;
  void *extra; // of a class: its ClassState; of a metaclass: its class
  long abiVersion;
  assay::objc::PropertyList *properties;
};
static_assert(offsetof(objc_class, table) == 64 && sizeof(objc_class) == 136,
              "objc_msgSend reads the table there");

struct objc_protocol {
  id isa; // emitted as the version of the layout, 4
  const char *name;
  assay::objc::ProtocolList *parents;
  assay::objc::MethodDescriptionList *instanceMethods;
  assay::objc::MethodDescriptionList *classMethods;
  assay::objc::MethodDescriptionList *optionalInstanceMethods;
  assay::objc::MethodDescriptionList *optionalClassMethods;
  assay::objc::PropertyList *properties;
  assay::objc::PropertyList *optionalProperties;
  assay::objc::PropertyList *classProperties;
  assay::objc::PropertyList *optionalClassProperties;
};

struct objc_category {
  const char *name;
  const char *className;
  assay::objc::MethodList *instanceMethods;
  assay::objc::MethodList *classMethods;
  assay::objc::ProtocolList *protocols;
  assay::objc::PropertyList *properties;
  assay::objc::PropertyList *classProperties;
};

namespace assay::objc {

struct ClassAlias {
  const char *name;
  Class *cls;
};

// One for each linked image; begin and end of each section of metadata.
struct ImageInfo {
  uint64_t version;
  objc_selector *selectors, *selectorsEnd;
  Class *classes, *classesEnd;
  Class *classRefs, *classRefsEnd;
  objc_category *categories, *categoriesEnd;
  Protocol *protocols, *protocolsEnd;
  Protocol **protocolRefs, **protocolRefsEnd;
  ClassAlias *aliases, *aliasesEnd;
  void *strings, *stringsEnd;
};

} // namespace assay::objc
