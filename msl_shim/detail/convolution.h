// What convolution2d computes: each thread its own elements of the destination, as of a product of matrices.
//
// Matrix.   A row is a pixel of the destination, a column an output channel, and k a place of the window with
//           an input channel. The sum goes through the window row by row, and at each place through the
//           channels: so the weights lie in memory. Each step is matmul2d's, with its types and its rounding.
// Window.   Pixel x of the destination reads the source at x * stride + tap * dilation + offset - center,
//           where center is half of (kernel - 1) * dilation, rounded up. So an offset of 0 is the convolution
//           "same" of an odd window, and an offset of center is "valid", which touches no edge.
// Standing. The center is measured: one report for even windows with dilations, others agree without. The
//           order of the sum is unpublished, and assumed here. relaxed_precision changes nothing.
// Edges.    A pixel outside of the source reads as zero, in the tensor's extents as well as in the
//           descriptor's source_dimensions; one report says that Apple computes wrong values where the tensor
//           is wider than these. What is before the origin of a slice is outside of the slice. Zeros are
//           multiplied: an infinite weight gives a NaN there. Weights of output channels beyond the extents
//           are zero, and what lies beyond the destination's extents is not written. The window's size and a
//           fixed number of input channels are not checked, as matmul2d does not check a fixed depth.
// source:   MSL 4 specification, section 7.2.2; Apple's public headers; the kernels of PyTorch, ccv and
//           mlx-mfa, and what their authors found on Macs.
#pragma once
#pragma clang system_header

#include "matmul.h"

namespace metal {
namespace __assay {

template <class _A, class _W, class _D> inline constexpr bool kConvolutionTypes = false;
#define ASSAY_CONVOLUTION(activation, weights, destination)                                                  \
  template <> inline constexpr bool kConvolutionTypes<activation, weights, destination> = true;
#include "convolution_types.def"
#undef ASSAY_CONVOLUTION

METAL_FUNC int smaller(int a, int b) {
  return a < b ? a : b;
}

/// A tensor {channel, x, y, image} as a matrix: a column for each channel, and a row for each pixel of a grid
/// of Width x Height in every image. The grid's pixels are stepX_ and stepY_ apart.
template <class _T, int Width, int Height> struct PixelOperand {
  typedef remove_cv_t<remove_addrspace_t<_T>> Element;
  TensorElements<_T> elements_;
  long channelStride_, xStride_, yStride_, imageStride_;
  int channels_, width_, height_, images_;
  long firstX_ = 0, firstY_ = 0; // of the grid
  int stepX_ = 1, stepY_ = 1;

  template <class _E, class... _D>
  explicit METAL_FUNC PixelOperand(const tensor<_T, _E, _D...> &t)
      : elements_(t.__assay_elements()), channelStride_(t.get_stride(0)), xStride_(t.get_stride(1)),
        yStride_(t.get_stride(2)), imageStride_(t.get_stride(3)),
        channels_(static_cast<int>(t.get_extent(0))), width_(static_cast<int>(t.get_extent(1))),
        height_(static_cast<int>(t.get_extent(2))), images_(static_cast<int>(t.get_extent(3))) {}

  METAL_FUNC long x(int row) const { return firstX_ + long(row % Width) * stepX_; }
  METAL_FUNC long y(int row) const { return firstY_ + long(row / Width % Height) * stepY_; }
  static METAL_FUNC int image(int row) { return row / (Width * Height); }

  METAL_FUNC bool hasRow(int row) const {
    return (x(row) >= 0) & (x(row) < width_) & (y(row) >= 0) & (y(row) < height_) & (image(row) < images_);
  }
  METAL_FUNC bool hasColumn(int column) const { return column < channels_; }
  METAL_FUNC decltype(auto) at(int row, int column) const {
    return elements_.at(column * channelStride_ + x(row) * xStride_ + y(row) * yStride_ +
                        image(row) * imageStride_);
  }
};

/// What every run() asks of its tensors, without what a tile decides. Each type is without const.
template <class _A, class _W, class _D> constexpr METAL_FUNC void checkImages() {
  static_assert(kIsMemoryOperand<_A> && kIsMemoryOperand<_W>,
                "convolution2d: activation and weights must be tensors; only the destination may be a "
                "cooperative tensor");
  static_assert(_A::extents_type::rank() == 4 && _W::extents_type::rank() == 4 &&
                    _D::extents_type::rank() == 4,
                "convolution2d: tensors must have rank 4");
  static_assert(kConvolutionTypes<typename _A::value_type, typename _W::value_type, typename _D::value_type>,
                "convolution2d does not take this combination of element types");
  checkIndexTypesOfImages<_A, _W, _D>();
}

/// The run of one thread for a tile of Width x Height pixels. The numbers of the descriptor are constants in
/// run(), and need not be.
template <class Layout, int Width, int Height, bool Accumulate, class Descriptor, class _A, class _E,
          class... _D, class _W, class _F, class... _G, class Destination>
METAL_FUNC void convolve(Descriptor d, const tensor<_A, _E, _D...> &activation,
                         const tensor<_W, _F, _G...> &weights, int2 offsets, Destination destination) {
  const long centerX = (long(d.kernel_dimensions.x - 1) * d.dilations.x + 1) / 2;
  const long centerY = (long(d.kernel_dimensions.y - 1) * d.dilations.y + 1) / 2;
  PixelOperand<_A, Width, Height> source(activation);
  source.stepX_ = d.strides.x;
  source.stepY_ = d.strides.y;
  source.width_ = smaller(source.width_, d.source_dimensions.y);
  source.height_ = smaller(source.height_, d.source_dimensions.z);
  source.images_ = smaller(source.images_, d.source_dimensions.w);
  // Of one place of the window: rows are input channels, columns output channels.
  auto taps = operandOf<false>(weights);
  const auto first = taps.elements_;
  const long xStride = weights.get_stride(2), yStride = weights.get_stride(3);
  const int channels =
      isDynamicLength(d.source_dimensions.x) ? smaller(source.channels_, taps.rows_) : d.source_dimensions.x;
  computeBlocks<Accumulate, Layout>(destination, [&](BlockOrigin at, auto *sums) {
    for (int y = 0; y < d.kernel_dimensions.y; ++y)
      for (int x = 0; x < d.kernel_dimensions.x; ++x) {
        source.firstX_ = long(offsets.x) - centerX + long(x) * d.dilations.x;
        source.firstY_ = long(offsets.y) - centerY + long(y) * d.dilations.y;
        taps.elements_ = first.from(x * xStride + y * yStride);
        addProducts<Layout>(source, taps, at, channels, sums);
      }
  });
}

} // namespace __assay
} // namespace metal
