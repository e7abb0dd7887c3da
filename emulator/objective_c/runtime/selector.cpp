// Selectors: names become small numbers that index the dispatch tables. Two selectors of one name and
// different types are two structures with one number.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "objective_c/runtime/runtime.h"

namespace assay::objc {

namespace {

struct Selectors {
  std::unordered_map<std::string_view, uintptr_t> indices;
  std::deque<std::string> names{std::string()}; // never moves: the views above point into it
  std::deque<objc_selector> untyped{objc_selector{{nullptr}, nullptr}};
};

// Never destroyed: classes are used until the process has ended.
Selectors &selectors() {
  static Selectors &all = *new Selectors;
  return all;
}

uintptr_t intern(std::string_view name) {
  Selectors &all = selectors();
  if (auto found = all.indices.find(name); found != all.indices.end())
    return found->second;
  const uintptr_t index = all.names.size();
  if (index >= kMaxSelectors)
    stop("more than %zu selectors, the next is %.*s", size_t{kMaxSelectors}, int(name.size()), name.data());
  all.names.emplace_back(name);
  all.indices.emplace(all.names.back(), index);
  objc_selector selector{};
  selector.index = index;
  all.untyped.push_back(selector);
  return index;
}

} // namespace

std::mutex &runtimeLock() {
  static std::mutex &lock = *new std::mutex;
  return lock;
}

void stop(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::fputs("objc: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
  std::abort();
}

void registerSelector(SEL selector) {
  if (__atomic_load_n(&selector->index, __ATOMIC_ACQUIRE) >= kMaxSelectors)
    __atomic_store_n(&selector->index, intern(selector->text), __ATOMIC_RELEASE);
}

const char *selectorName(uintptr_t index) {
  return selectors().names[index].c_str();
}

uintptr_t indexOf(SEL selector) {
  const uintptr_t index = __atomic_load_n(&selector->index, __ATOMIC_ACQUIRE);
  if (index < kMaxSelectors)
    return index;
  Locked locked(runtimeLock());
  registerSelector(selector);
  return selector->index;
}

} // namespace assay::objc

using namespace assay::objc;

extern "C" {

SEL sel_registerName(const char *name) {
  if (!name)
    return nullptr;
  Locked locked(runtimeLock());
  return &selectors().untyped[intern(name)];
}

SEL sel_getUid(const char *name) {
  return sel_registerName(name);
}

const char *sel_getName(SEL selector) {
  if (!selector)
    return "<null selector>";
  const uintptr_t index = indexOf(selector);
  Locked locked(runtimeLock());
  return selectorName(index);
}

BOOL sel_isEqual(SEL one, SEL other) {
  return one == other || (one && other && indexOf(one) == indexOf(other));
}

BOOL sel_isMapped(SEL selector) {
  return selector && __atomic_load_n(&selector->index, __ATOMIC_ACQUIRE) < kMaxSelectors;
}

const char *sel_getType_np(SEL selector) {
  return selector ? selector->types : nullptr;
}
}
