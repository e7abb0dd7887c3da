// LAPACK's common functions under the names and types that Accelerate has: a solver, factors, inverses, least
// squares, singular values and eigenvalues of matrices in columns. Debian's liblapack has them under the same
// names; functions that are not declared here are there, too. Results are those of LAPACK's reference
// implementation, and may differ in their last bits from those of a Mac.
#pragma once

typedef int __CLPK_integer;
typedef int __CLPK_logical;
typedef float __CLPK_real;
typedef double __CLPK_doublereal;
typedef struct {
  __CLPK_real r, i;
} __CLPK_complex;
typedef struct {
  __CLPK_doublereal r, i;
} __CLPK_doublecomplex;
typedef __CLPK_integer __LAPACK_int;

#ifdef __cplusplus
extern "C" {
#endif

// Of a kind of numbers: p is the letter at the beginning of the names.
#define ASSAY_LAPACK(p, T)                                                                                   \
  int p##gesv_(__CLPK_integer *n, __CLPK_integer *nrhs, T *a, __CLPK_integer *lda, __CLPK_integer *ipiv,     \
               T *b, __CLPK_integer *ldb, __CLPK_integer *info);                                             \
  int p##getrf_(__CLPK_integer *m, __CLPK_integer *n, T *a, __CLPK_integer *lda, __CLPK_integer *ipiv,       \
                __CLPK_integer *info);                                                                       \
  int p##getri_(__CLPK_integer *n, T *a, __CLPK_integer *lda, __CLPK_integer *ipiv, T *work,                 \
                __CLPK_integer *lwork, __CLPK_integer *info);                                                \
  int p##getrs_(char *trans, __CLPK_integer *n, __CLPK_integer *nrhs, T *a, __CLPK_integer *lda,             \
                __CLPK_integer *ipiv, T *b, __CLPK_integer *ldb, __CLPK_integer *info);                      \
  int p##potrf_(char *uplo, __CLPK_integer *n, T *a, __CLPK_integer *lda, __CLPK_integer *info);             \
  int p##potri_(char *uplo, __CLPK_integer *n, T *a, __CLPK_integer *lda, __CLPK_integer *info);             \
  int p##potrs_(char *uplo, __CLPK_integer *n, __CLPK_integer *nrhs, T *a, __CLPK_integer *lda, T *b,        \
                __CLPK_integer *ldb, __CLPK_integer *info);                                                  \
  int p##posv_(char *uplo, __CLPK_integer *n, __CLPK_integer *nrhs, T *a, __CLPK_integer *lda, T *b,         \
               __CLPK_integer *ldb, __CLPK_integer *info);                                                   \
  int p##trtrs_(char *uplo, char *trans, char *diag, __CLPK_integer *n, __CLPK_integer *nrhs, T *a,          \
                __CLPK_integer *lda, T *b, __CLPK_integer *ldb, __CLPK_integer *info);                       \
  int p##trtri_(char *uplo, char *diag, __CLPK_integer *n, T *a, __CLPK_integer *lda, __CLPK_integer *info); \
  int p##gtsv_(__CLPK_integer *n, __CLPK_integer *nrhs, T *dl, T *d, T *du, T *b, __CLPK_integer *ldb,       \
               __CLPK_integer *info);                                                                        \
  int p##geqrf_(__CLPK_integer *m, __CLPK_integer *n, T *a, __CLPK_integer *lda, T *tau, T *work,            \
                __CLPK_integer *lwork, __CLPK_integer *info);                                                \
  int p##gels_(char *trans, __CLPK_integer *m, __CLPK_integer *n, __CLPK_integer *nrhs, T *a,                \
               __CLPK_integer *lda, T *b, __CLPK_integer *ldb, T *work, __CLPK_integer *lwork,               \
               __CLPK_integer *info);
ASSAY_LAPACK(s, __CLPK_real)
ASSAY_LAPACK(d, __CLPK_doublereal)
ASSAY_LAPACK(c, __CLPK_complex)
ASSAY_LAPACK(z, __CLPK_doublecomplex)
#undef ASSAY_LAPACK

// Of real numbers alone: complex ones have other names or arguments.
#define ASSAY_LAPACK(p, T)                                                                                   \
  int p##orgqr_(__CLPK_integer *m, __CLPK_integer *n, __CLPK_integer *k, T *a, __CLPK_integer *lda, T *tau,  \
                T *work, __CLPK_integer *lwork, __CLPK_integer *info);                                       \
  int p##gesvd_(char *jobu, char *jobvt, __CLPK_integer *m, __CLPK_integer *n, T *a, __CLPK_integer *lda,    \
                T *s, T *u, __CLPK_integer *ldu, T *vt, __CLPK_integer *ldvt, T *work,                       \
                __CLPK_integer *lwork, __CLPK_integer *info);                                                \
  int p##gesdd_(char *jobz, __CLPK_integer *m, __CLPK_integer *n, T *a, __CLPK_integer *lda, T *s, T *u,     \
                __CLPK_integer *ldu, T *vt, __CLPK_integer *ldvt, T *work, __CLPK_integer *lwork,            \
                __CLPK_integer *iwork, __CLPK_integer *info);                                                \
  int p##gelsd_(__CLPK_integer *m, __CLPK_integer *n, __CLPK_integer *nrhs, T *a, __CLPK_integer *lda, T *b, \
                __CLPK_integer *ldb, T *s, T *rcond, __CLPK_integer *rank, T *work, __CLPK_integer *lwork,   \
                __CLPK_integer *iwork, __CLPK_integer *info);                                                \
  int p##syev_(char *jobz, char *uplo, __CLPK_integer *n, T *a, __CLPK_integer *lda, T *w, T *work,          \
               __CLPK_integer *lwork, __CLPK_integer *info);                                                 \
  int p##syevd_(char *jobz, char *uplo, __CLPK_integer *n, T *a, __CLPK_integer *lda, T *w, T *work,         \
                __CLPK_integer *lwork, __CLPK_integer *iwork, __CLPK_integer *liwork, __CLPK_integer *info); \
  int p##geev_(char *jobvl, char *jobvr, __CLPK_integer *n, T *a, __CLPK_integer *lda, T *wr, T *wi, T *vl,  \
               __CLPK_integer *ldvl, T *vr, __CLPK_integer *ldvr, T *work, __CLPK_integer *lwork,            \
               __CLPK_integer *info);
ASSAY_LAPACK(s, __CLPK_real)
ASSAY_LAPACK(d, __CLPK_doublereal)
#undef ASSAY_LAPACK

#ifdef __cplusplus
}
#endif
