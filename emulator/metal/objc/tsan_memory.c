// Built with ThreadSanitizer only: names by which Clang 19 calls memory functions that it checks, and which GCC 12's
// library does not have. Its own interceptors of the plain functions check the same.
#include <string.h>

void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *__tsan_memset(void *to, int value, size_t size) { return memset(to, value, size); }
