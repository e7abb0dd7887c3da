#include "struct_spec.h"

#include "scalar_text.h"

#include "../host/nearest.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::cli {
namespace {

constexpr std::string_view kRest = "...";
constexpr const char *kForm = "a SPEC is TYPE:FIELD=VALUE,FIELD=VALUE,VALUE,..; ...=0 is every other field";

Error wrong(std::string message, std::string hint = "") {
  return Error::usage("struct", std::move(message), std::move(hint));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

template <class F> Result<void> forEachPart(std::string_view text, char separator, F &&f) {
  for (;;) {
    const size_t end = text.find(separator);
    if (Result<void> ok = f(trimmed(text.substr(0, end))); !ok)
      return ok;
    if (end == text.npos)
      return {};
    text.remove_prefix(end + 1);
  }
}

// The ':' after the type's name, which may have '::' in it.
size_t endOfType(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ':')
      continue;
    if (at + 1 == text.size() || text[at + 1] != ':')
      return at;
    ++at;
  }
  return text.npos;
}

Result<StructSpec::Element> parseElement(std::string_view text) {
  StructSpec::Element element;
  const Result<void> ok = forEachPart(text, ',', [&](std::string_view part) -> Result<void> {
    const size_t equals = part.find('=');
    if (equals == part.npos) {
      if (part.empty() && element.fields.empty())
        return {}; // no field at all: the layout says which are left out
      if (element.fields.empty() || element.restZero)
        return wrong(fmt::format("'{}' belongs to no field", part), kForm);
      element.fields.back().values.emplace_back(part);
      return {};
    }
    const std::string_view field = trimmed(part.substr(0, equals)), value = trimmed(part.substr(equals + 1));
    if (field.empty())
      return wrong(fmt::format("'{}' names no field", part), kForm);
    if (element.restZero)
      return wrong(fmt::format("'{}' follows {}=0", part, kRest), "the fields that are left out come last");
    if (field != kRest) {
      element.fields.push_back({std::string(field), {std::string(value)}});
      return {};
    }
    if (value != "0")
      return wrong(fmt::format("{}={}: the fields that are left out can only be 0", kRest, value));
    element.restZero = true;
    return {};
  });
  if (!ok)
    return ok.error();
  return element;
}

constexpr std::string_view kAddress = "addr:";

bool isAddress(std::string_view value) {
  return value.starts_with(kAddress);
}

Result<BufferAddress> addressAt(const std::string &value, uint64_t offset) {
  return parseAddress(value, std::string_view(value).substr(kAddress.size()), offset);
}

// --- names of fields

struct Path {
  std::string pattern; ///< as FieldInfo::name, without the extents that are not given
  std::vector<uint64_t> indices;
};

bool onlyExtents(std::string_view rest) {
  while (rest.starts_with("[]"))
    rest.remove_prefix(2);
  return rest.empty();
}

// "base[]" is "base", as the report of `assay check --json` names it.
Result<Path> parsePath(const std::string &field) {
  Path path;
  for (size_t at = 0; !onlyExtents(std::string_view(field).substr(at));) {
    if (field[at] != '[') {
      path.pattern += field[at++];
      continue;
    }
    const size_t end = std::min(field.find(']', at), field.size());
    uint64_t index = 0;
    const char *first = field.data() + at + 1, *last = field.data() + end;
    const auto [stop, error] = std::from_chars(first, std::max(first, last), index);
    if (end == field.size() || error != std::errc() || stop != last)
      return wrong(fmt::format("field '{}': an index is [NUMBER]", field));
    path.pattern += "[]";
    path.indices.push_back(index);
    at = end + 1;
  }
  return path;
}

const FieldInfo *fieldOf(const StructInfo &info, const Path &path) {
  for (const FieldInfo &field : info.fields)
    if (field.name.starts_with(path.pattern) &&
        onlyExtents(std::string_view(field.name).substr(path.pattern.size())) &&
        path.indices.size() <= field.extents.size())
      return &field;
  return nullptr;
}

