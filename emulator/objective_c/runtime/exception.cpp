// Objective-C exceptions are C++ exceptions whose type is defined here: one unwinder, one stack of caught
// exceptions, and C++ and Objective-C frames may alternate.
//
// Objective-C++ code has the C++ personality. Its handlers name type_info objects whose virtual __do_catch,
// below, asks for the class of the thrown object. Plain Objective-C code has the personality of this file,
// and its handlers name strings: the class, or "@id" for any object. Both read the same table of the frame
// (the language-specific data area of the Itanium C++ ABI). Rejected: own exceptions for the unwinder, with a
// C++ personality wrapped round both kinds: more code, and std::current_exception, rethrowing and catch (...)
// would each need a case.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <typeinfo>
#include <unwind.h>
#include <utility>

#include "objective_c/runtime/runtime.h"

using namespace assay::objc;

namespace {

bool isKindOf(id object, const char *name) {
  for (Class cls = object_getClass(object); cls; cls = cls->superclass)
    if (!std::strcmp(cls->name, name))
      return true;
  return false;
}

} // namespace

// The names are those that Clang writes into Objective-C++ code.
namespace gnustep::libobjc {

struct __attribute__((visibility("default"))) __objc_id_type_info : std::type_info {
  explicit __objc_id_type_info(const char *name) : std::type_info(name) {}
  ~__objc_id_type_info() override;
  bool __is_pointer_p() const override { return true; }
  bool __do_catch(const std::type_info *thrown, void **, unsigned) const override {
    return dynamic_cast<const __objc_id_type_info *>(thrown);
  }
};

struct __attribute__((visibility("default"))) __objc_class_type_info : std::type_info {
  ~__objc_class_type_info() override;
  bool __is_pointer_p() const override { return true; }
  // The C++ personality has read the object from the exception: *object is the id.
  bool __do_catch(const std::type_info *thrown, void **object, unsigned) const override {
    return dynamic_cast<const __objc_id_type_info *>(thrown) && isKindOf(static_cast<id>(*object), __name);
  }
};

__objc_id_type_info::~__objc_id_type_info() {}
__objc_class_type_info::~__objc_class_type_info() {}

} // namespace gnustep::libobjc

extern "C" gnustep::libobjc::__objc_id_type_info __objc_id_type_info;
gnustep::libobjc::__objc_id_type_info __objc_id_type_info("id");

namespace {

void releaseThrown(void *exception) {
  objc_release(*static_cast<id *>(exception));
}

objc_uncaught_exception_handler uncaughtHandler = nullptr;
std::terminate_handler formerTerminate = nullptr;

// Nobody caught it: the handler is given the object before the process ends.
[[noreturn]] void onTerminate() {
  if (std::exception_ptr current = std::current_exception();
      current && uncaughtHandler && abi::__cxa_current_exception_type() == &__objc_id_type_info) {
    // An exception_ptr is the address of the thrown object, which is the id.
    id **object = reinterpret_cast<id **>(&current);
    uncaughtHandler(**object);
  }
  if (formerTerminate)
    formerTerminate();
  std::abort();
}

constexpr uint64_t kCxxClass = 0x474e5543432b2b00; // "GNUCC++\0"

// The fields of the Itanium ABI's __cxa_exception that are directly before the unwinder's header.
struct CxxHeader {
  std::type_info *type;
  void (*destructor)(void *);
  void (*unexpected)();
  void (*terminate)();
  void *next;
  int handlerCount;
  int handlerSwitchValue;
  const unsigned char *actionRecord;
  const unsigned char *languageData;
  void *catchTemp;
  void *adjustedPointer;
  _Unwind_Exception unwind;
};

CxxHeader *headerOf(_Unwind_Exception *exception) {
  return reinterpret_cast<CxxHeader *>(reinterpret_cast<char *>(exception) - offsetof(CxxHeader, unwind));
}

bool isObject(_Unwind_Exception *exception) {
  return exception->exception_class == kCxxClass && headerOf(exception)->type == &__objc_id_type_info;
}

id objectOf(_Unwind_Exception *exception) {
  return *reinterpret_cast<id *>(exception + 1);
}

// Reads the encodings of the frame's table.
struct Reader {
  const unsigned char *at;

  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char byte = *at++;
      value |= uint64_t(byte & 127) << shift;
      if (!(byte & 128))
        return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const unsigned char byte = *at++;
      value |= uint64_t(byte & 127) << shift;
      shift += 7;
      if (!(byte & 128))
        return shift < 64 && (byte & 64) ? int64_t(value | ~uint64_t{0} << shift) : int64_t(value);
    }
  }
  template <class T> T raw() {
    T value;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  }
  uintptr_t encoded(unsigned char encoding, uintptr_t base) {
    if (encoding == 0xff)
      return 0;
    const unsigned char *start = at;
    uintptr_t value;
    switch (encoding & 15) {
    case 0: value = raw<uintptr_t>(); break;
    case 1: value = uleb(); break;
    case 2: value = raw<uint16_t>(); break;
    case 3: value = raw<uint32_t>(); break;
    case 4: value = raw<uint64_t>(); break;
    case 9: value = uintptr_t(sleb()); break;
    case 10: value = uintptr_t(intptr_t(raw<int16_t>())); break;
    case 11: value = uintptr_t(intptr_t(raw<int32_t>())); break;
    case 12: value = uintptr_t(raw<int64_t>()); break;
    default: stop("an exception table has the unknown encoding 0x%x", encoding);
    }
    if (!value)
      return 0;
    if ((encoding & 0x70) == 0x10)
      value += reinterpret_cast<uintptr_t>(start);
    else if (base)
      value += base;
    return encoding & 0x80 ? *reinterpret_cast<uintptr_t *>(value) : value;
  }
  static size_t sizeOf(unsigned char encoding) {
    switch (encoding & 15) {
    case 2:
    case 10: return 2;
    case 3:
    case 11: return 4;
    default: return 8;
    }
  }
};

