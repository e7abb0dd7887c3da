// vDSP's functions of one type, ASSAY_VDSP_TYPE; vDSP.h includes this for float and for double.
//
// N counts elements. A stride also counts elements, and follows its vector. A pointer argument without a
// stride is a single value. `vsub` and `vdiv` take the second operand first, as Apple's functions do.

#define ASSAY_T ASSAY_VDSP_TYPE

// C[n] from A[n].
#define ASSAY_UNARY(name, value)                                                                             \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Stride IC,          \
                                      vDSP_Length N) {                                                       \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC) {                                                  \
      const ASSAY_T a = *A;                                                                                  \
      *C = value;                                                                                            \
    }                                                                                                        \
  }
ASSAY_UNARY(vabs, ASSAY_VDSP_MATH(fabs)(a))
ASSAY_UNARY(vnabs, -ASSAY_VDSP_MATH(fabs)(a))
ASSAY_UNARY(vneg, -a)
ASSAY_UNARY(vsq, (a * a))
ASSAY_UNARY(vssq, (a * ASSAY_VDSP_MATH(fabs)(a)))
ASSAY_UNARY(vfrac, (a - ASSAY_VDSP_MATH(trunc)(a)))
#undef ASSAY_UNARY

// C[n] from two vectors, in the order in which the arguments stand.
#define ASSAY_BINARY(name, A, B, value)                                                                      \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride I##A, const ASSAY_T *B,                  \
                                      vDSP_Stride I##B, ASSAY_T *C, vDSP_Stride IC, vDSP_Length N) {         \
    for (vDSP_Length n = 0; n < N; ++n, A += I##A, B += I##B, C += IC)                                       \
      *C = value;                                                                                            \
  }
ASSAY_BINARY(vadd, A, B, (*A + *B))
ASSAY_BINARY(vsub, B, A, (*A - *B))
ASSAY_BINARY(vmul, A, B, (*A * *B))
ASSAY_BINARY(vdiv, B, A, (*A / *B))
ASSAY_BINARY(vmax, A, B, (*A > *B ? *A : *B))
ASSAY_BINARY(vmin, A, B, (*A < *B ? *A : *B))
ASSAY_BINARY(vmaxmg, A, B, ASSAY_VDSP_MATH(fmax)(ASSAY_VDSP_MATH(fabs)(*A), ASSAY_VDSP_MATH(fabs)(*B)))
ASSAY_BINARY(vminmg, A, B, ASSAY_VDSP_MATH(fmin)(ASSAY_VDSP_MATH(fabs)(*A), ASSAY_VDSP_MATH(fabs)(*B)))
ASSAY_BINARY(vdist, A, B, ASSAY_VDSP_MATH(sqrt)((*A * *A) + (*B * *B)))
#undef ASSAY_BINARY

// C[n] from a vector and a single value.
#define ASSAY_SCALAR(name, value)                                                                            \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, ASSAY_T *C,        \
                                      vDSP_Stride IC, vDSP_Length N) {                                       \
    const ASSAY_T b = *B;                                                                                    \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC)                                                    \
      *C = value;                                                                                            \
  }
ASSAY_SCALAR(vsadd, (*A + b))
ASSAY_SCALAR(vsmul, (*A * b))
ASSAY_SCALAR(vsdiv, (*A / b))
ASSAY_SCALAR(vthr, (*A >= b ? *A : b))
ASSAY_SCALAR(vthres, (*A >= b ? *A : 0))
#undef ASSAY_SCALAR
static inline void ASSAY_VDSP(svdiv)(const ASSAY_T *A, const ASSAY_T *B, vDSP_Stride IB, ASSAY_T *C,
                                     vDSP_Stride IC, vDSP_Length N) {
  const ASSAY_T a = *A;
  for (vDSP_Length n = 0; n < N; ++n, B += IB, C += IC)
    *C = a / *B;
}