// "heads[0..3].scale": extents of structs that hold it, not its own.
std::string rangesName(const FieldInfo &field) {
  std::string_view rest = field.name;
  while (rest.ends_with("[]"))
    rest.remove_suffix(2);
  std::string name;
  size_t extent = 0;
  for (size_t at = rest.find("[]"); at != rest.npos; at = rest.find("[]"), ++extent) {
    const uint32_t count = extent < field.extents.size() ? field.extents[extent].count : 0;
    name += fmt::format("{}[0..{}]", rest.substr(0, at), int64_t(count) - 1);
    rest.remove_prefix(at + 2);
  }
  return name.append(rest);
}

// "heads[2].scale[0]"
std::string elementName(const FieldInfo &field, const std::vector<uint64_t> &indices) {
  std::string_view rest = field.name;
  std::string name;
  for (uint64_t index : indices) {
    const size_t at = rest.find("[]");
    name += fmt::format("{}[{}]", rest.substr(0, at), index);
    rest.remove_prefix(std::min(at + 2, rest.size()));
  }
  return name.append(rest);
}

Error unknownField(const StructInfo &info, const std::string &given, const Path &path) {
  std::vector<std::string> inside, all;
  for (const FieldInfo &field : info.fields) {
    all.push_back(rangesName(field));
    const std::string_view rest =
        std::string_view(field.name).substr(std::min(field.name.size(), path.pattern.size()));
    if (field.name.starts_with(path.pattern) && (rest.starts_with('.') || rest.starts_with("[].")))
      inside.push_back(all.back());
  }
  if (!inside.empty())
    return Error::usage("unknown-field", fmt::format("'{}' of {} has no value of its own", given, info.name),
                        fmt::format("it has {}", fmt::join(inside, ", ")));
  std::string hint = nearestHint(given, all, "fields");
  for (const std::string &name : all) // short names differ by case more often than by letters
    if (std::equal(name.begin(), name.end(), given.begin(), given.end(),
                   [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }))
      hint = fmt::format("did you mean '{}'?", name);
  return Error::usage("unknown-field", fmt::format("{} has no field '{}'", info.name, given),
                      std::move(hint));
}

// --- bytes

/// Calls f(indices, offset of the element) in C order. `indices` begins with those that are given.
template <class F> void forEachElement(const FieldInfo &field, std::vector<uint64_t> indices, F &&f) {
  const size_t fixed = indices.size(), axes = field.extents.size();
  indices.resize(axes, 0);
  for (size_t axis = fixed; axis < axes; ++axis)
    if (!field.extents[axis].count)
      return;
  for (;;) {
    uint64_t offset = field.offset;
    for (size_t axis = 0; axis < axes; ++axis)
      offset += indices[axis] * field.extents[axis].bytes;
    if (!f(indices, offset))
      return;
    size_t axis = axes;
    while (axis > fixed && ++indices[axis - 1] == field.extents[axis - 1].count)
      indices[--axis] = 0;
    if (axis == fixed)
      return;
  }
}

class Layout {
public:
  Layout(const StructInfo &info, const StructSpec::Element &element, uint64_t base, BufferData &data)
      : info_(info), element_(element), base_(base), data_(data), givenBy_(info.bytes, 0) {}

