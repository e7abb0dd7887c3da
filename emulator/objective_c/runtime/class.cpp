// Classes: loading them, making them at run time, finding them by name, and placing their instance variables.
//
// The ABI is non-fragile: a class does not know where its superclass ends, because the superclass may have
// variables that its header does not show. Compiled code reads the place of each variable from memory that
// loading fills in. What the compiler emits there only says in which order the variables come and which
// bit-fields share a byte: it counts from the superclass's end as the compiler saw it, and is negative for a
// variable that the compiler put into the gap there.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

namespace {

struct Classes {
  std::unordered_map<std::string, Class> byName;
  std::vector<Class> all;
  // Categories of classes that no image has loaded yet, by class name.
  std::unordered_multimap<std::string, const objc_category *> waiting;
};

Classes &classes() {
  static Classes &all = *new Classes;
  return all;
}

void placeIvars(Class cls) {
  if (cls->instanceSize > 0)
    return; // a class made at run time: its variables were placed when they were added
  long end = cls->superclass ? cls->superclass->instanceSize : 0;
  long former = 0, place = 0, size = 0; // of the previous variable
  for (int i = 0; cls->ivars && i < cls->ivars->count; ++i) {
    const objc_ivar &ivar = cls->ivars->at(i);
    const long emitted = *ivar.offset, alignment = long(ivar.alignment());
    const long next = i == 0 ? end : place + std::min(emitted - former, size);
    place = (next + alignment - 1) & -alignment;
    former = emitted;
    size = long(ivar.size);
    *ivar.offset = int(place);
    end = std::max(end, place + size);
  }
  cls->instanceSize = (end + 7) & -8;
}

void registerMethods(MethodList *list) {
  for (; list; list = list->next)
    for (int i = 0; i < list->count; ++i)
      registerSelector(list->at(i).selector);
}

void registerProperties(PropertyList *list) {
  for (; list; list = list->next)
    for (int i = 0; i < list->count; ++i)
      for (SEL selector : {list->at(i).getter, list->at(i).setter})
        if (selector)
          registerSelector(selector);
}

void registerProtocols(ProtocolList *list) {
  for (; list; list = list->next)
    for (size_t i = 0; i < list->count; ++i)
      registerProtocol(list->protocols[i]);
}

void setUpMetaclass(Class cls) {
  Class meta = cls->isa;
  meta->flags |= kClassIsMeta | kClassLoaded;
  meta->superclass = cls->superclass ? cls->superclass->isa : cls;
  Class root = cls;
  while (root->superclass)
    root = root->superclass;
  meta->isa = root->isa;
  meta->extra = cls;
  meta->table = &emptyTable;
  meta->instanceSize = sizeof(objc_class);
  registerMethods(meta->methods);
}

void link(Class cls) {
  for (Class each : {cls, cls->isa})
    if (Class parent = each->superclass) {
      each->nextSibling = parent->firstSubclass;
      parent->firstSubclass = each;
    }
}

IMP ownImp(Class cls, const char *name) {
  static std::unordered_map<std::string, SEL> &known = *new std::unordered_map<std::string, SEL>;
  SEL &selector = known[name];
  if (!selector) {
    selector = new objc_selector{{name}, nullptr};
    registerSelector(selector);
  }
  objc_method *method = findOwnMethod(cls, selector->index);
  return method ? method->imp : nullptr;
}

bool declares(Class cls, const char *name) {
  return ownImp(cls, name);
}

} // namespace

// Whether objc_retain and objc_release may change the count themselves: not if a class between this one and
// the root that promises compliance has counting of its own. Never for metaclasses: classes are not counted.
void computeCounting(Class cls) {
  bool own = !cls->superclass || (cls->superclass->flags & kClassCountsItself);
  if (declares(cls, "_ARCCompliantRetainRelease"))
    own = false;
  else if (declares(cls, "retain") || declares(cls, "release") || declares(cls, "autorelease"))
    own = true;
  cls->flags = own ? cls->flags | kClassCountsItself : cls->flags & ~kClassCountsItself;
  for (Class each = cls->firstSubclass; each; each = each->nextSibling)
    if (!(each->flags & kClassIsMeta))
      computeCounting(each);
}

void addClassName(const char *name, Class cls) {
  classes().byName.emplace(name, cls);
}

void loadClass(Class cls) {
  if (cls->flags & kClassLoaded)
    return;
  if (cls->superclass)
    loadClass(cls->superclass);
  if (!classes().byName.emplace(cls->name, cls).second)
    stop("class %s is defined twice", cls->name);
  cls->flags |= kClassLoaded;
  cls->table = &emptyTable;
  placeIvars(cls);
  setUpMetaclass(cls);
  link(cls);
  registerMethods(cls->methods);
  registerProperties(cls->properties);
  registerProtocols(cls->protocols);
  cls->construct = ownImp(cls, ".cxx_construct");
  cls->destruct = ownImp(cls, ".cxx_destruct");
  cls->isa->flags |= kClassCountsItself;
  computeCounting(cls);
  classes().all.push_back(cls);
  auto [first, last] = classes().waiting.equal_range(cls->name);
  std::vector<const objc_category *> categories;
  for (auto each = first; each != last; ++each)
    categories.push_back(each->second);
  classes().waiting.erase(cls->name);
  for (const objc_category *category : categories)
    attachCategory(*category);
  if (!std::strcmp(cls->name, "Protocol"))
    adoptProtocolClass(cls);
}