// D[n] from three vectors.
#define ASSAY_TERNARY(name, value)                                                                           \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, vDSP_Stride IB,    \
                                      const ASSAY_T *C, vDSP_Stride IC, ASSAY_T *D, vDSP_Stride ID,          \
                                      vDSP_Length N) {                                                       \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, B += IB, C += IC, D += ID)                                  \
      *D = value;                                                                                            \
  }
ASSAY_TERNARY(vma, (*A * *B + *C))
ASSAY_TERNARY(vmsb, (*A * *B - *C))
ASSAY_TERNARY(vam, ((*A + *B) * *C))
ASSAY_TERNARY(vsbm, ((*A - *B) * *C))
#undef ASSAY_TERNARY

// D[n] from two vectors and the single value B.
#define ASSAY_SCALED(name, value)                                                                            \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, const ASSAY_T *C,  \
                                      vDSP_Stride IC, ASSAY_T *D, vDSP_Stride ID, vDSP_Length N) {           \
    const ASSAY_T b = *B;                                                                                    \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC, D += ID)                                           \
      *D = value;                                                                                            \
  }
ASSAY_SCALED(vsma, (*A * b + *C))
ASSAY_SCALED(vsmsb, (*A * b - *C))
#undef ASSAY_SCALED

// D[n] from a vector and two single values.
#define ASSAY_TWO_SCALARS(name, value)                                                                       \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, const ASSAY_T *C,  \
                                      ASSAY_T *D, vDSP_Stride ID, vDSP_Length N) {                           \
    const ASSAY_T b = *B, c = *C;                                                                            \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, D += ID) {                                                  \
      const ASSAY_T a = *A;                                                                                  \
      *D = value;                                                                                            \
    }                                                                                                        \
  }
ASSAY_TWO_SCALARS(vsmsa, (a * b + c))
ASSAY_TWO_SCALARS(vclip, (a < b ? b : a > c ? c : a))
#undef ASSAY_TWO_SCALARS

// E[n] = A[n] B[n] + C[n] D[n].
static inline void ASSAY_VDSP(vmma)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, vDSP_Stride IB,
                                    const ASSAY_T *C, vDSP_Stride IC, const ASSAY_T *D, vDSP_Stride ID,
                                    ASSAY_T *E, vDSP_Stride IE, vDSP_Length N) {
  for (vDSP_Length n = 0; n < N; ++n, A += IA, B += IB, C += IC, D += ID, E += IE)
    *E = *A * *B + *C * *D;
}

// Between A (at c = 0) and B (at c = 1).
static inline void ASSAY_VDSP(vintb)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, vDSP_Stride IB,
                                     const ASSAY_T *C, ASSAY_T *D, vDSP_Stride ID, vDSP_Length N) {
  const ASSAY_T c = *C;
  for (vDSP_Length n = 0; n < N; ++n, A += IA, B += IB, D += ID)
    *D = *A + c * (*B - *A);
}