  Result<void> run() {
    for (const StructSpec::Given &given : element_.fields) {
      ++number_;
      Result<void> ok = field(given);
      if (!ok)
        return ok;
    }
    return element_.restZero ? Result<void>() : refuseLeftOut();
  }

private:
  Result<void> field(const StructSpec::Given &given) {
    const Result<Path> path = parsePath(given.field);
    if (!path)
      return path.error();
    const FieldInfo *field = fieldOf(info_, *path);
    if (!field)
      return unknownField(info_, given.field, *path);
    for (size_t axis = 0; axis < path->indices.size(); ++axis)
      if (const uint32_t count = field->extents[axis].count; path->indices[axis] >= count)
        return wrong(fmt::format("field '{}': there is no element {}, {} elements are declared", given.field,
                                 path->indices[axis], count));
    if (field->kind == FieldKind::Handle)
      return wrong(fmt::format("field '{}' is a texture, a sampler or a function table, and has no value",
                               given.field),
                   "--texture, --sampler and --table take ARGUMENT.MEMBER=..");
    uint64_t count = 1;
    for (size_t axis = path->indices.size(); axis < field->extents.size(); ++axis)
      count *= field->extents[axis].count;
    if (count != given.values.size())
      return wrong(
          fmt::format("field '{}' takes {} value{}, {} {} given", given.field, count, count == 1 ? "" : "s",
                      given.values.size(), given.values.size() == 1 ? "is" : "are"),
          count == 1 ? "" : "values are given in C's order, or an element at a time: FIELD[0]=VALUE");
    Result<void> ok;
    size_t next = 0;
    forEachElement(*field, path->indices, [&](const std::vector<uint64_t> &, uint64_t offset) {
      ok = value(given, *field, given.values[next++], offset);
      return bool(ok);
    });
    return ok;
  }

  Result<void> value(const StructSpec::Given &given, const FieldInfo &field, const std::string &text,
                     uint64_t offset) {
    const uint64_t size = scalarTypeInfo(field.type).bytes;
    if (offset + size > info_.bytes)
      return wrong(fmt::format("field '{}' lies at byte {} of {}, which has {}", given.field, offset,
                               info_.name, info_.bytes));
    for (uint64_t i = offset; i < offset + size; ++i) {
      if (givenBy_[i]) {
        const std::string &other = element_.fields[givenBy_[i] - 1].field;
        return givenBy_[i] != number_ && sameField(other, given.field)
                   ? wrong(fmt::format("field '{}' is given twice", given.field))
                   : wrong(fmt::format("field '{}' shares its bytes with '{}', which is given, too",
                                       given.field, other),
                           "of a union one member is given");
      }
      givenBy_[i] = number_;
    }
    if (field.kind == FieldKind::Address && isAddress(text)) {
      Result<BufferAddress> address = addressAt(text, base_ + offset);
      if (!address)
        return atField(given, address.error());
      data_.addresses.push_back(std::move(*address));
      return {};
    }
    Result<uint64_t> bits = parseScalar(text, field.type);
    if (!bits)
      return atField(given, bits.error());
    if (field.kind == FieldKind::Address && *bits)
      return wrong(fmt::format("field '{}' is an address: '{}' is none", given.field, text),
                   "addr:NAME is the address of the --buffer NAME, 0 is none");
    std::memcpy(&data_.bytes[base_ + offset], &*bits, size);
    return {};
  }

  // Whether two texts name elements of one field.
  bool sameField(const std::string &a, const std::string &b) const {
    const Result<Path> first = parsePath(a), second = parsePath(b);
    return first && second && fieldOf(info_, *first) == fieldOf(info_, *second);
  }

  static Error atField(const StructSpec::Given &given, Error error) {
    error.diagnostics.front().message =
        fmt::format("field '{}': {}", given.field, error.diagnostics.front().message);
    return error;
  }

  // What no value was given for: a field, or elements of one.
  Result<void> refuseLeftOut() const {
    constexpr size_t kMostNamed = 8;
    std::vector<std::string> names;
    uint64_t count = 0;
    for (const FieldInfo &field : info_.fields) {
      if (field.kind == FieldKind::Handle)
        continue;
      const auto isGiven = [&](uint64_t offset) {
        for (uint64_t i = offset; i < offset + scalarTypeInfo(field.type).bytes && i < info_.bytes; ++i)
          if (!givenBy_[i])
            return false;
        return true;
      };
      uint64_t elements = 0, missing = 0;
      forEachElement(field, {}, [&](const std::vector<uint64_t> &, uint64_t offset) {
        ++elements;
        missing += !isGiven(offset);
        return true;
      });
      if (!missing)
        continue;
      if (missing == elements) {
        ++count;
        if (names.size() < kMostNamed)
          names.push_back(rangesName(field));
        continue;
      }
      forEachElement(field, {}, [&](const std::vector<uint64_t> &indices, uint64_t offset) {
        if (isGiven(offset))
          return true;
        ++count;
        if (names.size() < kMostNamed)
          names.push_back(elementName(field, indices));
        return true;
      });
    }
    if (!count)
      return {};
    return Error::usage(
        "missing-field",
        fmt::format("{} of {}: {}{}",
                    count == 1 ? "a field is left out" : fmt::format("{} fields are left out", count),
                    info_.name, fmt::join(names, ", "),
                    count > names.size() ? fmt::format(" and {} more", count - names.size()) : ""),
        "...=0 at the end gives every field that is left out the value 0");
  }