void addMethods(Class cls, MethodList *list) {
  if (!list)
    return;
  registerMethods(list);
  MethodList *last = list;
  while (last->next)
    last = last->next;
  last->next = cls->methods;
  cls->methods = list;
  for (MethodList *each = list; each != last->next; each = each->next)
    for (int i = 0; i < each->count; ++i)
      forgetCached(cls, each->at(i).selector->index);
  if (!(cls->flags & kClassIsMeta))
    computeCounting(cls);
}

void attachCategory(const objc_category &category) {
  Class cls = findClass(category.className);
  if (!cls) {
    classes().waiting.emplace(category.className, &category);
    return;
  }
  addMethods(cls, category.instanceMethods);
  addMethods(cls->isa, category.classMethods);
  registerProtocols(category.protocols);
  if (ProtocolList *adopted = category.protocols; adopted && adopted->count) {
    adopted->next = cls->protocols;
    cls->protocols = adopted;
  }
  registerProperties(category.properties);
  if (PropertyList *added = category.properties) {
    added->next = cls->properties;
    cls->properties = added;
  }
}

Class findClass(const char *name) {
  auto found = classes().byName.find(name);
  return found == classes().byName.end() ? nullptr : found->second;
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

id objc_lookUpClass(const char *name) {
  if (!name)
    return nullptr;
  Locked locked(runtimeLock());
  return reinterpret_cast<id>(findClass(name));
}

id objc_getClass(const char *name) {
  return objc_lookUpClass(name);
}

id objc_getMetaClass(const char *name) {
  id cls = objc_lookUpClass(name);
  return cls ? reinterpret_cast<id>(cls->isa) : nullptr;
}

Class objc_getRequiredClass(const char *name) {
  id cls = objc_lookUpClass(name);
  if (!cls)
    stop("class %s is not there", name);
  return reinterpret_cast<Class>(cls);
}

int objc_getClassList(Class *buffer, int length) {
  Locked locked(runtimeLock());
  const auto &all = classes().all;
  for (int i = 0; buffer && i < length && size_t(i) < all.size(); ++i)
    buffer[i] = all[i];
  return int(all.size());
}

Class objc_allocateClassPair(Class superclass, const char *name, size_t extraBytes) {
  Locked locked(runtimeLock());
  if (findClass(name))
    return nullptr;
  Class cls = static_cast<Class>(std::calloc(1, sizeof(objc_class) + extraBytes));
  Class meta = static_cast<Class>(std::calloc(1, sizeof(objc_class)));
  cls->isa = meta;
  cls->superclass = superclass;
  cls->name = meta->name = strdup(name);
  cls->instanceSize = superclass ? superclass->instanceSize : 0;
  cls->table = &emptyTable;
  meta->table = &emptyTable;
  meta->flags = kClassIsMeta;
  return cls;
}

void objc_registerClassPair(Class cls) {
  Locked locked(runtimeLock());
  loadClass(cls);
}

BOOL class_addIvar(Class cls, const char *name, size_t size, uint8_t log2Alignment, const char *types) {
  Locked locked(runtimeLock());
  if (cls->flags & kClassLoaded)
    return NO;
  const int count = cls->ivars ? cls->ivars->count : 0;
  auto *list = static_cast<IvarList *>(std::calloc(1, sizeof(IvarList) + (count + 1) * sizeof(objc_ivar)));
  if (count)
    std::memcpy(list->ivars, cls->ivars->ivars, count * sizeof(objc_ivar));
  std::free(cls->ivars);
  const size_t alignment = size_t{1} << log2Alignment;
  int *offset = new int(int((size_t(cls->instanceSize) + alignment - 1) & ~(alignment - 1)));
  list->count = count + 1;
  list->stride = sizeof(objc_ivar);
  list->ivars[count] = {strdup(name), strdup(types ? types : ""), offset, uint32_t(size),
                        uint32_t(log2Alignment) << 3};
  cls->ivars = list;
  cls->instanceSize = *offset + long(size);
  return YES;
}

static MethodList *oneMethod(SEL name, IMP imp, const char *types) {
  auto *list = static_cast<MethodList *>(std::calloc(1, sizeof(MethodList) + sizeof(objc_method)));
  list->count = 1;
  list->stride = sizeof(objc_method);
  list->methods[0] = {imp, name, types ? strdup(types) : nullptr};
  return list;
}

BOOL class_addMethod(Class cls, SEL name, IMP imp, const char *types) {
  const uintptr_t index = indexOf(name);
  Locked locked(runtimeLock());
  if (findOwnMethod(cls, index))
    return NO;
  addMethods(cls, oneMethod(name, imp, types));
  return YES;
}

IMP class_replaceMethod(Class cls, SEL name, IMP imp, const char *types) {
  const uintptr_t index = indexOf(name);
  Locked locked(runtimeLock());
  if (objc_method *method = findOwnMethod(cls, index)) {
    IMP old = method->imp;
    method->imp = imp;
    forgetCached(cls, index);
    return old;
  }
  addMethods(cls, oneMethod(name, imp, types));
  return nullptr;
}

BOOL class_addProtocol(Class cls, Protocol *protocol) {
  if (class_conformsToProtocol(cls, protocol))
    return NO;
  Locked locked(runtimeLock());
  auto *list = static_cast<ProtocolList *>(std::calloc(1, sizeof(ProtocolList) + sizeof(Protocol *)));
  *list = {cls->protocols, 1};
  list->protocols[0] = protocol;
  cls->protocols = list;
  return YES;
}
}
