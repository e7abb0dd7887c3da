// A dynamic library of the program's own.
float scaleOf(int kind) {
  return kind == 0 ? 1.5f : 4.0f;
}
