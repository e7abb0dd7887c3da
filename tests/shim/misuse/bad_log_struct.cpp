// error: os_log takes scalars, vectors of them, and pointers
#include <metal_logging>
using namespace metal;

struct Pair {
  int a, b;
};

kernel void k(device Pair *p) {
#ifdef MISUSE
  os_log_default.log("%d", p[0]);
#else
  os_log_default.log("%d", p[0].a);
#endif
}
