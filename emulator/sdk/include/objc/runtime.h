// The runtime's functions: classes, methods, selectors, protocols, properties, associated objects, weak
// references. Names and meanings are Apple's; names that end in _np belong to the GNUstep ABI.
#pragma once

#include <objc/objc.h>

typedef struct objc_method *Method;
typedef struct objc_ivar *Ivar;
typedef struct objc_category *Category;
typedef struct objc_property *objc_property_t;
#ifdef __OBJC__
@class Protocol;
#else
typedef struct objc_protocol Protocol;
#endif

struct objc_method_description {
  SEL name;
  const char *types;
};

typedef uintptr_t objc_AssociationPolicy;
enum {
  OBJC_ASSOCIATION_ASSIGN = 0,
  OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
  OBJC_ASSOCIATION_COPY_NONATOMIC = 3,
  OBJC_ASSOCIATION_RETAIN = 0x301,
  OBJC_ASSOCIATION_COPY = 0x303
};

// Classes by name. For an unknown name objc_getClass and objc_lookUpClass give Nil; objc_getRequiredClass
// stops.
OBJC_EXPORT id objc_getClass(const char *name);
OBJC_EXPORT id objc_lookUpClass(const char *name);
OBJC_EXPORT id objc_getMetaClass(const char *name);
OBJC_EXPORT Class objc_getRequiredClass(const char *name);
OBJC_EXPORT int objc_getClassList(Class *buffer, int length);

// Making classes at run time.
OBJC_EXPORT Class objc_allocateClassPair(Class superclass, const char *name, size_t extraBytes);
OBJC_EXPORT void objc_registerClassPair(Class cls);
OBJC_EXPORT BOOL class_addMethod(Class cls, SEL name, IMP imp, const char *types);
OBJC_EXPORT IMP class_replaceMethod(Class cls, SEL name, IMP imp, const char *types);
OBJC_EXPORT BOOL class_addIvar(Class cls, const char *name, size_t size, uint8_t log2Alignment,
                               const char *types);
OBJC_EXPORT BOOL class_addProtocol(Class cls, Protocol *protocol);

// Asking classes.
OBJC_EXPORT const char *class_getName(Class cls);
OBJC_EXPORT Class class_getSuperclass(Class cls);
OBJC_EXPORT BOOL class_isMetaClass(Class cls);
OBJC_EXPORT size_t class_getInstanceSize(Class cls);
OBJC_EXPORT BOOL class_respondsToSelector(Class cls, SEL selector);
OBJC_EXPORT BOOL class_conformsToProtocol(Class cls, Protocol *protocol);
OBJC_EXPORT Method class_getInstanceMethod(Class cls, SEL selector);
OBJC_EXPORT Method class_getClassMethod(Class cls, SEL selector);
OBJC_EXPORT IMP class_getMethodImplementation(Class cls, SEL selector);
OBJC_EXPORT Method *class_copyMethodList(Class cls, unsigned int *count);
OBJC_EXPORT Ivar class_getInstanceVariable(Class cls, const char *name);
OBJC_EXPORT Ivar *class_copyIvarList(Class cls, unsigned int *count);
OBJC_EXPORT objc_property_t class_getProperty(Class cls, const char *name);
OBJC_EXPORT objc_property_t *class_copyPropertyList(Class cls, unsigned int *count);
OBJC_EXPORT Protocol *__unsafe_unretained *class_copyProtocolList(Class cls, unsigned int *count);

// Instances.
OBJC_EXPORT id class_createInstance(Class cls, size_t extraBytes) OBJC_RETURNS_RETAINED;
OBJC_EXPORT id object_dispose(id object);
OBJC_EXPORT Class object_getClass(id object);
OBJC_EXPORT Class object_setClass(id object, Class cls);
OBJC_EXPORT BOOL object_isClass(id object);
OBJC_EXPORT id object_getIvar(id object, Ivar ivar);
OBJC_EXPORT void object_setIvar(id object, Ivar ivar, id value);

// Methods, ivars, properties.
OBJC_EXPORT SEL method_getName(Method method);
OBJC_EXPORT IMP method_getImplementation(Method method);
OBJC_EXPORT IMP method_setImplementation(Method method, IMP imp);
OBJC_EXPORT void method_exchangeImplementations(Method one, Method other);
OBJC_EXPORT const char *method_getTypeEncoding(Method method);
OBJC_EXPORT const char *ivar_getName(Ivar ivar);
OBJC_EXPORT const char *ivar_getTypeEncoding(Ivar ivar);
OBJC_EXPORT ptrdiff_t ivar_getOffset(Ivar ivar);
OBJC_EXPORT const char *property_getName(objc_property_t property);
OBJC_EXPORT const char *property_getAttributes(objc_property_t property);

// Selectors. Two selectors of one name may be two pointers (they carry types): compare with sel_isEqual.
OBJC_EXPORT SEL sel_getUid(const char *name);
OBJC_EXPORT BOOL sel_isEqual(SEL one, SEL other);
OBJC_EXPORT BOOL sel_isMapped(SEL selector);
OBJC_EXPORT const char *sel_getType_np(SEL selector);

// Protocols.
OBJC_EXPORT Protocol *objc_getProtocol(const char *name);
OBJC_EXPORT const char *protocol_getName(Protocol *protocol);
OBJC_EXPORT BOOL protocol_conformsToProtocol(Protocol *one, Protocol *other);
OBJC_EXPORT BOOL protocol_isEqual(Protocol *one, Protocol *other);
OBJC_EXPORT struct objc_method_description protocol_getMethodDescription(Protocol *protocol, SEL selector,
                                                                         BOOL required, BOOL instance);
OBJC_EXPORT struct objc_method_description *
protocol_copyMethodDescriptionList(Protocol *protocol, BOOL required, BOOL instance, unsigned int *count);

// Associated objects: they live as long as the object that owns them.
OBJC_EXPORT void objc_setAssociatedObject(id object, const void *key, id value,
                                          objc_AssociationPolicy policy);
OBJC_EXPORT id objc_getAssociatedObject(id object, const void *key);
OBJC_EXPORT void objc_removeAssociatedObjects(id object);

OBJC_EXPORT void objc_enumerationMutation(id object);
OBJC_EXPORT void objc_setEnumerationMutationHandler(void (*handler)(id object));

// A class for objects that live inside their pointer: its three low bits are the tag.
OBJC_EXPORT BOOL objc_registerSmallObjectClass_np(Class cls, uintptr_t tag);