struct Landing {
  uintptr_t pad = 0; // none
  int selector = 0;  // 0 is a cleanup
};

bool catches(const char *handler, _Unwind_Exception *exception) {
  if (!handler)
    return true; // @catch (...), @finally
  if (!isObject(exception))
    return false;
  return !std::strcmp(handler, "@id") || isKindOf(objectOf(exception), handler);
}

// Where the frame goes on for the exception; `handlersOnly` in the unwinder's first, searching phase.
Landing findLanding(_Unwind_Exception *exception, _Unwind_Context *context, bool handlersOnly) {
  const auto *data = reinterpret_cast<const unsigned char *>(_Unwind_GetLanguageSpecificData(context));
  if (!data)
    return {};
  const uintptr_t start = _Unwind_GetRegionStart(context);
  const uintptr_t place = _Unwind_GetIP(context) - 1; // inside the call
  Reader reader{data};
  const unsigned char padEncoding = *reader.at++;
  const uintptr_t padBase = padEncoding == 0xff ? start : reader.encoded(padEncoding, 0);
  const unsigned char typeEncoding = *reader.at++;
  const unsigned char *types = nullptr;
  if (typeEncoding != 0xff) {
    const uint64_t offset = reader.uleb();
    types = reader.at + offset;
  }
  const unsigned char siteEncoding = *reader.at++;
  const uint64_t sitesLength = reader.uleb();
  const unsigned char *sitesEnd = reader.at + sitesLength;
  while (reader.at < sitesEnd) {
    const uintptr_t from = start + reader.encoded(siteEncoding, 0);
    const uintptr_t length = reader.encoded(siteEncoding, 0);
    const uintptr_t pad = reader.encoded(siteEncoding, 0);
    const uint64_t action = reader.uleb();
    if (place < from || place >= from + length)
      continue;
    if (!pad)
      return {};
    if (!action)
      return handlersOnly ? Landing{} : Landing{padBase + pad, 0};
    bool cleanup = false;
    for (Reader actions{sitesEnd + action - 1};;) {
      const int64_t filter = actions.sleb();
      const unsigned char *linkAt = actions.at;
      const int64_t link = actions.sleb();
      if (filter == 0)
        cleanup = true;
      if (filter > 0) {
        Reader type{types - filter * Reader::sizeOf(typeEncoding)};
        if (catches(reinterpret_cast<const char *>(type.encoded(typeEncoding, 0)), exception))
          return {padBase + pad, int(filter)};
      }
      if (!link)
        break;
      actions.at = linkAt + link;
    }
    return cleanup && !handlersOnly ? Landing{padBase + pad, 0} : Landing{};
  }
  return {};
}

} // namespace

extern "C" {

_Unwind_Reason_Code __gnustep_objc_personality_v0(int version, _Unwind_Action actions, uint64_t,
                                                  _Unwind_Exception *exception, _Unwind_Context *context) {
  if (version != 1)
    return _URC_FATAL_PHASE1_ERROR;
  const bool searching = actions & _UA_SEARCH_PHASE;
  const bool forced = actions & _UA_FORCE_UNWIND;
  Landing landing = findLanding(exception, context, searching);
  if (!landing.pad)
    return _URC_CONTINUE_UNWIND;
  if (searching)
    return _URC_HANDLER_FOUND;
  if (!(actions & _UA_HANDLER_FRAME) && !forced && landing.selector)
    return _URC_CONTINUE_UNWIND;
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(0), reinterpret_cast<uintptr_t>(exception));
  _Unwind_SetGR(context, __builtin_eh_return_data_regno(1), uintptr_t(landing.selector));
  _Unwind_SetIP(context, landing.pad);
  return _URC_INSTALL_CONTEXT;
}

_Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, uint64_t, _Unwind_Exception *,
                                         _Unwind_Context *);

// Objective-C++: exceptions are C++ exceptions, so the C++ personality knows all.
_Unwind_Reason_Code __gnustep_objcxx_personality_v0(int version, _Unwind_Action actions, uint64_t kind,
                                                    _Unwind_Exception *exception, _Unwind_Context *context) {
  return __gxx_personality_v0(version, actions, kind, exception, context);
}

void objc_exception_throw(id object) {
  void *exception = abi::__cxa_allocate_exception(sizeof(id));
  *static_cast<id *>(exception) = objc_retain(object);
  abi::__cxa_throw(exception, &__objc_id_type_info, releaseThrown);
}

id objc_begin_catch(_Unwind_Exception *exception) {
  if (isObject(exception))
    headerOf(exception)->adjustedPointer = objectOf(exception);
  void *caught = abi::__cxa_begin_catch(exception);
  return isObject(exception) ? static_cast<id>(caught) : nullptr;
}

void objc_end_catch(void) {
  abi::__cxa_end_catch();
}

void objc_exception_rethrow(_Unwind_Exception *) {
  abi::__cxa_rethrow();
}

objc_uncaught_exception_handler objc_setUncaughtExceptionHandler(objc_uncaught_exception_handler handler) {
  static const bool installed = (formerTerminate = std::set_terminate(onTerminate), true);
  (void)installed;
  return std::exchange(uncaughtHandler, handler);
}
}
