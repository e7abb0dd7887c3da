// float4 as the tests see it: four floats compared by their bits.
#pragma once

#include <cstring>
#include <ostream>

namespace assay::test {

struct alignas(16) F4 {
  float e[4];
  bool operator==(const F4 &o) const { return std::memcmp(e, o.e, sizeof e) == 0; }
};
inline std::ostream &operator<<(std::ostream &out, const F4 &v) {
  return out << v.e[0] << ' ' << v.e[1] << ' ' << v.e[2] << ' ' << v.e[3];
}

} // namespace assay::test