  const StructInfo &info_;
  const StructSpec::Element &element_;
  uint64_t base_; ///< of the element in the buffer
  BufferData &data_;
  std::vector<uint32_t> givenBy_; ///< for each byte: the number of the field from 1 on, or 0
  uint32_t number_ = 0;
};

} // namespace

bool namesStruct(std::string_view given, std::string_view declared) {
  const auto dense = [](std::string_view text) {
    std::string result;
    std::copy_if(text.begin(), text.end(), std::back_inserter(result), [](char c) { return c != ' '; });
    return result;
  };
  const std::string name = dense(given), full = dense(declared);
  return name == full || (!name.empty() && full.ends_with("::" + name));
}

Result<StructSpec> parseStructSpec(std::string_view text) {
  const size_t colon = endOfType(text);
  if (colon == text.npos)
    return wrong(fmt::format("'{}' has no ':' after the name of the struct", text), kForm);
  StructSpec spec;
  spec.type = trimmed(text.substr(0, colon));
  if (spec.type.empty())
    return wrong(fmt::format("'{}' does not begin with the name of the struct", text), kForm);
  const Result<void> ok =
      forEachPart(text.substr(colon + 1), ';', [&](std::string_view part) -> Result<void> {
        Result<StructSpec::Element> element = parseElement(part);
        if (!element)
          return element.error();
        spec.elements.push_back(std::move(*element));
        return {};
      });
  if (!ok)
    return ok.error();
  return spec;
}

Result<std::vector<BufferAddress>> addressesIn(const StructSpec &spec) {
  std::vector<BufferAddress> addresses;
  for (const StructSpec::Element &element : spec.elements)
    for (const StructSpec::Given &given : element.fields)
      for (const std::string &value : given.values) {
        if (!isAddress(value))
          continue;
        Result<BufferAddress> address = addressAt(value, 0);
        if (!address)
          return address.error();
        addresses.push_back(std::move(*address));
      }
  return addresses;
}

Result<BufferData> layStruct(const StructSpec &spec, const StructInfo &info) {
  if (!namesStruct(spec.type, info.name))
    return wrong(fmt::format("the kernel declares {}, not {}", info.name, spec.type));
  if (!info.unsupported.empty())
    return Error::usage("unsupported",
                        fmt::format("--struct cannot give {}: it has {}", info.name, info.unsupported),
                        "--buffer takes its bytes");
  const uint64_t bytes = spec.elements.size() * uint64_t(info.bytes);
  if (bytes > kMostStructBytes)
    return wrong(fmt::format("{} bytes are more than the {} that --struct gives", bytes, kMostStructBytes),
                 "--buffer takes a file");
  BufferData data{std::string(bytes, '\0'), std::nullopt, {bytes}};
  for (size_t i = 0; i < spec.elements.size(); ++i)
    if (Result<void> ok = Layout(info, spec.elements[i], i * info.bytes, data).run(); !ok) {
      Error error = ok.error();
      if (spec.elements.size() > 1)
        error.diagnostics.front().message =
            fmt::format("element {}: {}", i, error.diagnostics.front().message);
      return error;
    }
  return data;
}

} // namespace assay::cli
