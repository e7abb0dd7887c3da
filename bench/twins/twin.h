// One piece of work that is written three ways: as a Metal kernel, as an OpenCL kernel and in C++ by hand.
//
// Problem.  Three programs that each make their own data and judge their own result measure three things.
// Choice.   A twin is data and a judgement, and the ways read both. Argument i is buffer i of the Metal
//           kernel and argument i of the OpenCL kernel, which have one name. A way gives back the bytes of
//           the result argument; mismatch() compares them with a reference in double, before anything is
//           measured.
// Limit.    Ways add up in different orders, so bits differ between them and there is a tolerance. That
//           Assay's own two engines give the same bits is what tests/engines is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace assay::twins {

struct Argument {
  std::vector<std::byte> bytes;
  bool isValue = false; ///< a number that the kernel gets as such, not a buffer
  bool isRoom = false;  ///< all of it is for the kernel to write

  template <class T> std::span<T> as() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T> std::span<const T> as() const {
    return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
};
using Arguments = std::vector<Argument>;

template <class T> Argument buffer(std::span<const T> elements) {
  const auto bytes = std::as_bytes(elements);
  return {{bytes.begin(), bytes.end()}, false};
}
template <class T> Argument buffer(const std::vector<T> &elements) {
  return buffer(std::span<const T>(elements));
}
inline Argument room(size_t bytes) {
  return {std::vector<std::byte>(bytes), false, true};
}
template <class T> Argument value(T number) {
  Argument made = buffer(std::span<const T>(&number, 1));
  made.isValue = true;
  return made;
}

/// Threadgroups (work-groups) and the threads (work-items) of one.
struct Shape {
  struct Counts {
    uint32_t x = 1, y = 1, z = 1;
  };
  Counts groups, threads;
};

enum class Element { Float, Count };

struct Twin {
  std::string name;      ///< also that of the OpenCL file; a variant is called NAME:VARIANT
  std::string metalFile; ///< a path from the root of the repository, or a whole one
  std::string kernel;
  Arguments arguments = {}; ///< as they are before the first run
  uint32_t localBytes = 0;  ///< of threadgroup memory 0, in OpenCL one more argument at the end
  Shape metal = {}, opencl = {};
  std::function<void(Arguments &)> byHand = {};

  size_t result = 0; ///< the argument that is judged
  Element element = Element::Float;
  std::vector<double> expected = {};
  double tolerance = 0;    ///< as a part of the largest magnitude that is expected
  double mayDiffer = 0;    ///< the share of elements that may be outside of the tolerance
  std::string absent = {}; ///< if not empty, why the twin cannot be run here

  std::string openclFile() const { return name.substr(0, name.find(':')) + ".cl"; }
};

/// Empty if the bytes are the expected result, else what differs.
std::string mismatch(const Twin &twin, std::span<const std::byte> result);

/// Full: what is measured. Tiny: the same work within milliseconds, for tests.
enum class Scale { Full, Tiny };

/// All of them, in the order of the table. Making the data and the reference takes time, so a twin is made
/// when it is asked for.
struct TwinMaker {
  std::string name;
  std::function<Twin(Scale)> make;
  std::string absent = {}; ///< if not empty, why the twin cannot be run here
};
const std::vector<TwinMaker> &allTwins();

// One maker each, by kind of work.
Twin saxpy(Scale scale);
Twin mandelbrot(Scale scale);
Twin rowSums(Scale scale);
Twin rowSoftmax(Scale scale);
/// A matrix product by tiles of 16 by 16. In the square form a threadgroup is 16 by 16 threads, else 256.
Twin tiledProduct(Scale scale, bool square);
Twin halfProduct(Scale scale);
Twin q4MatrixVector(Scale scale);
/// original: the published kernel that this project's own is modelled on, if it is at hand
Twin deltaNet(Scale scale, bool original);
/// Empty if it is, else where it was looked for.
std::string absentOriginal();

} // namespace assay::twins
