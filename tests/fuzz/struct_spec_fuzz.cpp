// The text of --struct: what is accepted is printed field by field, and read again as the same bytes.
#include "fuzz.h"

#include "cli/scalar_text.h"
#include "cli/struct_spec.h"

#include <vector>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::cli;

namespace {

// A field of each kind: every scalar, arrays, structs in arrays, a union, an address, a handle.
const StructInfo &params() {
  static const StructInfo info = [] {
    StructInfo made;
    const auto add = [&](std::string name, uint32_t offset, FieldKind kind, ScalarType type,
                         std::vector<FieldExtent> extents = {}) {
      FieldInfo &field = made.fields.emplace_back();
      field.name = std::move(name), field.offset = offset, field.kind = kind, field.type = type;
      field.extents = std::move(extents);
    };
    made.name = "n::P<float, 4>";
    uint32_t at = 0;
    for (const ScalarTypeInfo &scalar : kScalarTypes) {
      add(std::string(scalar.shortName), at, FieldKind::Value, scalar.type);
      at += 8;
    }
    add("in[].x", at, FieldKind::Value, ScalarType::UShort, {{3, 16}});
    add("in[].y[][]", at + 4, FieldKind::Value, ScalarType::Char, {{3, 16}, {2, 4}, {3, 1}});
    at += 48;
    add("f", at, FieldKind::Value, ScalarType::Float);
    add("u", at, FieldKind::Value, ScalarType::UInt);
    add("p[]", at + 8, FieldKind::Address, ScalarType::ULong, {{2, 8}});
    add("t", at + 24, FieldKind::Handle, ScalarType::ULong);
    made.bytes = at + 32;
    return made;
  }();
  return info;
}

// ",NAME=VALUE,VALUE,.." of a field whose extents are all inside of one text; "" for a NaN, whose payload no
// text has.
std::string printed(const FieldInfo &field, const std::string &bytes, uint64_t base,
                    const std::vector<BufferAddress> &addresses) {
  std::string text;
  const size_t axes = field.extents.size();
  std::vector<uint64_t> index(axes, 0);
  for (bool more = true; more;) {
    uint64_t offset = base + field.offset;
    std::string name;
    std::string_view rest = field.name;
    for (size_t axis = 0; axis < axes; ++axis) {
      offset += index[axis] * field.extents[axis].bytes;
      const size_t at = rest.find("[]");
      name.append(rest.substr(0, at)).append("[" + std::to_string(index[axis]) + "]");
      rest.remove_prefix(at + 2);
    }
    name.append(rest);
    std::string value = formatScalar(&bytes[offset], field.type);
    for (const BufferAddress &address : addresses)
      if (address.offset == offset)
        value = "addr:" + address.buffer + "+" + std::to_string(address.plus);
    text += "," + name + "=" + value;
    more = false;
    for (size_t axis = axes; axis-- > 0 && !more;)
      if (++index[axis] < field.extents[axis].count)
        more = true;
      else
        index[axis] = 0;
  }
  return text;
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  const Result<StructSpec> spec = parseStructSpec(text);
  if (!acceptedOrExplained(spec))
    return 0;
  const Result<std::vector<BufferAddress>> addresses = addressesIn(*spec);
  acceptedOrExplained(addresses);
  const Result<BufferData> laid = layStruct(*spec, params());
  if (!acceptedOrExplained(laid))
    return 0;
  const uint64_t bytes = params().bytes;
  require(laid->bytes.size() == spec->elements.size() * bytes, "each element has the size of the struct");
  require(bool(addresses) && laid->addresses.size() <= addresses->size(), "no address is invented");
  std::string again;
  for (uint64_t base = 0; base < laid->bytes.size(); base += bytes) {
    again += base ? ";" : "P<float,4>:";
    std::string fields;
    for (const FieldInfo &field : params().fields)
      if (field.kind != FieldKind::Handle && field.name != "f") // of the union, the member with all bits
        fields += printed(field, laid->bytes, base, laid->addresses);
    again += fields.substr(1);
  }
  const Result<StructSpec> secondSpec = parseStructSpec(again);
  require(bool(secondSpec), "a printed struct can be read");
  const Result<BufferData> second = layStruct(*secondSpec, params());
  require(bool(second), "a printed struct leaves nothing out");
  require(again.find("nan") != again.npos || second->bytes == laid->bytes,
          "a printed struct is read as it was");
  require(second->addresses.size() == laid->addresses.size(), "addresses are read as they were");
  return 0;
}

static const Parser parser("struct_spec", tryInput);
