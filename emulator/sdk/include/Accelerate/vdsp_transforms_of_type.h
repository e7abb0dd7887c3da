// vDSP's complex numbers and transforms of one type; vDSP.h includes this for float and for double.
//
// A split complex vector has its real and its imaginary parts in two arrays. A real transform takes N numbers
// as N / 2 complex ones: even ones are real parts, odd ones imaginary parts. It gives the first N / 2
// results. The next result is real, as the first one is, and is in the imaginary part of the first. Complex
// transforms have no scale factor. Real ones have the factor 2 forward and 1 inverse: both one after the
// other give 2 N times the input.
// source: Apple, "vDSP Programming Guide", sections on data packing and scaling

#define ASSAY_T ASSAY_VDSP_TYPE

// C[n] and Z[n]. The stride of C counts real numbers: it is 2 for neighbours.
static inline void ASSAY_VDSP(ctoz)(const ASSAY_COMPLEX *C, vDSP_Stride IC, const ASSAY_SPLIT *Z,
                                    vDSP_Stride IZ, vDSP_Length N) {
  for (vDSP_Length n = 0; n < N; ++n) {
    Z->realp[(vDSP_Stride)n * IZ] = C[(vDSP_Stride)n * IC / 2].real;
    Z->imagp[(vDSP_Stride)n * IZ] = C[(vDSP_Stride)n * IC / 2].imag;
  }
}
static inline void ASSAY_VDSP(ztoc)(const ASSAY_SPLIT *Z, vDSP_Stride IZ, ASSAY_COMPLEX *C, vDSP_Stride IC,
                                    vDSP_Length N) {
  for (vDSP_Length n = 0; n < N; ++n) {
    C[(vDSP_Stride)n * IC / 2].real = Z->realp[(vDSP_Stride)n * IZ];
    C[(vDSP_Stride)n * IC / 2].imag = Z->imagp[(vDSP_Stride)n * IZ];
  }
}

// C[n] is real: of a complex number `re` + i `im`.
#define ASSAY_OF_COMPLEX(name, value)                                                                        \
  static inline void ASSAY_VDSP(name)(const ASSAY_SPLIT *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Stride IC,      \
                                      vDSP_Length N) {                                                       \
    for (vDSP_Length n = 0; n < N; ++n) {                                                                    \
      const ASSAY_T re = A->realp[(vDSP_Stride)n * IA], im = A->imagp[(vDSP_Stride)n * IA];                  \
      C[(vDSP_Stride)n * IC] = (value);                                                                      \
    }                                                                                                        \
  }
ASSAY_OF_COMPLEX(zvabs, ASSAY_VDSP_MATH(hypot)(re, im))
ASSAY_OF_COMPLEX(zvmags, re *re + im * im)
ASSAY_OF_COMPLEX(zvphas, ASSAY_VDSP_MATH(atan2)(im, re))
#undef ASSAY_OF_COMPLEX

// Transforms.

#ifdef __cplusplus
#define ASSAY_SETUP_OF(setup) reinterpret_cast<const assay_vdsp_setup *>(setup)
#else
#define ASSAY_SETUP_OF(setup) ((const struct assay_vdsp_setup *)(setup))
#endif

/// Null for a radix other than kFFTRadix2: transforms of 3 * 2^n and 5 * 2^n numbers are vDSP_DFT's.
static inline ASSAY_SETUP ASSAY_VDSP(create_fftsetup)(vDSP_Length Log2N, FFTRadix Radix) {
  return Radix == kFFTRadix2 && Log2N < 32 ? (ASSAY_SETUP)assay_vdsp_create(1ul << Log2N, 0, 0) : NULL;
}
static inline void ASSAY_VDSP(destroy_fftsetup)(ASSAY_SETUP Setup) {
  free((void *)Setup);
}

