// Twins whose elements have nothing to do with one another: saxpy, and the Mandelbrot set, whose points take
// different numbers of steps.
#include "by_hand.h"
#include "twin.h"

#include "tests/support/kernel_data.h"

namespace assay::twins {

using testing_support::uniformFloats;

Twin saxpy(Scale scale) {
  const uint32_t count = scale == Scale::Full ? 1 << 20 : 1000;
  const float a = 0.75f;
  const auto x = uniformFloats(count, 1), y = uniformFloats(count, 2);
  Twin twin{.name = "saxpy", .metalFile = "kernels_msl/basics/saxpy.metal", .kernel = "saxpy"};
  twin.arguments = {value(a), value(count), buffer(x), buffer(y)};
  twin.result = 3;
  twin.metal = twin.opencl = {{(count + 255) / 256}, {256}};
  twin.byHand = [](Arguments &args) {
    saxpyByHand(args[0].as<float>()[0], args[1].as<uint32_t>()[0], args[2].as<float>().data(),
                args[3].as<float>().data());
  };
  for (uint32_t i = 0; i < count; ++i)
    twin.expected.push_back(double(a) * x[i] + y[i]);
  twin.tolerance = 1e-6;
  return twin;
}

namespace {

double steps(double cx, double cy, uint32_t most) {
  double x = 0, y = 0;
  uint32_t count = 0;
  for (; count < most && x * x + y * y < 4; ++count) {
    const double next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
  }
  return count;
}

} // namespace

Twin mandelbrot(Scale scale) {
  const uint32_t size = scale == Scale::Full ? 512 : 32, most = scale == Scale::Full ? 256 : 40;
  Twin twin{.name = "mandelbrot", .metalFile = "bench/twins/mandelbrot.metal", .kernel = "mandelbrot"};
  twin.arguments = {room(size_t(4) * size * size), value(size), value(most)};
  twin.element = Element::Count;
  twin.metal = twin.opencl = {{size / 32, size / 8}, {32, 8}};
  twin.byHand = [](Arguments &args) {
    const uint32_t side = args[1].as<uint32_t>()[0];
    mandelbrotByHand(side, side, args[2].as<uint32_t>()[0], args[0].as<uint32_t>().data());
  };
  for (uint32_t row = 0; row < size; ++row)
    for (uint32_t column = 0; column < size; ++column)
      twin.expected.push_back(steps(-2.2 + 3.2 * column / size, -1.5 + 3.0 * row / size, most));
  // Beside the border of the set the last bit of a product decides how long a point stays.
  twin.mayDiffer = 0.02;
  return twin;
}

} // namespace assay::twins
