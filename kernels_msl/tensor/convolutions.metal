// Convolutions of images by convolution2d: windows of any size, strides, dilations and offsets, with edges,
// with destinations in memory and spread over the threads of a threadgroup.
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
using namespace mpp::tensor_ops;

// Pixels are `pixel` elements apart in the source, and `toPixel` in the destination.
struct Sizes {
  int channels, width, height, pixel;
  int toChannels, toWidth, toHeight, toPixel;
  int offsetX, offsetY; // of the destination's pixel 0, 0
};

template <typename T>
auto imagesOf(device T *data, int channels, int width, int height, int images, int pixel) {
  return tensor(data, dextents<int, 4>(channels, width, height, images),
                array<int, 4>({1, pixel, pixel * width, pixel * width * height}));
}

template <int W, int H> struct Pair {
  static constexpr constant int x = W, y = H;
};
template <int O, int W, int H, int N> struct Tile {
  static constexpr constant int channels = O, width = W, height = H, images = N;
};

// Each threadgroup computes the tile at its position. C: input channels, or -1. Cooperative: the destination
// is loaded, if it is added to, and stored.
template <typename A, typename W, typename D, class To, int C, class Window, class Stride, class Dilation,
          bool Accumulate, bool Cooperative, int Simdgroups>
kernel void convolution(device A *source [[buffer(0)]], device W *weights [[buffer(1)]],
                        device D *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                        uint3 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = convolution2d_descriptor(
      int4(To::channels, To::width, To::height, To::images), int4(C, 64, 64, To::images),
      int2(Window::x, Window::y), convolution2d_activation_layout::nhwc, convolution2d_weights_layout::hwio,
      int2(Stride::x, Stride::y), int2(Dilation::x, Dilation::y), 1, false,
      Accumulate ? convolution2d_descriptor::mode::multiply_accumulate
                 : convolution2d_descriptor::mode::multiply);
  convolution2d<descriptor, execution_simdgroups<Simdgroups>> op;
  const int x = group.x * To::width, y = group.y * To::height, channel = group.z * To::channels;
  op.set_offsets(int2(s.offsetX + x * Stride::x, s.offsetY + y * Stride::y));
  auto a = imagesOf(source, s.channels, s.width, s.height, To::images, s.pixel);
  auto w = tensor(weights, dextents<int, 4>(s.toChannels, s.channels, Window::x, Window::y))
               .slice(channel, 0, 0, 0);
  auto to = imagesOf(destination, s.toChannels, s.toWidth, s.toHeight, To::images, s.toPixel)
                .slice(channel, x, y, 0);
  if constexpr (Cooperative) {
    auto sum = op.template get_destination_cooperative_tensor<decltype(a), decltype(w), D>();
    if (Accumulate) {
      sum.load(to);
      threadgroup_barrier(mem_flags::mem_device); // an only row or column is loaded by all threads
    }
    op.run(a, w, sum);
    sum.store(to);
  } else {
    op.run(a, w, to);
  }
}

#define CONVOLUTION(name, A, W, D, ...)                                                                      \
  template [[host_name(name)]] kernel void convolution<A, W, D, __VA_ARGS__>(                                \
      device A * source, device W * weights, device D * destination, constant Sizes & s, uint3 group);
#define TILE(...) Tile<__VA_ARGS__>
#define PAIR(...) Pair<__VA_ARGS__>

CONVOLUTION("same", float, float, float, TILE(16, 8, 4, 1), -1, PAIR(3, 3), PAIR(1, 1), PAIR(1, 1), false,
            false, 1)
CONVOLUTION("pointwise", float, float, float, TILE(32, 16, 1, 1), 24, PAIR(1, 1), PAIR(1, 1), PAIR(1, 1),
            false, true, 1)
CONVOLUTION("strided", float, float, float, TILE(16, 8, 8, 1), 8, PAIR(5, 3), PAIR(2, 3), PAIR(1, 1), true,
            true, 2)
CONVOLUTION("dilated", float, float, float, TILE(32, 8, 8, 1), -1, PAIR(2, 4), PAIR(1, 1), PAIR(2, 3), true,
            false, 4)
CONVOLUTION("all", float, float, float, TILE(16, 4, 4, 1), -1, PAIR(4, 2), PAIR(3, 2), PAIR(1, 5), false,
            true, 4)
