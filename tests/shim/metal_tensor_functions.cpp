// Tensors for metal_tensor_test.cpp: where elements lie, and products of one thread.
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
#include <metal_stdlib>
#include <metal_tensor>

using namespace metal;
using namespace mpp::tensor_ops;

// ---- what holds of types ----

typedef extents<int, 4, dynamic_extent, 6> Mixed;
static_assert(Mixed::rank() == 3 && Mixed::rank_dynamic() == 1);
static_assert(Mixed::static_extent(0) == 4 && Mixed::static_extent(1) == dynamic_extent);
static_assert(Mixed(5).extent(0) == 4 && Mixed(5).extent(1) == 5 && Mixed(5).extent(2) == 6);
static_assert(is_constructible_v<Mixed, long> && !is_convertible_v<long, Mixed>);
static_assert(!is_constructible_v<Mixed, int, int, int> && !is_constructible_v<Mixed, array<int, 1>>);
static_assert(is_convertible_v<Mixed, dextents<uint, 3>> && !is_convertible_v<dextents<uint, 3>, Mixed> &&
              is_constructible_v<Mixed, dextents<uint, 3>> && !is_constructible_v<Mixed, dextents<int, 2>>);
static_assert(dextents<int, 3>(Mixed(9)).extent(1) == 9 && dextents<int, 3>(Mixed(9)) == Mixed(9));
static_assert(!(Mixed(9) == Mixed(8)));
static_assert(is_same_v<dextents<short, 2>, extents<short, dynamic_extent, dynamic_extent>>);
static_assert(is_same_v<extents<int, 1>::size_type, uint>);
static_assert(extents<int>::rank() == 0);

typedef device float *Floats;
typedef decltype(tensor(Floats(), dextents<int, 2>(1, 2))) Packed;
typedef decltype(tensor(Floats(), dextents<int, 2>(1, 2), array<int, 2>({1, 3}))) Strided;
static_assert(is_same_v<Packed, tensor<device float, dextents<int, 2>, tensor_inline>>);
static_assert(is_same_v<Strided, Packed>);
static_assert(is_same_v<Packed::element_type, device float> && is_same_v<Packed::value_type, float>);
static_assert(is_same_v<Packed::tensor_type, Packed>);
static_assert(is_same_v<tensor<const threadgroup half, dextents<int, 1>, tensor_inline>::value_type, half>);
static_assert(Packed::get_rank() == 2);
static_assert(is_same_v<Packed::data_handle_type, device float *> &&
              is_same_v<Packed::reference, device float &>);
static_assert(
    is_same_v<tensor<const constant uint4b_format, dextents<int, 2>, tensor_inline>::data_handle_type,
              const constant uchar *>);
static_assert(extents<int, 4, 5>::rank_dynamic() == 0 && !Packed::has_static_extent(0) &&
              !Packed::has_all_static_extent());
static_assert(is_tensor_inline_v<Packed> && !is_tensor_handle_v<Packed> && !has_tensor_offset_v<Packed>);
typedef tensor<device half, dextents<int, 2>> Bound;
static_assert(is_tensor_handle_v<Bound>);
static_assert(has_tensor_offset_v<decltype(Bound().slice(1, 2))> &&
              is_tensor_handle_v<decltype(Bound().slice(1, 2))>);
static_assert(is_same_v<decltype(Packed().slice<16, dynamic_extent>(1, 2)),
                        tensor<device float, extents<int, 16, dynamic_extent>, tensor_inline>>);

static_assert(is_same_v<execution_simdgroup, execution_simdgroups<1>>);
static_assert(is_same_v<execution_thread, execution_threads<1>>);
static_assert(execution_simdgroups<4>().size() == 4);

typedef matmul2d_descriptor::mode Mode;
template <matmul2d_descriptor::__assay_code Code> struct Coded {
  static constexpr matmul2d_descriptor value = matmul2d_descriptor(Code);
};
typedef Coded<matmul2d_descriptor(2147483647, 3, static_cast<int>(dynamic_extent), true, false, true,
                                  Mode::multiply_accumulate)>
    Wide;
static_assert(Wide::value.m == 2147483647 && Wide::value.n == 3 && Wide::value.k == -1);
static_assert(Wide::value.transpose_left && !Wide::value.transpose_right && Wide::value.relaxed_precision);
static_assert(Wide::value.matmul_mode == Mode::multiply_accumulate);
static_assert(matmul2d<matmul2d_descriptor(16, 32), execution_simdgroup>::descriptor.matmul_mode ==
              Mode::multiply);
static_assert(matmul2d_descriptor(16, 32).k == -1);

// All numbers of a descriptor, and what is not given.
typedef convolution2d_descriptor::mode ConvolutionMode;
constexpr bool are(int4 a, int x, int y, int z, int w) {
  return a.x == x && a.y == y && a.z == z && a.w == w;
}
constexpr bool are(int2 a, int x, int y) {
  return a.x == x && a.y == y;
}
constexpr auto kImages = convolution2d_descriptor(
    int4(1, 2147483647, 3, -4), int4(-1, 6, 7, 8), int2(9, 10), convolution2d_activation_layout::nhwc,
    convolution2d_weights_layout::hwio, int2(11, 12), int2(13, -2147483647 - 1), 15, true,
    ConvolutionMode::multiply_accumulate);
