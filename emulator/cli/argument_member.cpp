#include "argument_member.h"

#include "buffer_spec.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace assay::cli {
namespace {

// "layers[2]" names element 2 of `whole`, "layers", which itself is element 0. A nested struct's array is
// part of the member's name.
std::optional<uint64_t> elementOf(std::string_view whole, std::string_view name) {
  if (name == whole)
    return 0;
  if (!name.starts_with(whole) || !name.ends_with(']') || name[whole.size()] != '[')
    return std::nullopt;
  const std::string_view digits = name.substr(whole.size() + 1, name.size() - whole.size() - 2);
  uint64_t element = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), element);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return element;
}

// A pointer may lead to many structs, a reference to one.
constexpr uint64_t kMostElements = uint64_t(1) << 32;
bool hasElement(const ArgumentInfo &argument, uint64_t element) {
  return argument.isReference ? element == 0 : element < kMostElements;
}

std::string_view wordFor(MemberKind kind) {
  switch (kind) {
  case MemberKind::Texture: return "texture";
  case MemberKind::Sampler: return "sampler";
  case MemberKind::Table: return "table";
  case MemberKind::Tensor: return "tensor";
  default: return "pointer";
  }
}

bool isOf(const MemberInfo &member, MemberKind kind) {
  switch (kind) {
  case MemberKind::Texture: return member.texture.has_value();
  case MemberKind::Sampler: return member.sampler;
  case MemberKind::Table: return member.functionTable;
  case MemberKind::Tensor: return member.tensor.has_value();
  default: return member.pointsTo.has_value();
  }
}

bool isOf(const FieldInfo &field, MemberKind kind) {
  switch (kind) {
  case MemberKind::Texture: return field.texture.has_value();
  case MemberKind::Sampler: return field.sampler;
  case MemberKind::Table: return field.functionTable;
  case MemberKind::Tensor: return field.tensor.has_value();
  default: return field.pointee.has_value();
  }
}

// Takes "[3]" from the front of a text.
std::optional<uint64_t> takeIndex(std::string_view &text) {
  const size_t close = text.find(']');
  if (!text.starts_with('[') || close == text.npos)
    return std::nullopt;
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + close, index);
  if (error != std::errc() || end != text.data() + close)
    return std::nullopt;
  text.remove_prefix(close + 1);
  return index;
}

// Takes "." or "->" from the front of a text.
bool takeArrow(std::string_view &text) {
  const size_t length = text.starts_with('.') ? 1 : text.starts_with("->") ? 2 : 0;
  text.remove_prefix(length);
  return length;
}

// Takes a field's name with its indices from the front of a text, and returns the offset of the element.
// Indices at the end of the name may be left out; they are 0.
std::optional<uint64_t> takeField(const FieldInfo &field, std::string_view &text) {
  std::string_view pattern = field.name, rest = text;
  uint64_t offset = field.offset;
  size_t extent = 0;
  while (!pattern.empty()) {
    if (!pattern.starts_with("[]")) {
      if (!rest.starts_with(pattern.front()))
        return std::nullopt;
      pattern.remove_prefix(1);
      rest.remove_prefix(1);
      continue;
    }
    const FieldExtent &of = field.extents[extent++];
    pattern.remove_prefix(2);
    if (!rest.starts_with('[')) {
      if (pattern.find_first_not_of("[]") != pattern.npos)
        return std::nullopt;
      break;
    }
    const std::optional<uint64_t> index = takeIndex(rest);
    if (!index || *index >= of.count)
      return std::nullopt;
    offset += *index * of.bytes;
  }
  text = rest;
  return offset;
}

// The buffer that an address is in, and where.
std::optional<std::pair<Binding *, uint64_t>> bufferAt(RunBuffers &buffers, uint64_t address) {
  const auto holds = [&](const Binding &binding) {
    return !binding.null && address >= binding.buffer.gpuAddress() &&
           address - binding.buffer.gpuAddress() < binding.buffer.length();
  };
  for (auto &[index, binding] : buffers.bound)
    if (holds(binding))
      return std::pair(&binding, address - binding.buffer.gpuAddress());
  for (auto &[name, binding] : buffers.named)
    if (holds(binding))
      return std::pair(&binding, address - binding.buffer.gpuAddress());
  return std::nullopt;
}