CONVOLUTION("odd", float, float, float, TILE(11, 5, 3, 1), 7, PAIR(3, 3), PAIR(1, 1), PAIR(1, 1), true, true,
            4)
CONVOLUTION("odd_in_memory", float, float, float, TILE(11, 5, 3, 1), 7, PAIR(3, 3), PAIR(1, 1), PAIR(1, 1),
            true, false, 2)
CONVOLUTION("images", float, float, float, TILE(8, 4, 3, 3), 5, PAIR(3, 3), PAIR(1, 1), PAIR(1, 1), true,
            true, 2)
CONVOLUTION("images_in_memory", float, float, float, TILE(8, 4, 3, 3), 5, PAIR(3, 3), PAIR(1, 1), PAIR(1, 1),
            false, false, 1)

#define TYPES(name, A, W, D, Cooperative)                                                                    \
  CONVOLUTION(name, A, W, D, TILE(16, 4, 4, 1), -1, PAIR(3, 2), PAIR(1, 1), PAIR(1, 1), true, Cooperative, 1)
TYPES("half_to_half", half, half, half, true)
TYPES("half_to_float", half, half, float, false)
TYPES("bfloat_to_bfloat", bfloat, bfloat, bfloat, true)
TYPES("bfloat_to_float", bfloat, bfloat, float, false)
TYPES("char_to_int", int8_t, int8_t, int, true)
TYPES("char_uchar_to_float", int8_t, uint8_t, float, false)
TYPES("uchar_char_to_half", uint8_t, int8_t, half, true)
TYPES("uchar_to_int", uint8_t, uint8_t, int, false)

