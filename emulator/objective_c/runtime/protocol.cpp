// Protocols: one structure for each name, however many images have it, and what conforms to what.
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

namespace {

struct Protocols {
  std::unordered_map<std::string, Protocol *> byName;
  Class cls = nullptr; // the class named Protocol
};

Protocols &protocols() {
  static Protocols &all = *new Protocols;
  return all;
}

void registerMethods(MethodDescriptionList *list) {
  for (int i = 0; list && i < list->count; ++i)
    registerSelector(list->at(i).selector);
}

bool conforms(Protocol *one, Protocol *other) {
  if (!one || !other)
    return false;
  if (one == other || !std::strcmp(one->name, other->name))
    return true;
  for (ProtocolList *list = one->parents; list; list = list->next)
    for (size_t i = 0; i < list->count; ++i)
      if (conforms(list->protocols[i], other))
        return true;
  return false;
}

MethodDescriptionList *&methodsOf(Protocol *protocol, bool required, bool instance) {
  if (required)
    return instance ? protocol->instanceMethods : protocol->classMethods;
  return instance ? protocol->optionalInstanceMethods : protocol->optionalClassMethods;
}

} // namespace

void registerProtocol(Protocol *protocol) {
  // A protocol that is only declared where it is used has no methods; the first that has some is used.
  auto [found, fresh] = protocols().byName.emplace(protocol->name, protocol);
  if (!fresh && found->second == protocol)
    return;
  Protocol *known = found->second;
  const auto isEmpty = [](Protocol *p) {
    for (bool required : {true, false})
      for (bool instance : {true, false})
        if (MethodDescriptionList *list = methodsOf(p, required, instance); list && list->count)
          return false;
    return !p->properties && !(p->parents && p->parents->count);
  };
  if (!fresh && isEmpty(known) && !isEmpty(protocol)) {
    id isa = known->isa;
    *known = *protocol;
    known->isa = isa;
  }
  protocol->isa = reinterpret_cast<id>(protocols().cls);
  for (bool required : {true, false})
    for (bool instance : {true, false})
      registerMethods(methodsOf(protocol, required, instance));
  for (ProtocolList *list = protocol->parents; list; list = list->next)
    for (size_t i = 0; i < list->count; ++i)
      registerProtocol(list->protocols[i]);
}

Protocol *findProtocol(const char *name) {
  auto found = protocols().byName.find(name);
  return found == protocols().byName.end() ? nullptr : found->second;
}

void adoptProtocolClass(Class cls) {
  protocols().cls = cls;
  for (auto &[name, protocol] : protocols().byName)
    protocol->isa = reinterpret_cast<id>(cls);
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

Protocol *objc_getProtocol(const char *name) {
  if (!name)
    return nullptr;
  Locked locked(runtimeLock());
  return findProtocol(name);
}

const char *protocol_getName(Protocol *protocol) {
  return protocol ? protocol->name : nullptr;
}

BOOL protocol_conformsToProtocol(Protocol *one, Protocol *other) {
  return conforms(one, other);
}

BOOL protocol_isEqual(Protocol *one, Protocol *other) {
  return one == other || (one && other && !std::strcmp(one->name, other->name));
}

BOOL class_conformsToProtocol(Class cls, Protocol *protocol) {
  Locked locked(runtimeLock());
  for (; cls; cls = cls->superclass)
    for (ProtocolList *list = cls->protocols; list; list = list->next)
      for (size_t i = 0; i < list->count; ++i)
        if (conforms(list->protocols[i], protocol))
          return YES;
  return NO;
}

Protocol **class_copyProtocolList(Class cls, unsigned int *count) {
  Locked locked(runtimeLock());
  size_t all = 0;
  for (ProtocolList *list = cls ? cls->protocols : nullptr; list; list = list->next)
    all += list->count;
  if (count)
    *count = unsigned(all);
  if (!all)
    return nullptr;
  auto **result = static_cast<Protocol **>(std::calloc(all + 1, sizeof(Protocol *)));
  size_t at = 0;
  for (ProtocolList *list = cls->protocols; list; list = list->next)
    for (size_t i = 0; i < list->count; ++i)
      result[at++] = list->protocols[i];
  return result;
}

struct objc_method_description protocol_getMethodDescription(Protocol *protocol, SEL selector, BOOL required,
                                                             BOOL instance) {
  const uintptr_t index = indexOf(selector);
  MethodDescriptionList *list = methodsOf(protocol, required, instance);
  for (int i = 0; list && i < list->count; ++i)
    if (list->at(i).selector->index == index)
      return {list->at(i).selector, list->at(i).types};
  for (ProtocolList *parents = protocol->parents; parents; parents = parents->next)
    for (size_t i = 0; i < parents->count; ++i)
      if (auto found = protocol_getMethodDescription(parents->protocols[i], selector, required, instance);
          found.name)
        return found;
  return {nullptr, nullptr};
}

struct objc_method_description *protocol_copyMethodDescriptionList(Protocol *protocol, BOOL required,
                                                                   BOOL instance, unsigned int *count) {
  MethodDescriptionList *list = protocol ? methodsOf(protocol, required, instance) : nullptr;
  if (count)
    *count = list ? unsigned(list->count) : 0;
  if (!list || !list->count)
    return nullptr;
  auto *result =
      static_cast<objc_method_description *>(std::calloc(list->count, sizeof(objc_method_description)));
  for (int i = 0; i < list->count; ++i)
    result[i] = {list->at(i).selector, list->at(i).types};
  return result;
}
}