static inline void ASSAY_VDSP(vfill)(const ASSAY_T *A, ASSAY_T *C, vDSP_Stride IC, vDSP_Length N) {
  const ASSAY_T a = *A;
  for (vDSP_Length n = 0; n < N; ++n, C += IC)
    *C = a;
}
static inline void ASSAY_VDSP(vclr)(ASSAY_T *C, vDSP_Stride IC, vDSP_Length N) {
  for (vDSP_Length n = 0; n < N; ++n, C += IC)
    *C = 0;
}
// From A on in steps of B.
static inline void ASSAY_VDSP(vramp)(const ASSAY_T *A, const ASSAY_T *B, ASSAY_T *C, vDSP_Stride IC,
                                     vDSP_Length N) {
  const ASSAY_T a = *A, b = *B;
  for (vDSP_Length n = 0; n < N; ++n, C += IC)
    *C = a + (ASSAY_T)n * b;
}
// From A to B, both included.
static inline void ASSAY_VDSP(vgen)(const ASSAY_T *A, const ASSAY_T *B, ASSAY_T *C, vDSP_Stride IC,
                                    vDSP_Length N) {
  const ASSAY_T a = *A, step = N > 1 ? (*B - *A) / (ASSAY_T)(N - 1) : 0;
  for (vDSP_Length n = 0; n < N; ++n, C += IC)
    *C = a + (ASSAY_T)n * step;
}
static inline void ASSAY_VDSP(vswap)(ASSAY_T *A, vDSP_Stride IA, ASSAY_T *B, vDSP_Stride IB, vDSP_Length N) {
  for (vDSP_Length n = 0; n < N; ++n, A += IA, B += IB) {
    const ASSAY_T a = *A;
    *A = *B;
    *B = a;
  }
}
// The order of elements turned round, in place.
static inline void ASSAY_VDSP(vrvrs)(ASSAY_T *C, vDSP_Stride IC, vDSP_Length N) {
  for (vDSP_Length n = 0; n < N / 2; ++n) {
    ASSAY_T *low = C + (vDSP_Stride)n * IC, *high = C + (vDSP_Stride)(N - 1 - n) * IC;
    const ASSAY_T value = *low;
    *low = *high;
    *high = value;
  }
}
// Running sums: C[0] is 0, C[n] = C[n-1] + S A[n]. A[0] takes no part.
static inline void ASSAY_VDSP(vrsum)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *S, ASSAY_T *C,
                                     vDSP_Stride IC, vDSP_Length N) {
  const ASSAY_T s = *S;
  ASSAY_T sum = 0;
  for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC) {
    if (n)
      sum += s * *A;
    *C = sum;
  }
}

// One value from a vector: a sum of terms, and what becomes of it.
#define ASSAY_SUM(name, term, result)                                                                        \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Length N) {         \
    ASSAY_T sum = 0;                                                                                         \
    for (vDSP_Length n = 0; n < N; ++n, A += IA) {                                                           \
      const ASSAY_T a = *A;                                                                                  \
      sum += term;                                                                                           \
    }                                                                                                        \
    *C = result;                                                                                             \
  }
ASSAY_SUM(sve, a, sum)
ASSAY_SUM(svemg, ASSAY_VDSP_MATH(fabs)(a), sum)
ASSAY_SUM(svesq, (a * a), sum)
ASSAY_SUM(svs, (a * ASSAY_VDSP_MATH(fabs)(a)), sum)
ASSAY_SUM(meanv, a, (sum / (ASSAY_T)N))
ASSAY_SUM(meamgv, ASSAY_VDSP_MATH(fabs)(a), (sum / (ASSAY_T)N))
ASSAY_SUM(measqv, (a * a), (sum / (ASSAY_T)N))
ASSAY_SUM(rmsqv, (a * a), (ASSAY_VDSP_MATH(sqrt)(sum / (ASSAY_T)N)))
#undef ASSAY_SUM

// One value from two vectors: a sum of terms.
#define ASSAY_SUM_OF_TWO(name, term)                                                                         \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, vDSP_Stride IB,    \
                                      ASSAY_T *C, vDSP_Length N) {                                           \
    ASSAY_T sum = 0;                                                                                         \
    for (vDSP_Length n = 0; n < N; ++n, A += IA, B += IB)                                                    \
      sum += term;                                                                                           \
    *C = sum;                                                                                                \
  }
ASSAY_SUM_OF_TWO(dotpr, (*A * *B))
ASSAY_SUM_OF_TWO(distancesq, ((*A - *B) * (*A - *B)))
#undef ASSAY_SUM_OF_TWO

