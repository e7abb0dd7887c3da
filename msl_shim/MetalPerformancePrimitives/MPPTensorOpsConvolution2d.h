// mpp::tensor_ops::convolution2d: the convolution of images with a window, by the threads of a threadgroup.
// detail/convolution.h says what it computes, detail/cooperative_layout.h which thread holds which element.
//
// Dimension 0 of a tensor is the innermost: an activation has {channel, x, y, image}, weights have {output
// channel, input channel, x, y}, a destination has {output channel, x, y, image}. The destination's
// dimensions in the descriptor are those of one run, so of the tile of a threadgroup.
//
// The descriptor is a number as a template argument, for the reason that MPPTensorOpsMatMul2d.h gives. It has
// fifteen integers, so the number has 512 bits.
//
// source: MSL 4 specification, section 7.2.2; Apple's public header of this name; kernels of PyTorch.
#pragma once
#pragma clang system_header

#if __cplusplus >= 201703L // before Metal 4 there are no tensors, and these headers are empty

#include "../detail/convolution.h"
#include "../detail/execution_units.h"

namespace mpp {
namespace tensor_ops {

enum class convolution2d_activation_layout { nhwc };
enum class convolution2d_weights_layout { hwio };

struct convolution2d_descriptor {
  enum class mode { multiply, multiply_accumulate };
  typedef unsigned _BitInt(512) __assay_code;

  metal::int4 destination_dimensions; // output channels, width, height, images
  metal::int4 source_dimensions;      // input channels, width, height, images
  metal::int2 kernel_dimensions;      // width, height
  convolution2d_activation_layout activation_layout;
  convolution2d_weights_layout weights_layout;
  metal::int2 strides, dilations;
  int groups;
  bool relaxed_precision;
  mode conv2d_mode;

  constexpr METAL_FUNC convolution2d_descriptor(
      metal::int4 destination_dimensions, metal::int4 source_dimensions, metal::int2 kernel_dimensions,
      convolution2d_activation_layout activation_layout = convolution2d_activation_layout::nhwc,
      convolution2d_weights_layout weights_layout = convolution2d_weights_layout::hwio,
      metal::int2 strides = metal::int2(1, 1), metal::int2 dilations = metal::int2(1, 1), int groups = 1,
      bool relaxed_precision = false, mode convolution2d_mode = mode::multiply)
      : destination_dimensions(destination_dimensions), source_dimensions(source_dimensions),
        kernel_dimensions(kernel_dimensions), activation_layout(activation_layout),
        weights_layout(weights_layout), strides(strides), dilations(dilations), groups(groups),
        relaxed_precision(relaxed_precision), conv2d_mode(convolution2d_mode) {}

