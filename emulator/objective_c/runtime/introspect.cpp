// Queries of classes, objects, methods, ivars and properties.
#include <cstdlib>
#include <cstring>

#include "objective_c/runtime/runtime.h"

using namespace assay::objc;

extern "C" {

const char *class_getName(Class cls) {
  return cls ? cls->name : "nil";
}
Class class_getSuperclass(Class cls) {
  return cls ? cls->superclass : nullptr;
}
BOOL class_isMetaClass(Class cls) {
  return cls && (flagsOf(cls) & kClassIsMeta);
}
size_t class_getInstanceSize(Class cls) {
  return cls ? size_t(cls->instanceSize) : 0;
}

Method class_getInstanceMethod(Class cls, SEL selector) {
  if (!cls || !selector)
    return nullptr;
  const uintptr_t index = indexOf(selector);
  Locked locked(runtimeLock());
  return findMethod(cls, index);
}

Method class_getClassMethod(Class cls, SEL selector) {
  return cls ? class_getInstanceMethod(cls->isa, selector) : nullptr;
}

Method *class_copyMethodList(Class cls, unsigned int *count) {
  Locked locked(runtimeLock());
  size_t all = 0;
  for (MethodList *list = cls ? cls->methods : nullptr; list; list = list->next)
    all += list->count;
  if (count)
    *count = unsigned(all);
  if (!all)
    return nullptr;
  auto *result = static_cast<Method *>(std::calloc(all + 1, sizeof(Method)));
  size_t at = 0;
  for (MethodList *list = cls->methods; list; list = list->next)
    for (int i = 0; i < list->count; ++i)
      result[at++] = &list->at(i);
  return result;
}

Ivar class_getInstanceVariable(Class cls, const char *name) {
  for (; cls; cls = cls->superclass)
    for (int i = 0; cls->ivars && i < cls->ivars->count; ++i)
      if (!std::strcmp(cls->ivars->at(i).name, name))
        return &cls->ivars->at(i);
  return nullptr;
}

Ivar *class_copyIvarList(Class cls, unsigned int *count) {
  const int all = cls && cls->ivars ? cls->ivars->count : 0;
  if (count)
    *count = unsigned(all);
  if (!all)
    return nullptr;
  auto *result = static_cast<Ivar *>(std::calloc(all + 1, sizeof(Ivar)));
  for (int i = 0; i < all; ++i)
    result[i] = &cls->ivars->at(i);
  return result;
}

objc_property_t class_getProperty(Class cls, const char *name) {
  Locked locked(runtimeLock());
  for (; cls; cls = cls->superclass)
    for (PropertyList *list = cls->properties; list; list = list->next)
      for (int i = 0; i < list->count; ++i)
        if (!std::strcmp(list->at(i).name, name))
          return &list->at(i);
  return nullptr;
}

objc_property_t *class_copyPropertyList(Class cls, unsigned int *count) {
  Locked locked(runtimeLock());
  size_t all = 0;
  for (PropertyList *list = cls ? cls->properties : nullptr; list; list = list->next)
    all += list->count;
  if (count)
    *count = unsigned(all);
  if (!all)
    return nullptr;
  auto *result = static_cast<objc_property_t *>(std::calloc(all + 1, sizeof(objc_property_t)));
  size_t at = 0;
  for (PropertyList *list = cls->properties; list; list = list->next)
    for (int i = 0; i < list->count; ++i)
      result[at++] = &list->at(i);
  return result;
}

Class object_getClass(id object) {
  return object ? classOf(object) : nullptr;
}
const char *object_getClassName(id object) {
  return class_getName(object_getClass(object));
}
BOOL object_isClass(id object) {
  return class_isMetaClass(object_getClass(object));
}

Class object_setClass(id object, Class cls) {
  if (!object || isTagged(object))
    return nullptr;
  Class old = object->isa;
  object->isa = cls;
  return old;
}

static id *slotOf(id object, Ivar ivar) {
  return reinterpret_cast<id *>(reinterpret_cast<char *>(object) + *ivar->offset);
}

id object_getIvar(id object, Ivar ivar) {
  return object && ivar ? *slotOf(object, ivar) : nullptr;
}

void object_setIvar(id object, Ivar ivar, id value) {
  if (object && ivar)
    *slotOf(object, ivar) = value;
}

SEL method_getName(Method method) {
  return method ? method->selector : nullptr;
}
IMP method_getImplementation(Method method) {
  return method ? method->imp : nullptr;
}
const char *method_getTypeEncoding(Method method) {
  return method ? method->types : nullptr;
}

// A method does not name its class: every class forgets what it had cached under the name.
static void forgetEverywhere(uintptr_t selector) {
  const int count = objc_getClassList(nullptr, 0);
  auto *all = static_cast<Class *>(std::calloc(count, sizeof(Class)));
  objc_getClassList(all, count);
  Locked locked(runtimeLock());
  for (int i = 0; i < count; ++i)
    if (!all[i]->superclass) {
      forgetCached(all[i], selector);
      forgetCached(all[i]->isa, selector);
    }
  std::free(all);
}

IMP method_setImplementation(Method method, IMP imp) {
  if (!method)
    return nullptr;
  IMP old;
  {
    Locked locked(runtimeLock());
    old = method->imp;
    method->imp = imp;
  }
  forgetEverywhere(method->selector->index);
  return old;
}

void method_exchangeImplementations(Method one, Method other) {
  if (!one || !other)
    return;
  {
    Locked locked(runtimeLock());
    IMP imp = one->imp;
    one->imp = other->imp;
    other->imp = imp;
  }
  forgetEverywhere(one->selector->index);
  forgetEverywhere(other->selector->index);
}

const char *ivar_getName(Ivar ivar) {
  return ivar ? ivar->name : nullptr;
}
const char *ivar_getTypeEncoding(Ivar ivar) {
  return ivar ? ivar->types : nullptr;
}
ptrdiff_t ivar_getOffset(Ivar ivar) {
  return ivar ? *ivar->offset : 0;
}
const char *property_getName(objc_property_t property) {
  return property ? property->name : nullptr;
}
const char *property_getAttributes(objc_property_t property) {
  return property ? property->attributes : nullptr;
}
}