// Complex numbers, from A to C, which may be one.
static inline void ASSAY_VDSP(assay_complex)(const struct assay_vdsp_setup *setup, const ASSAY_T *realA,
                                             const ASSAY_T *imagA, vDSP_Stride IA, ASSAY_T *realC,
                                             ASSAY_T *imagC, vDSP_Stride IC, vDSP_Length N, int direction) {
  struct assay_vdsp_complex *in = assay_vdsp_room(N), *out = in + N;
  for (vDSP_Length n = 0; n < N; ++n) {
    in[n].re = realA[(vDSP_Stride)n * IA];
    in[n].im = imagA[(vDSP_Stride)n * IA];
  }
  assay_vdsp_transform(setup, direction, N, in, out);
  for (vDSP_Length n = 0; n < N; ++n) {
    realC[(vDSP_Stride)n * IC] = (ASSAY_T)out[n].re;
    imagC[(vDSP_Stride)n * IC] = (ASSAY_T)out[n].im;
  }
  free(in);
}

// N real numbers, as N / 2 pairs.
static inline void ASSAY_VDSP(assay_real)(const struct assay_vdsp_setup *setup, const ASSAY_T *realA,
                                          const ASSAY_T *imagA, vDSP_Stride IA, ASSAY_T *realC,
                                          ASSAY_T *imagC, vDSP_Stride IC, vDSP_Length N, int direction) {
  struct assay_vdsp_complex *in = assay_vdsp_room(N), *out = in + N;
  const vDSP_Length half = N / 2;
  for (vDSP_Length n = 0; n < half; ++n) {
    const double re = realA[(vDSP_Stride)n * IA], im = imagA[(vDSP_Stride)n * IA];
    if (direction > 0) {
      in[2 * n].re = re;
      in[2 * n + 1].re = im;
      in[2 * n].im = in[2 * n + 1].im = 0;
    } else if (n == 0) {
      in[0].re = re;
      in[half].re = im;
      in[0].im = in[half].im = 0;
    } else { // what belongs to real numbers: the other half is conjugate
      in[n].re = in[N - n].re = re;
      in[n].im = im;
      in[N - n].im = -im;
    }
  }
  assay_vdsp_transform(setup, direction, N, in, out);
  for (vDSP_Length n = 0; n < half; ++n) {
    const double re = direction < 0 ? out[2 * n].re : 2 * out[n].re;
    const double im = direction < 0 ? out[2 * n + 1].re : 2 * (n == 0 ? out[half].re : out[n].im);
    realC[(vDSP_Stride)n * IC] = (ASSAY_T)re;
    imagC[(vDSP_Stride)n * IC] = (ASSAY_T)im;
  }
  free(in);
}