// Follows one ARGUMENT.MEMBER.
class Walk {
public:
  Walk(const ComputePipeline &pipeline, RunBuffers &buffers, std::string_view option, const std::string &key,
       MemberKind kind)
      : pipeline_(pipeline), buffers_(buffers), option_(option), key_(key), kind_(kind) {}

  Result<MemberPlace> run() {
    const size_t dot = key_.find('.');
    const std::string argumentName = key_.substr(0, dot),
                      memberName = key_.substr(std::min(dot, key_.size() - 1) + 1);
    for (const ArgumentInfo &argument : pipeline_.activeArguments())
      for (const MemberInfo &member : argument.members) {
        const auto structure = elementOf(argument.name, argumentName),
                   element = elementOf(member.name, memberName);
        if (isOf(member, kind_) && structure && hasElement(argument, *structure) && element &&
            *element < member.count)
          return inArgument(
              argument, *structure * argument.pointeeBytes + member.offset + *element * member.bytes,
              {.name = member.name, .type = member.type, .texture = member.texture, .tensor = member.tensor});
      }
    for (const ArgumentInfo &argument : pipeline_.activeArguments()) {
      std::string_view rest = key_;
      const StructInfo *info = pipeline_.structOf(argument);
      if (!info || !rest.starts_with(argument.name))
        continue;
      rest.remove_prefix(argument.name.size());
      const uint64_t element = takeIndex(rest).value_or(0);
      if (hasElement(argument, element) && takeArrow(rest))
        if (std::optional<Result<MemberPlace>> found = inStruct(*info, argument, element, rest))
          return *found;
    }
    return unknown();
  }

private:
  // The place in the buffer of an argument.
  Result<MemberPlace> inArgument(const ArgumentInfo &argument, uint64_t offset, MemberPlace place) {
    const auto found = buffers_.bound.find(argument.index);
    if (found == buffers_.bound.end())
      return Error::usage(
          "missing-binding",
          fmt::format("{} {}: no --buffer is bound at index {}, where argument '{}' is", option_, key_,
                      argument.index, argument.name),
          fmt::format("--buffer {}=zeros:u8[{}] is room for it", argument.index, argument.pointeeBytes));
    return inBuffer(found->second, std::to_string(argument.index), offset, std::move(place));
  }

  Result<MemberPlace> inBuffer(Binding &binding, const std::string &name, uint64_t offset,
                               MemberPlace place) {
    const uint64_t length = binding.null ? 0 : binding.buffer.length();
    if (offset > length || length - offset < sizeof(uint64_t))
      return Error::usage("buffer-too-small",
                          fmt::format("{} {}: it lies at byte {} of buffer {}, which has {} bytes", option_,
                                      key_, offset, name, length));
    place.buffer = &binding;
    place.offset = offset;
    return place;
  }

  // Nothing: the text names no member of this struct.
  std::optional<Result<MemberPlace>> inStruct(const StructInfo &info, const ArgumentInfo &argument,
                                              uint64_t element, std::string_view text) {
    std::string_view rest = text;
    const auto place = [&](uint64_t offset, MemberPlace named) {
      return inArgument(argument, element * info.bytes + offset, std::move(named));
    };
    return follow(info, rest, place);
  }

  /// Of an offset in a struct, and what is there.
  using Place = std::function<Result<MemberPlace>(uint64_t, MemberPlace)>;

  std::optional<Result<MemberPlace>> follow(const StructInfo &info, std::string_view text,
                                            const Place &place) {
    for (const FieldInfo &field : info.fields) {
      std::string_view rest = text;
      const std::optional<uint64_t> offset = takeField(field, rest);
      if (!offset)
        continue;
      if (rest.empty() && isOf(field, kind_))
        return place(*offset, {.name = std::string(text),
                               .type = field.spelling,
                               .texture = field.texture,
                               .tensor = field.tensor});
      if (!field.pointee || !field.pointee->structure || kind_ == MemberKind::Table)
        continue;
      const std::string pointer(key_.substr(0, key_.size() - rest.size()));
      const uint64_t element = takeIndex(rest).value_or(0);
      if (element >= kMostElements || !takeArrow(rest) || rest.empty())
        continue;
      const Result<MemberPlace> at = place(*offset, {});
      if (!at)
        return at.error();
      uint64_t address = 0;
      std::memcpy(&address, static_cast<const char *>(at->buffer->buffer.contents()) + at->offset,
                  sizeof address);
      const auto target = bufferAt(buffers_, address);
      if (!target)
        return Error::usage("missing-binding",
                            fmt::format("{} {}: '{}' {}", option_, key_, pointer,
                                        address ? "holds the address of no --buffer" : "is a null pointer"),
                            fmt::format("--buffer '{}=SPEC' or --struct '{}=TYPE:..' is what it points to",
                                        pointer, pointer));
      const StructInfo &next = pipeline_.structs()[*field.pointee->structure];
      const auto inPointee = [&](uint64_t inside, MemberPlace named) {
        return inBuffer(*target->first, fmt::format("'{}'", pointer),
                        target->second + element * next.bytes + inside, std::move(named));
      };
      if (std::optional<Result<MemberPlace>> found = follow(next, rest, inPointee))
        return found;
    }
    return std::nullopt;
  }

