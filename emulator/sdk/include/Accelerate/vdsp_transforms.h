// What the transforms of float and of double share: discrete Fourier transforms of n = 2^a 3^b 5^c numbers,
// in double. vDSP.h includes it.
//
// Choice.   The textbook recursion over the smallest factor of n, with a table of roots of unity. Results are
//           rounded to the caller's type once, at the end: Apple publishes neither its order of operations
//           nor its error, so a program cannot rely on more.
// Rejected. FFTW: programs would need one more library, and its plans are no faster for a single transform.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct assay_vdsp_complex {
  double re, im;
};

/// A table of the roots of 1, e^(-2 pi i k / count).
struct assay_vdsp_setup {
  unsigned long count;              ///< of numbers in the largest transform
  int direction;                    ///< of a vDSP_DFT setup: 1 forward, -1 inverse
  int real;                         ///< of a vDSP_DFT setup: numbers are real, in pairs
  struct assay_vdsp_complex *roots; ///< in the same piece of memory
};

/// Null if there is no memory.
static inline struct assay_vdsp_setup *assay_vdsp_create(unsigned long count, int direction, int real) {
  if (count > ((size_t)-1 >> 6))
    return NULL;
  struct assay_vdsp_setup *setup =
      (struct assay_vdsp_setup *)malloc(sizeof *setup + count * sizeof(struct assay_vdsp_complex));
  if (!setup)
    return NULL;
  setup->roots = (struct assay_vdsp_complex *)(setup + 1);
  setup->count = count;
  setup->direction = direction;
  setup->real = real;
  for (unsigned long k = 0; k < count; ++k) {
    // By eighths of a circle, so that the roots are exact where they can be.
    const unsigned long eighth = 8 * k / count;
    const double left = (double)(8 * k - eighth * count) / (double)count; // of an eighth
    const double quarterPi = 0.78539816339744830962;
    const double at = quarterPi * (eighth % 2 ? 1 - left : left);
    const double c = eighth % 4 == 1 || eighth % 4 == 2 ? sin(at) : cos(at);
    const double s = eighth % 4 == 1 || eighth % 4 == 2 ? cos(at) : sin(at);
    setup->roots[k].re = eighth >= 2 && eighth < 6 ? -c : c;
    setup->roots[k].im = eighth < 4 ? -s : s;
  }
  return setup;
}

// The transform of every `stride`-th number of `in`, n in all. Root k of n is root k * step of the table.
static inline void assay_vdsp_recurse(const struct assay_vdsp_setup *setup, int direction, unsigned long n,
                                      unsigned long step, const struct assay_vdsp_complex *in,
                                      unsigned long stride, struct assay_vdsp_complex *out) {
  if (n == 1) {
    *out = *in;
    return;
  }
  const unsigned long p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5, part = n / p;
  for (unsigned long r = 0; r < p; ++r)
    assay_vdsp_recurse(setup, direction, part, step * p, in + r * stride, stride * p, out + r * part);
  for (unsigned long k = 0; k < part; ++k) {
    struct assay_vdsp_complex of[5], sum;
    for (unsigned long r = 0; r < p; ++r)
      of[r] = out[r * part + k];
    for (unsigned long q = 0; q < p; ++q) {
      sum = of[0];
      for (unsigned long r = 1; r < p; ++r) {
        const struct assay_vdsp_complex root = setup->roots[r * (k + q * part) % n * step];
        const double im = direction > 0 ? root.im : -root.im;
        sum.re += of[r].re * root.re - of[r].im * im;
        sum.im += of[r].re * im + of[r].im * root.re;
      }
      out[q * part + k] = sum;
    }
  }
}

/// Of n numbers, n a divisor of the setup's count. Ends the process if it is not, or if there is no memory.
///   in    is overwritten
///   out   as long as `in`
static inline void assay_vdsp_transform(const struct assay_vdsp_setup *setup, int direction, unsigned long n,
                                        const struct assay_vdsp_complex *in, struct assay_vdsp_complex *out) {
  if (!setup || setup->count < n || setup->count % n) {
    fprintf(stderr, "vDSP: a transform of %lu numbers with a setup for %lu\n", n, setup ? setup->count : 0);
    abort();
  }
  assay_vdsp_recurse(setup, direction, n, setup->count / n, in, 1, out);
}

/// Room for n numbers, and again n.
static inline struct assay_vdsp_complex *assay_vdsp_room(unsigned long n) {
  struct assay_vdsp_complex *room =
      (struct assay_vdsp_complex *)malloc(2 * n * sizeof(struct assay_vdsp_complex));
  if (!room) {
    fprintf(stderr, "vDSP: no memory for a transform of %lu numbers\n", n);
    abort();
  }
  return room;
}

/// Whether vDSP_DFT takes a length: 2^n times 1, 3, 5 or 15, with n >= least.
static inline int assay_vdsp_is_length(unsigned long length, unsigned least) {
  unsigned twos = 0;
  while (length && length % 2 == 0) {
    length /= 2;
    ++twos;
  }
  return twos >= least && (length == 1 || length == 3 || length == 5 || length == 15);
}