// The descriptor of the type has other dimensions of the source than the one that the run is given.
kernel void by_size(device float *source [[buffer(0)]], device float *weights [[buffer(1)]],
                    device float *destination [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                    uint3 group [[threadgroup_position_in_grid]]) {
  constexpr auto descriptor = convolution2d_descriptor(
      int4(8, 4, 4, 1), int4(2, 4, 4, 1), int2(3, 2), convolution2d_activation_layout::nhwc,
      convolution2d_weights_layout::hwio, int2(2, 1), int2(1, 2), 1, false,
      convolution2d_descriptor::mode::multiply_accumulate);
  convolution2d<descriptor, execution_simdgroups<2>> op;
  auto a = imagesOf(source, s.channels, s.width, s.height, 1, s.pixel);
  const int x = group.x * 4, y = group.y * 4, channel = group.z * 8;
  auto w = tensor(weights, dextents<int, 4>(s.toChannels, s.channels, 3, 2)).slice(channel, 0, 0, 0);
  auto to = imagesOf(destination, s.toChannels, s.toWidth, s.toHeight, 1, s.toPixel).slice(channel, x, y, 0);
  auto sum = op.get_destination_cooperative_tensor<decltype(a), decltype(w), float>();
  sum.load(to);
  threadgroup_barrier(mem_flags::mem_device);
  convolution2d_descriptor sized = descriptor;
  sized.source_dimensions = int4(s.channels, s.width, s.height, 1);
  int2 offsets(s.offsetX + x * 2, s.offsetY + y);
  typedef decltype(sum) Sum;
  __convolution2d_detail::__run<execution_simdgroups<2>, decltype(a), decltype(w), Sum>(a, w, sum, sized,
                                                                                        offsets);
  sum.store(to);
}

// A bias for each output channel, another for each row of pixels, and the larger of the sum and zero.
kernel void bias_and_limit(device half *source [[buffer(0)]], device half *weights [[buffer(1)]],
                           device half *destination [[buffer(2)]], device half *bias [[buffer(3)]],
                           device half *ofRows [[buffer(4)]]) {
  constexpr auto descriptor = convolution2d_descriptor(int4(12, 4, 4, 1), int4(8, 4, 4, 1), int2(3, 3));
  convolution2d<descriptor, execution_simdgroups<2>> op;
  auto a = tensor(source, extents<int, 8, 4, 4, 1>());
  auto w = tensor(weights, extents<int, 12, 8, 3, 3>());
  auto sum = op.get_destination_cooperative_tensor<decltype(a), decltype(w), half>();
  auto biases = op.get_destination_cooperative_tensor<decltype(a), decltype(w), half>();
  auto rows = op.get_destination_cooperative_tensor<decltype(a), decltype(w), half>();
  biases.load(tensor(bias, dextents<int, 1>(10))); // the last two channels have none
  rows.load(tensor(ofRows, dextents<int, 4>(1, 1, 4, 1)));
  op.run(a, w, sum);
  for (ushort i = 0; i < sum.get_capacity(); ++i)
    if (sum.is_valid_element(i))
      sum[i] = max(half(sum[i] + biases[i] + rows[i]), 0.0h);
  sum.store(tensor(destination, dextents<int, 4>(12, 4, 4, 1)));
}

// Tiles in threadgroup memory: source, weights and destination.
kernel void in_threadgroup(device float *source [[buffer(0)]], device float *weights [[buffer(1)]],
                           device float *destination [[buffer(2)]],
                           uint index [[thread_index_in_threadgroup]]) {
  threadgroup float a[6 * 6 * 4], w[3 * 3 * 4 * 8], to[4 * 4 * 8];
  for (uint i = index; i < 6 * 6 * 4; i += 64)
    a[i] = source[i];
  for (uint i = index; i < 3 * 3 * 4 * 8; i += 64)
    w[i] = weights[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  constexpr auto descriptor = convolution2d_descriptor(int4(8, 4, 4, 1), int4(4, 6, 6, 1), int2(3, 3));
  convolution2d<descriptor, execution_simdgroups<2>> op;
  op.set_offsets(int2(1, 1));
  auto activation = tensor(a, dextents<int, 4>(4, 6, 6, 1));
  auto window = tensor(w, dextents<int, 4>(8, 4, 3, 3));
  auto sum = tensor(to, dextents<int, 4>(8, 4, 4, 1));
  op.run(activation, window, sum);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = index; i < 4 * 4 * 8; i += 64)
    destination[i] = to[i];
}

// A source of 8 x 8 pixels of one channel, from which the window adds up five neighbours of a row. First the
// whole is the source, then a slice that begins at x = 2, then a descriptor that ends at x = 5.
kernel void edges(device float *source [[buffer(0)]], device float *weights [[buffer(1)]],
                  device float *whole [[buffer(2)]], device float *part [[buffer(3)]],
                  device float *narrow [[buffer(4)]]) {
  constexpr auto all = convolution2d_descriptor(int4(1, 8, 8, 1), int4(1, 8, 8, 1), int2(5, 1));
  constexpr auto five = convolution2d_descriptor(int4(1, 8, 8, 1), int4(1, 5, 8, 1), int2(5, 1));
  convolution2d<all, execution_simdgroup> op;
  convolution2d<five, execution_simdgroup> less;
  auto a = tensor(source, dextents<int, 4>(1, 8, 8, 1));
  auto w = tensor(weights, dextents<int, 4>(1, 1, 5, 1));
  auto slice = a.slice(0, 2, 0, 0);
  auto toWhole = tensor(whole, dextents<int, 4>(1, 8, 8, 1));
  auto toPart = tensor(part, dextents<int, 4>(1, 8, 8, 1));
  auto toNarrow = tensor(narrow, dextents<int, 4>(1, 8, 8, 1));
  op.run(a, w, toWhole);
  op.run(slice, w, toPart);
  less.run(a, w, toNarrow);
}

// Who holds what: for each thread and place {channel, x, y, image, valid}.
template <class To, int Simdgroups>
kernel void places(device int *out [[buffer(0)]], uint index [[thread_index_in_threadgroup]]) {
  constexpr auto descriptor = convolution2d_descriptor(int4(To::channels, To::width, To::height, To::images),
                                                       int4(8, 8, 8, To::images), int2(3, 3));
  convolution2d<descriptor, execution_simdgroups<Simdgroups>> op;
  typedef tensor<device float, dextents<int, 4>, tensor_inline> Images;
  auto sum = op.template get_destination_cooperative_tensor<Images, Images, float>();
  device int *to = out + 5 * index * sum.get_capacity();
  for (auto it = sum.begin(); it != sum.end(); ++it) {
    const auto at = it.get_multidimensional_index();
    for (int r = 0; r < 4; ++r)
      *to++ = at[r];
    *to++ = it.is_valid_element();
  }
}
template [[host_name("places_of_an_image")]] kernel void places<Tile<32, 8, 4, 1>, 2>(device int *, uint);
template [[host_name("places_of_images")]] kernel void places<Tile<11, 5, 3, 2>, 3>(device int *, uint);