  Error unknown() const {
    std::vector<std::string> known;
    for (const ArgumentInfo &argument : pipeline_.activeArguments()) {
      const std::string head = argument.name + (argument.isReference ? "." : "[..].");
      for (const MemberInfo &member : argument.members)
        if (isOf(member, kind_))
          known.push_back(head + member.name +
                          (member.count > 1 ? fmt::format("[0..{}]", member.count - 1) : ""));
      std::vector<const StructInfo *> above;
      if (const StructInfo *info = pipeline_.structOf(argument); info && kind_ != MemberKind::Table)
        addPointees(*info, head, above, known);
    }
    const std::string_view word = wordFor(kind_);
    std::string list;
    for (const std::string &name : known)
      list += (list.empty() ? "" : ", ") + name;
    return Error::usage("unknown-member",
                        fmt::format("{} {}: kernel '{}' has no such {} in an argument buffer", option_, key_,
                                    pipeline_.label(), word),
                        known.empty() ? fmt::format("its argument buffers have no {}s", word)
                                      : "it has " + list);
  }

  // What the pointers of a struct lead to; structs that point to themselves are entered once.
  void addPointees(const StructInfo &info, const std::string &head, std::vector<const StructInfo *> &above,
                   std::vector<std::string> &known) const {
    constexpr size_t kMostNamed = 32;
    if (std::ranges::find(above, &info) != above.end())
      return;
    above.push_back(&info);
    for (const FieldInfo &field : info.fields) {
      if (!field.pointee || !field.pointee->structure)
        continue;
      const StructInfo &next = pipeline_.structs()[*field.pointee->structure];
      const std::string start = head + memberPattern(field) + "[..].";
      for (const FieldInfo &inside : next.fields)
        if (isOf(inside, kind_) && known.size() < kMostNamed)
          known.push_back(start + memberPattern(inside));
      addPointees(next, start, above, known);
    }
    above.pop_back();
  }

  const ComputePipeline &pipeline_;
  RunBuffers &buffers_;
  std::string_view option_;
  const std::string &key_;
  MemberKind kind_;
};

} // namespace

Result<KeyedText> parseKeyed(const std::string &text, std::string_view option, std::string_view form,
                             std::string_view what, uint32_t slots) {
  const size_t equals = text.find('=');
  if (equals != text.npos && isMemberName(text.substr(0, equals)))
    return KeyedText{{BindingKey::kMember, text.substr(0, equals)}, text.substr(equals + 1)};
  const Result<IndexedText> indexed = parseIndexed(text, option, form, what, slots);
  if (!indexed)
    return indexed.error();
  return KeyedText{{indexed->index, std::to_string(indexed->index)}, indexed->rest};
}

std::string memberPattern(const FieldInfo &field) {
  std::string name;
  std::string_view rest = field.name;
  for (const FieldExtent &extent : field.extents) {
    const size_t at = rest.find("[]");
    name += fmt::format("{}[0..{}]", rest.substr(0, at), int64_t(extent.count) - 1);
    rest.remove_prefix(std::min(at, rest.size() - 2) + 2);
  }
  return name.append(rest);
}

Result<MemberPlace> memberAt(const ComputePipeline &pipeline, RunBuffers &buffers, std::string_view option,
                             const std::string &key, MemberKind kind) {
  return Walk(pipeline, buffers, option, key, kind).run();
}

void writeMember(const MemberPlace &place, uint64_t value) {
  place.buffer->holdsAddresses = true;
  std::memcpy(static_cast<char *>(place.buffer->buffer.contents()) + place.offset, &value, sizeof value);
}

} // namespace assay::cli
