// What lowering and the front end answer the shim's questions with, for the default build: math mode fast,
// fast functions by the formulas.
extern "C" bool __assay_safe_math() {
  return false;
}
extern "C" bool __assay_fast_recipes() {
  return true;
}
