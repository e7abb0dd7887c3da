#include "argument_member.h"

#include "buffer_spec.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

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
bool hasElement(const ArgumentInfo &argument, uint64_t element) {
  constexpr uint64_t kMostElements = uint64_t(1) << 32;
  return argument.isReference ? element == 0 : element < kMostElements;
}

bool isMemberKey(std::string_view key) {
  return !key.empty() && !std::isdigit(static_cast<unsigned char>(key.front())) && key.find('.') != key.npos;
}

} // namespace

Result<KeyedText> parseKeyed(const std::string &text, std::string_view option, std::string_view form,
                             std::string_view what, uint32_t slots) {
  const size_t equals = text.find('=');
  if (equals != text.npos && isMemberKey(text.substr(0, equals)))
    return KeyedText{{BindingKey::kMember, text.substr(0, equals)}, text.substr(equals + 1)};
  const Result<IndexedText> indexed = parseIndexed(text, option, form, what, slots);
  if (!indexed)
    return indexed.error();
  return KeyedText{{indexed->index, std::to_string(indexed->index)}, indexed->rest};
}

Result<MemberPlace> memberAt(const ComputePipeline &pipeline, std::string_view option, const std::string &key,
                             const std::function<bool(const MemberInfo &)> &wanted) {
  const size_t dot = key.find('.');
  const std::string argumentName = key.substr(0, dot), memberName = key.substr(dot + 1);
  std::string known;
  for (const ArgumentInfo &argument : pipeline.activeArguments())
    for (const MemberInfo &member : argument.members) {
      if (!wanted(member))
        continue;
      known += fmt::format("{}{}{}.{}{}", known.empty() ? "" : ", ", argument.name,
                           argument.isReference ? "" : "[..]", member.name,
                           member.count > 1 ? fmt::format("[0..{}]", member.count - 1) : "");
      const auto structure = elementOf(argument.name, argumentName),
                 element = elementOf(member.name, memberName);
      if (structure && hasElement(argument, *structure) && element && *element < member.count)
        return MemberPlace{&argument, &member,
                           *structure * argument.pointeeBytes + member.offset + *element * member.bytes};
    }
  const std::string_view kind = option.substr(2); // "texture", "sampler", "table"
  return Error::usage("unknown-member",
                      fmt::format("{} {}: kernel '{}' has no such {} in an argument buffer", option, key,
                                  pipeline.label(), kind),
                      known.empty() ? fmt::format("its argument buffers have no {}s", kind)
                                    : "it has " + known);
}

Result<void> writeMember(std::string_view option, const std::string &key, const MemberPlace &place,
                         RunBuffers &buffers, uint64_t value) {
  const uint32_t index = place.argument->index;
  const auto found = buffers.bound.find(index);
  if (found == buffers.bound.end())
    return Error::usage(
        "missing-binding",
        fmt::format("{} {}: no --buffer is bound at index {}, where argument '{}' is", option, key, index,
                    place.argument->name),
        fmt::format("--buffer {}=zeros:u8[{}] is room for it", index, place.argument->pointeeBytes));
  Buffer &buffer = found->second.buffer;
  if (place.offset + sizeof value > buffer.length())
    return Error::usage("buffer-too-small",
                        fmt::format("{} {}: it lies at byte {} of buffer {}, which has {} bytes", option, key,
                                    place.offset, index, buffer.length()));
  std::memcpy(static_cast<char *>(buffer.contents()) + place.offset, &value, sizeof value);
  return {};
}

} // namespace assay::cli