  constexpr METAL_FUNC operator __assay_code() const {
    const int numbers[] = {destination_dimensions.x,
                           destination_dimensions.y,
                           destination_dimensions.z,
                           destination_dimensions.w,
                           source_dimensions.x,
                           source_dimensions.y,
                           source_dimensions.z,
                           source_dimensions.w,
                           kernel_dimensions.x,
                           kernel_dimensions.y,
                           strides.x,
                           strides.y,
                           dilations.x,
                           dilations.y,
                           groups};
    __assay_code code = relaxed_precision | (conv2d_mode == mode::multiply_accumulate) << 1;
    for (const int number : numbers)
      code = code << 32 | static_cast<unsigned>(number);
    return code;
  }
  explicit constexpr METAL_FUNC convolution2d_descriptor(__assay_code code)
      : destination_dimensions(at(code, 0), at(code, 1), at(code, 2), at(code, 3)),
        source_dimensions(at(code, 4), at(code, 5), at(code, 6), at(code, 7)),
        kernel_dimensions(at(code, 8), at(code, 9)), activation_layout(convolution2d_activation_layout::nhwc),
        weights_layout(convolution2d_weights_layout::hwio), strides(at(code, 10), at(code, 11)),
        dilations(at(code, 12), at(code, 13)), groups(at(code, 14)),
        relaxed_precision((code >> 480 & 1) != 0),
        conv2d_mode((code >> 481 & 1) != 0 ? mode::multiply_accumulate : mode::multiply) {}

private:
  static constexpr METAL_FUNC int at(__assay_code code, int number) {
    return static_cast<int>(static_cast<unsigned>(code >> (14 - number) * 32));
  }
};

template <convolution2d_descriptor::__assay_code Descriptor, class Scope, class... Args> class convolution2d {
  static_assert(metal::is_execution_simdgroups_v<Scope>,
                "convolution2d: the scope must be execution_simdgroups<N>, with all simdgroups of the "
                "threadgroup");

public:
  static constexpr convolution2d_descriptor descriptor = convolution2d_descriptor(Descriptor);
  typedef Scope scope;

private:
  static constexpr metal::int4 kTo = descriptor.destination_dimensions, kFrom = descriptor.source_dimensions;
  static_assert(kTo.x > 0 && kTo.y > 0 && kTo.z > 0 && kTo.w > 0,
                "convolution2d: the dimensions of the destination must be above 0");
  static_assert(kFrom.x > 0 || metal::__assay::isDynamicLength(kFrom.x),
                "convolution2d: the source's channels must be above 0, or -1 for those of the tensors");
  static_assert(kFrom.y > 0 && kFrom.z > 0 && kFrom.w > 0,
                "convolution2d: width, height and batch of the source must be above 0; only its channels may "
                "be dynamic");
  static_assert(kTo.w == kFrom.w, "convolution2d: source and destination must have the same batch");
  static_assert(descriptor.kernel_dimensions.x > 0 && descriptor.kernel_dimensions.y > 0,
                "convolution2d: the dimensions of the kernel must be above 0");
  static_assert(descriptor.strides.x > 0 && descriptor.strides.y > 0 && descriptor.dilations.x > 0 &&
                    descriptor.dilations.y > 0,
                "convolution2d: strides and dilations must be above 0");
  static_assert(descriptor.groups == 1,
                "convolution2d: groups must be 1, as in Apple's; run it for the channels of each group");
  static constexpr long kMost = 1 << 30;
  static_assert(kTo.x <= kMost && kTo.y <= kMost && kTo.z <= kMost && kTo.w <= kMost &&
                    long(kTo.y) * kTo.z <= kMost && long(kTo.y) * kTo.z * kTo.w <= kMost &&
                    long(kTo.y) * kTo.z * kTo.w * kTo.x <= kMost,
                "convolution2d: the destination must not have more than 1,073,741,824 elements");

  typedef typename metal::__assay::LayoutOf<kTo.y * kTo.z * kTo.w, kTo.x, Scope>::type Layout;

public:
  template <class Activation, class Weights, class Element, class Coord = int, class...>
  using cooperative_tensor_destination_t =
      metal::cooperative_tensor<Element, metal::extents<Coord, kTo.x, kTo.y, kTo.z, kTo.w>, Layout>;

  /// Where the window begins; detail/convolution.h says what is at 0.
  METAL_FUNC void set_offsets(metal::int2 offsets) { offsets_ = offsets; }

  /// Activation and Weights: the types of both tensors. Zero until run() or the program writes it.
  template <class Activation, class Weights, class Element, class Coord = int, class...>
  METAL_FUNC cooperative_tensor_destination_t<Activation, Weights, Element, Coord>
  get_destination_cooperative_tensor() const {
    static_assert(metal::__assay::kIsMemoryOperand<Activation> && metal::__assay::kIsMemoryOperand<Weights>,
                  "convolution2d: get_destination_cooperative_tensor takes the types of both tensors, not "
                  "their element types");
    static_assert(metal::is_same_v<Element, float> || metal::is_same_v<Element, half> ||
                      metal::is_same_v<Element, bfloat> || metal::is_same_v<Element, int>,
                  "convolution2d: a cooperative tensor has elements of float, half, bfloat or int");
    return {};
  }

  /// All threads of the threadgroup together. See detail/convolution.h.
  template <class Activation, class Weights, class Destination>
  METAL_FUNC void run(Activation &activation, Weights &weights, Destination &destination) const {
    typedef metal::remove_cv_t<Activation> _A;
    typedef metal::remove_cv_t<Weights> _W;
    typedef metal::remove_cv_t<Destination> _D;
    static_assert(metal::__assay::kIsOperand<_D>,
                  "convolution2d: the destination must be a tensor or a cooperative tensor");
    metal::__assay::checkImages<_A, _W, _D>();
    if constexpr (metal::__assay::kIsCooperative<_D>)
      static_assert(
          metal::is_same_v<
              _D, cooperative_tensor_destination_t<_A, _W, typename _D::value_type, typename _D::index_type>>,
          "convolution2d: the destination cooperative tensor is that of another operation");
    checkSpace<_A>();
    checkSpace<_W>();
    checkSpace<_D>();
    metal::__assay::requireThreadgroupOf<Scope>("convolution2d");
    constexpr bool kAccumulate =
        descriptor.conv2d_mode == convolution2d_descriptor::mode::multiply_accumulate;
    metal::__assay::convolve<Layout, kTo.y, kTo.z, kAccumulate>(descriptor, activation, weights, offsets_,
                                                                to(destination));
  }

private:
  template <class _T> static METAL_FUNC constexpr void checkSpace() {
    if constexpr (!metal::__assay::kIsCooperative<_T>)
      static_assert(metal::__assay::kInDeviceOrThreadgroup<typename _T::element_type>,
                    "convolution2d: tensors must be in device or threadgroup memory, and one has elements "
                    "of $1");
  }
  template <class _T, class _E, class... _D>
  static METAL_FUNC auto to(const metal::tensor<_T, _E, _D...> &t) {
    typedef metal::__assay::PixelOperand<_T, kTo.y, kTo.z> Operand;
    return metal::__assay::MemoryDestination<Operand, Layout>{Operand(t)};
  }
  template <class _T, class _E, class _L>
  static METAL_FUNC auto to(metal::cooperative_tensor<_T, _E, _L> &t) {
    return metal::__assay::destinationOf<_L>(t);
  }

  metal::int2 offsets_ = metal::int2(0);
};

// What run() calls in Apple's header. Its descriptor is a value, so that programs give the dimensions of the
// source when they run (tgo-app-dev/vpipe, conv2d_mma.metal). The tile is that of the cooperative tensor.
namespace __convolution2d_detail {

template <class Scope, class Activation, class Weights, class _T, class Coord, size_t Channels, size_t Width,
          size_t Height, size_t Images, class Layout>
METAL_FUNC void run(Activation &activation, Weights &weights,
                    metal::cooperative_tensor<_T, metal::extents<Coord, Channels, Width, Height, Images>,
                                              Layout> &destination,
                    const convolution2d_descriptor &descriptor, metal::int2 offsets) {
  metal::__assay::checkImages<
      metal::remove_cv_t<Activation>, metal::remove_cv_t<Weights>,
      metal::cooperative_tensor<_T, metal::extents<Coord, Channels, Width, Height, Images>, Layout>>();
  metal::__assay::requireThreadgroupOf<Scope>("convolution2d");
  const auto to = metal::__assay::destinationOf<Layout>(destination);
  if (descriptor.conv2d_mode == convolution2d_descriptor::mode::multiply_accumulate)
    metal::__assay::convolve<Layout, int(Width), int(Height), true>(descriptor, activation, weights, offsets,
                                                                    to);
  else
    metal::__assay::convolve<Layout, int(Width), int(Height), false>(descriptor, activation, weights, offsets,
                                                                     to);
}

template <class Scope, class Activation, class Weights, class Destination>
METAL_FUNC void __run(Activation &activation, Weights &weights, Destination &destination,
                      const convolution2d_descriptor &descriptor, metal::int2 offsets) {
  static_assert(metal::__assay::kIsCooperative<Destination>,
                "convolution2d: __run takes a cooperative tensor as its destination here");
  run<Scope>(activation, weights, destination, descriptor, offsets);
}

} // namespace __convolution2d_detail

} // namespace tensor_ops
} // namespace mpp

#endif
