// __objc_load: an image (the program or a shared library) passes its classes, categories, protocols and
// selectors when it is loaded, before any of its constructors that are not Objective-C's.
#include <cstring>
#include <string>
#include <vector>

#include "objective_c/runtime/runtime.h"

using namespace assay::objc;

namespace {

constexpr uint64_t kLoaded = ~uint64_t{0};

// +load of each class before its subclasses, and of each category after its class; not inherited.
struct Loads {
  std::vector<std::pair<IMP, Class>> calls;
  uintptr_t selector;

  void addList(MethodList *list, MethodList *end, Class cls) {
    for (; list && list != end; list = list->next)
      for (int i = 0; i < list->count; ++i)
        if (list->at(i).selector->index == selector)
          calls.push_back({list->at(i).imp, cls});
  }
};

} // namespace

extern "C" void __objc_load(ImageInfo *image) {
  if (image->version == kLoaded)
    return;
  if (image->version != 0)
    stop("an image is of version %llu of the ABI, and 0 is known",
         static_cast<unsigned long long>(image->version));
  static objc_selector loadSelector{{"load"}, nullptr};
  Loads loads;
  {
    Locked locked(runtimeLock());
    registerSelector(&loadSelector);
    loads.selector = loadSelector.index;
    loadBlockClasses();
    for (SEL each = image->selectors; each < image->selectorsEnd; ++each)
      if (each->text)
        registerSelector(each);
    for (Protocol *each = image->protocols; each < image->protocolsEnd; ++each)
      if (each->name)
        registerProtocol(each);
    for (Protocol **each = image->protocolRefs; each < image->protocolRefsEnd; ++each)
      if (*each)
        *each = findProtocol((*each)->name);
    // A class's own +load is in its compiled list. Categories prepend theirs, so note it first.
    std::vector<std::pair<Class, MethodList *>> compiled;
    for (Class *each = image->classes; each < image->classesEnd; ++each)
      if (*each && !((*each)->flags & kClassLoaded)) {
        std::vector<Class> chain;
        for (Class cls = *each; cls && !(cls->flags & kClassLoaded); cls = cls->superclass)
          chain.push_back(cls);
        for (auto cls = chain.rbegin(); cls != chain.rend(); ++cls)
          compiled.push_back({*cls, (*cls)->isa->methods});
        loadClass(*each);
      }
    for (auto [cls, list] : compiled)
      loads.addList(list, nullptr, cls);
    for (ClassAlias *each = image->aliases; each < image->aliasesEnd; ++each)
      if (each->name)
        addClassName(each->name, *each->cls);
    for (objc_category *each = image->categories; each < image->categoriesEnd; ++each)
      if (each->className) {
        MethodList *own = each->classMethods;
        attachCategory(*each);
        if (Class cls = findClass(each->className); cls && own)
          loads.addList(own, own->next, cls);
      }
    image->version = kLoaded;
  }
  for (auto [imp, cls] : loads.calls)
    reinterpret_cast<void (*)(id, SEL)>(imp)(reinterpret_cast<id>(cls), &loadSelector);
}