// The largest or smallest element. The index counts elements of the stride 1. Of no elements the result is an
// infinity, or 0 for magnitudes' maximum.
#define ASSAY_EXTREME(name, element, before, none)                                                           \
  static inline void ASSAY_VDSP(name##i)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Length *I,       \
                                         vDSP_Length N) {                                                    \
    ASSAY_T best = none;                                                                                     \
    vDSP_Length at = 0;                                                                                      \
    for (vDSP_Length n = 0; n < N; ++n) {                                                                    \
      const ASSAY_T a = A[(vDSP_Stride)n * IA], value = element;                                             \
      if (value before best) {                                                                               \
        best = value;                                                                                        \
        at = n * (vDSP_Length)IA;                                                                            \
      }                                                                                                      \
    }                                                                                                        \
    *C = best;                                                                                               \
    *I = at;                                                                                                 \
  }                                                                                                          \
  static inline void ASSAY_VDSP(name)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Length N) {         \
    vDSP_Length at;                                                                                          \
    ASSAY_VDSP(name##i)(A, IA, C, &at, N);                                                                   \
  }
ASSAY_EXTREME(maxv, a, >, (ASSAY_T)-INFINITY)
ASSAY_EXTREME(minv, a, <, (ASSAY_T)INFINITY)
ASSAY_EXTREME(maxmgv, ASSAY_VDSP_MATH(fabs)(a), >, 0)
ASSAY_EXTREME(minmgv, ASSAY_VDSP_MATH(fabs)(a), <, (ASSAY_T)INFINITY)
#undef ASSAY_EXTREME

// Mean and standard deviation, and (if C is not null) the elements less the one and divided by the other.
static inline void ASSAY_VDSP(normalize)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Stride IC,
                                         ASSAY_T *mean, ASSAY_T *deviation, vDSP_Length N) {
  ASSAY_T squares;
  ASSAY_VDSP(meanv)(A, IA, mean, N);
  ASSAY_VDSP(measqv)(A, IA, &squares, N);
  *deviation = ASSAY_VDSP_MATH(sqrt)(squares - *mean * *mean);
  if (C)
    for (vDSP_Length n = 0; n < N; ++n, A += IA, C += IC)
      *C = (*A - *mean) / *deviation;
}

// C[n] = sum over p of A[n + p] F[p], with P elements in F. A negative stride of F makes a convolution.
static inline void ASSAY_VDSP(conv)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *F, vDSP_Stride IF,
                                    ASSAY_T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length P) {
  for (vDSP_Length n = 0; n < N; ++n)
    ASSAY_VDSP(dotpr)(A + (vDSP_Stride)n * IA, IA, F, IF, C + (vDSP_Stride)n * IC, P);
}

// Matrices lie row by row. C (M x N) = A (M x P) B (P x N).
static inline void ASSAY_VDSP(mmul)(const ASSAY_T *A, vDSP_Stride IA, const ASSAY_T *B, vDSP_Stride IB,
                                    ASSAY_T *C, vDSP_Stride IC, vDSP_Length M, vDSP_Length N, vDSP_Length P) {
  for (vDSP_Length m = 0; m < M; ++m)
    for (vDSP_Length n = 0; n < N; ++n)
      ASSAY_VDSP(dotpr)(A + (vDSP_Stride)(m * P) * IA, IA, B + (vDSP_Stride)n * IB, (vDSP_Stride)N * IB,
                        C + (vDSP_Stride)(m * N + n) * IC, P);
}
// C (M x N) is A (N x M) transposed.
static inline void ASSAY_VDSP(mtrans)(const ASSAY_T *A, vDSP_Stride IA, ASSAY_T *C, vDSP_Stride IC,
                                      vDSP_Length M, vDSP_Length N) {
  for (vDSP_Length m = 0; m < M; ++m)
    for (vDSP_Length n = 0; n < N; ++n)
      C[(vDSP_Stride)(m * N + n) * IC] = A[(vDSP_Stride)(n * M + m) * IA];
}
// Copies N rows of M elements between matrices whose rows have TA and TC elements.
static inline void ASSAY_VDSP(mmov)(const ASSAY_T *A, ASSAY_T *C, vDSP_Length M, vDSP_Length N,
                                    vDSP_Length TA, vDSP_Length TC) {
  for (vDSP_Length row = 0; row < N; ++row)
    for (vDSP_Length column = 0; column < M; ++column)
      C[row * TC + column] = A[row * TA + column];
}

#undef ASSAY_T