template <convolution2d_descriptor::__assay_code Code> struct CodedImages {
  static constexpr convolution2d_descriptor value = convolution2d_descriptor(Code);
};
typedef CodedImages<kImages> Images;
static_assert(are(Images::value.destination_dimensions, 1, 2147483647, 3, -4));
static_assert(are(Images::value.source_dimensions, -1, 6, 7, 8));
static_assert(are(Images::value.kernel_dimensions, 9, 10) && are(Images::value.strides, 11, 12));
static_assert(are(Images::value.dilations, 13, -2147483647 - 1) && Images::value.groups == 15);
static_assert(Images::value.relaxed_precision);
static_assert(Images::value.conv2d_mode == ConvolutionMode::multiply_accumulate);
constexpr auto kPlain = convolution2d_descriptor(int4(32, 4, 2, 3), int4(8, 4, 2, 3), int2(3, 3));
static_assert(are(kPlain.strides, 1, 1) && are(kPlain.dilations, 1, 1) && kPlain.groups == 1);
static_assert(!kPlain.relaxed_precision && kPlain.conv2d_mode == ConvolutionMode::multiply);
static_assert(kPlain.activation_layout == convolution2d_activation_layout::nhwc &&
              kPlain.weights_layout == convolution2d_weights_layout::hwio);
static_assert(CodedImages<kPlain>::value.conv2d_mode == ConvolutionMode::multiply &&
              !CodedImages<kPlain>::value.relaxed_precision);

typedef tensor<device half, dextents<int, 4>, tensor_inline> Halves;
typedef convolution2d<kPlain, execution_simdgroups<2>> Convolution;
typedef Convolution::cooperative_tensor_destination_t<Halves, Halves, float, short> Held;
static_assert(
    is_same_v<Held,
              decltype(Convolution().get_destination_cooperative_tensor<Halves, Halves, float, short>())>);
static_assert(is_cooperative_tensor_v<const Held> && !is_cooperative_tensor<int>::value);
static_assert(Held::get_rank() == 4 && is_same_v<Held::index_type, short>);
static_assert(Held::get_static_extent(0) == 32 && Held::get_static_extent(1) == 4);
static_assert(Held::get_static_extent(2) == 2 && Held::get_static_extent(3) == 3);
static_assert(sizeof(Held) == 16 * sizeof(float)); // of four fragments of 256 for two simdgroups

// ---- where elements lie ----

extern "C" int shim_tensor_packed(device int *data, int i, int j, int k) {
  return tensor(data, dextents<int, 3>(5, 4, 3)).get(i, j, k);
}
extern "C" int shim_tensor_strided(device int *data, int i, int j) {
  auto t = tensor(data, dextents<int, 2>(5, 4), array<long, 2>({2, 11}));
  return t[array<int, 2>{i, j}];
}
extern "C" void shim_tensor_sizes(device int *data, int i, int j, device int *out) {
  auto all = tensor(data, dextents<int, 2>(5, 4), array<int, 2>({1, 7}));
  auto part = all.slice(i, j);
  auto fixed = all.slice<2, dynamic_extent>(i, j);
  out[0] = part.get_extent(0);
  out[1] = part.get_extent(1);
  out[2] = part.get_stride(0);
  out[3] = part.get_stride(1);
  out[4] = fixed.get_extent(0);
  out[5] = fixed.get_extent(1);
}
extern "C" int shim_tensor_slice_of_slice(device int *data, int i, int j) {
  return tensor(data, dextents<int, 2>(20, 10)).slice(3, 2).slice<4, 4>(1, 5).get(i, j);
}
extern "C" void shim_tensor_write(device int *data, int i, int value) {
  auto t = tensor(data, dextents<int, 1>(10));
  t[i] = value;
  t.set(-value, i + 1);
  t.set(value, 10); // not in the tensor
  t.set(value, array<int, 1>{-1});
}

// Of 1 x 4 elements, whose only column stands for all columns.
extern "C" int shim_tensor_repeated(device int *data, int i, int j) {
  return tensor(data, dextents<int, 2>(1, 4)).get(i, j) * 1000 +
         tensor(data, dextents<int, 2>(1, 4)).get(array<long, 2>{i, j});
}

// As the front end writes t[i, j].
extern "C" int shim_tensor_subscript(device int *data, int i, short j) {
  auto t = tensor(data, dextents<int, 2>(5, 4), array<long, 2>({2, 11}));
  return t[__assay_tensor_indices(i, j)];
}
extern "C" int shim_tensor_load(device int *data, int i, long j) {
  auto t = tensor(data, dextents<int, 2>(5, 4), array<long, 2>({2, 11}));
  const int byIndices = t.load(i, j);
  return byIndices == t.load(array<long, 2>{i, j}) ? byIndices : -1;
}
// Its second dimension has one element.
extern "C" int shim_tensor_get(device int *data, int i, long j) {
  auto t = tensor(data, dextents<int, 2>(5, 1), array<long, 2>({2, 11}));
  const int byIndices = t.get(i, j);
  return byIndices == t.get(array<long, 2>{i, j}) ? byIndices : -1;
}
extern "C" void shim_tensor_store(device int *data, uint i, int j, int value) {
  auto t = tensor(data, dextents<int, 2>(5, 4), array<long, 2>({2, 11})).slice(1, 0);
  t.store(value, i, j);
  t.set(-value, array<int, 2>{int(i) + 1, j});
}

// ---- a product of one thread ----

extern "C" void shim_matmul_thread(device float *a, device float *b, device float *c) {
  constexpr auto descriptor = matmul2d_descriptor(4, 8, static_cast<int>(dynamic_extent), false, true, false,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_thread> op;
  auto left = tensor(a, dextents<int, 2>(4, 3)), right = tensor(b, dextents<int, 2>(4, 5));
  auto sum = tensor(c, dextents<int, 2>(5, 3));
  op.run(left, right, sum);
}