// The names with a t at their end get memory for what is between, which is not needed here.
static inline void ASSAY_VDSP(fft_zop)(ASSAY_SETUP Setup, const ASSAY_SPLIT *A, vDSP_Stride IA,
                                       const ASSAY_SPLIT *C, vDSP_Stride IC, vDSP_Length Log2N,
                                       FFTDirection Direction) {
  ASSAY_VDSP(assay_complex)
  (ASSAY_SETUP_OF(Setup), A->realp, A->imagp, IA, C->realp, C->imagp, IC, 1ul << Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zopt)(ASSAY_SETUP Setup, const ASSAY_SPLIT *A, vDSP_Stride IA,
                                        const ASSAY_SPLIT *C, vDSP_Stride IC, const ASSAY_SPLIT *Buffer,
                                        vDSP_Length Log2N, FFTDirection Direction) {
  (void)Buffer;
  ASSAY_VDSP(fft_zop)(Setup, A, IA, C, IC, Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zip)(ASSAY_SETUP Setup, const ASSAY_SPLIT *C, vDSP_Stride IC,
                                       vDSP_Length Log2N, FFTDirection Direction) {
  ASSAY_VDSP(fft_zop)(Setup, C, IC, C, IC, Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zipt)(ASSAY_SETUP Setup, const ASSAY_SPLIT *C, vDSP_Stride IC,
                                        const ASSAY_SPLIT *Buffer, vDSP_Length Log2N,
                                        FFTDirection Direction) {
  ASSAY_VDSP(fft_zopt)(Setup, C, IC, C, IC, Buffer, Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zrop)(ASSAY_SETUP Setup, const ASSAY_SPLIT *A, vDSP_Stride IA,
                                        const ASSAY_SPLIT *C, vDSP_Stride IC, vDSP_Length Log2N,
                                        FFTDirection Direction) {
  ASSAY_VDSP(assay_real)
  (ASSAY_SETUP_OF(Setup), A->realp, A->imagp, IA, C->realp, C->imagp, IC, 1ul << Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zropt)(ASSAY_SETUP Setup, const ASSAY_SPLIT *A, vDSP_Stride IA,
                                         const ASSAY_SPLIT *C, vDSP_Stride IC, const ASSAY_SPLIT *Buffer,
                                         vDSP_Length Log2N, FFTDirection Direction) {
  (void)Buffer;
  ASSAY_VDSP(fft_zrop)(Setup, A, IA, C, IC, Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zrip)(ASSAY_SETUP Setup, const ASSAY_SPLIT *C, vDSP_Stride IC,
                                        vDSP_Length Log2N, FFTDirection Direction) {
  ASSAY_VDSP(fft_zrop)(Setup, C, IC, C, IC, Log2N, Direction);
}
static inline void ASSAY_VDSP(fft_zript)(ASSAY_SETUP Setup, const ASSAY_SPLIT *C, vDSP_Stride IC,
                                         const ASSAY_SPLIT *Buffer, vDSP_Length Log2N,
                                         FFTDirection Direction) {
  ASSAY_VDSP(fft_zropt)(Setup, C, IC, C, IC, Buffer, Log2N, Direction);
}

// Transforms of other lengths; null for one that Apple's do not have. A setup may share the memory of
// another: each has its own here.
static inline ASSAY_DFT_SETUP ASSAY_VDSP(DFT_zop_CreateSetup)(ASSAY_DFT_SETUP Previous, vDSP_Length Length,
                                                              vDSP_DFT_Direction Direction) {
  (void)Previous;
  return assay_vdsp_is_length(Length, 3) ? (ASSAY_DFT_SETUP)assay_vdsp_create(Length, Direction, 0) : NULL;
}
static inline ASSAY_DFT_SETUP ASSAY_VDSP(DFT_zrop_CreateSetup)(ASSAY_DFT_SETUP Previous, vDSP_Length Length,
                                                               vDSP_DFT_Direction Direction) {
  (void)Previous;
  return assay_vdsp_is_length(Length, 4) ? (ASSAY_DFT_SETUP)assay_vdsp_create(Length, Direction, 1) : NULL;
}
static inline void ASSAY_VDSP(DFT_DestroySetup)(ASSAY_DFT_SETUP Setup) {
  free((void *)Setup);
}
static inline void ASSAY_VDSP(DFT_Execute)(ASSAY_CONST_DFT_SETUP Setup, const ASSAY_T *Ir, const ASSAY_T *Ii,
                                           ASSAY_T *Or, ASSAY_T *Oi) {
  const struct assay_vdsp_setup *setup = ASSAY_SETUP_OF(Setup);
  if (setup->real)
    ASSAY_VDSP(assay_real)(setup, Ir, Ii, 1, Or, Oi, 1, setup->count, setup->direction);
  else
    ASSAY_VDSP(assay_complex)(setup, Ir, Ii, 1, Or, Oi, 1, setup->count, setup->direction);
}

// Windows of N numbers; with vDSP_HALF_WINDOW only the first half of them is written.
#define ASSAY_WINDOW(name, value)                                                                            \
  static inline void ASSAY_VDSP(name)(ASSAY_T * C, vDSP_Length N, int Flag) {                                \
    const vDSP_Length count = Flag & vDSP_HALF_WINDOW ? (N + 1) / 2 : N;                                     \
    for (vDSP_Length n = 0; n < count; ++n) {                                                                \
      const double turn = 6.28318530717958647692 * (double)n / (double)N;                                    \
      C[n] = (ASSAY_T)(value);                                                                               \
    }                                                                                                        \
  }
ASSAY_WINDOW(hann_window, (Flag & vDSP_HANN_NORM ? 0.8165 : 0.5) * (1 - cos(turn)))
ASSAY_WINDOW(hamm_window, 0.54 - 0.46 * cos(turn))
ASSAY_WINDOW(blkman_window, 0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn))
#undef ASSAY_WINDOW

#undef ASSAY_SETUP_OF
#undef ASSAY_T
