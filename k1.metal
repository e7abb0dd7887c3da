#include <metal_stdlib>
using namespace metal;
struct A { int v; int g() const { return 4; } int g() const device { return 5; } int g() { return 1; } int g() device { return 2; } };
kernel void k(device int *o, device A *a) { A w = a[1]; o[0] = w.g(); }
