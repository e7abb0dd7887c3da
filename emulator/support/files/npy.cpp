#include "support/files/npy.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kHeaderAlignment = 64;

struct Header {
  std::string descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<uint64_t>> shape;
};

// The header is a Python dictionary of a string, a boolean and a tuple of integers; nothing else is accepted.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<Header> parse() {
    Header header;
    if (!take('{'))
      return std::nullopt;
    while (!take('}')) {
      const std::optional<std::string> key = string();
      if (!key || !take(':'))
        return std::nullopt;
      if (*key == "descr") {
        if (std::optional<std::string> descr = string())
          header.descr = *descr;
        else
          return std::nullopt; // a list: a structured dtype
      } else if (*key == "fortran_order") {
        header.fortranOrder = boolean();
        if (!header.fortranOrder)
          return std::nullopt;
      } else if (*key == "shape") {
        header.shape = tuple();
        if (!header.shape)
          return std::nullopt;
      } else {
        return std::nullopt;
      }
      if (!take(',') && !peek('}'))
        return std::nullopt;
    }
    skipSpace();
    return text_.empty() && !header.descr.empty() ? std::optional(header) : std::nullopt;
  }

private:
  void skipSpace() {
    const size_t n = text_.find_first_not_of(" \t\n");
    text_.remove_prefix(n == text_.npos ? text_.size() : n);
  }
  bool peek(char c) {
    skipSpace();
    return !text_.empty() && text_.front() == c;
  }
  bool take(char c) {
    const bool is = peek(c);
    text_.remove_prefix(is);
    return is;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    const bool is = text_.starts_with(word);
    text_.remove_prefix(is ? word.size() : 0);
    return is;
  }
  std::optional<std::string> string() {
    const char quote = peek('\'') ? '\'' : '"';
    if (!take(quote))
      return std::nullopt;
    const size_t end = text_.find(quote);
    if (end == text_.npos)
      return std::nullopt;
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }
  std::optional<bool> boolean() {
    if (takeWord("True"))
      return true;
    if (takeWord("False"))
      return false;
    return std::nullopt;
  }
  std::optional<std::vector<uint64_t>> tuple() {
    std::vector<uint64_t> values;
    if (!take('('))
      return std::nullopt;
    while (!take(')')) {
      skipSpace();
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || values.size() == kMaxNpyDimensions)
        return std::nullopt;
      text_.remove_prefix(end - text_.data());
      values.push_back(value);
      if (!take(',') && !peek(')'))
        return std::nullopt;
    }
    return values;
  }

  std::string_view text_;
};

std::string_view descrOf(ScalarType type) {
  switch (type) {
  case ScalarType::Bool: return "|b1";
  case ScalarType::Char: return "|i1";
  case ScalarType::UChar: return "|u1";
  case ScalarType::Short: return "<i2";
  case ScalarType::UShort:
  case ScalarType::BFloat: return "<u2";
  case ScalarType::Int: return "<i4";
  case ScalarType::UInt: return "<u4";
  case ScalarType::Long: return "<i8";
  case ScalarType::ULong: return "<u8";
  case ScalarType::Half: return "<f2";
  case ScalarType::Float: return "<f4";
  }
  return "";
}

std::optional<ScalarType> typeOf(std::string_view descr) {
  for (const ScalarTypeInfo &info : kScalarTypes) {
    const std::string_view known = descrOf(info.type);
    if (info.type == ScalarType::BFloat || known.substr(1) != descr.substr(std::min<size_t>(1, descr.size())))
      continue;
    // The order of one byte does not matter; '=' is native order, which is little-endian here.
    if (descr[0] == '<' || descr[0] == '=' || descr[0] == '|' || info.bytes == 1)
      return info.type;
  }
  return std::nullopt;
}

Error npyError(const std::string &name, std::string message, std::string hint = {}) {
  Error error = Error::usage("npy", std::move(message), std::move(hint));
  error.diagnostics.front().where.file = name;
  return error;
}

Error unsupportedType(const std::string &name, const std::string &descr) {
  if (descr[0] == '>')
    return npyError(name, fmt::format("big-endian data ('{}') is not supported", descr),
                    fmt::format("in NumPy: numpy.save(file, a.astype('<{}'))", descr.substr(1)));
  if (descr.find('O') != descr.npos)
    return npyError(
        name, fmt::format("the array holds Python objects ('{}'), not numbers", descr),
        "in NumPy: save an array with a numeric dtype, numpy.save(file, a.astype(numpy.float32))");
  return npyError(name, fmt::format("dtype '{}' has no counterpart in Metal", descr),
                  "supported: bool, int8 to int64, uint8 to uint64, float16, float32; in NumPy: "
                  "a.astype(numpy.float32)");
}

// The number of bytes that the shape says, if it fits.
std::optional<uint64_t> byteCount(const std::vector<uint64_t> &shape, uint64_t elementBytes) {
  uint64_t bytes = elementBytes;
  for (uint64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  return bytes;
}

std::string shapeText(const std::vector<uint64_t> &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Error fileError(Rule rule, const std::string &path, std::string_view what, int error) {
  return Error::usage(std::move(rule), fmt::format("{} '{}': {}", what, path, std::strerror(error)));
}

} // namespace

uint64_t NpyArray::count() const {
  return data.size() / scalarTypeInfo(type).bytes;
}

Result<NpyArray> parseNpy(std::string_view bytes, const std::string &name) {
  if (!bytes.starts_with(kMagic))
    return npyError(name, "not an .npy file: it does not begin with \\x93NUMPY",
                    "raw bytes are read from files whose name ends in .bin");
  const size_t versionAt = kMagic.size();
  if (bytes.size() < versionAt + 2)
    return npyError(name, fmt::format("truncated: {} bytes, less than a header", bytes.size()));
  const unsigned major = static_cast<uint8_t>(bytes[versionAt]);
  if (major < 1 || major > 3)
    return npyError(name, fmt::format("version {} of the .npy format is not known (1 to 3 are)", major));
  const size_t lengthBytes = major == 1 ? 2 : 4;
  const size_t headerAt = versionAt + 2 + lengthBytes;
  if (bytes.size() < headerAt)
    return npyError(name, fmt::format("truncated: {} bytes, less than a header", bytes.size()));
  uint64_t headerLength = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    headerLength |= uint64_t(static_cast<uint8_t>(bytes[versionAt + 2 + i])) << (8 * i);
  if (headerLength > bytes.size() - headerAt)
    return npyError(name, fmt::format("truncated: the header should be {} bytes, {} are left", headerLength,
                                      bytes.size() - headerAt));

  const std::optional<Header> header = HeaderParser(bytes.substr(headerAt, headerLength)).parse();
  if (!header || !header->fortranOrder || !header->shape)
    return npyError(name, "the header is not that of an array of numbers",
                    "structured dtypes are not supported; save each field by itself");
  const std::optional<ScalarType> type = typeOf(header->descr);
  if (!type)
    return unsupportedType(name, header->descr);
  if (*header->fortranOrder)
    return npyError(name, "the array is in Fortran order; kernels index in C order",
                    "in NumPy: numpy.save(file, numpy.ascontiguousarray(a))");

  const std::string_view data = bytes.substr(headerAt + headerLength);
  const std::optional<uint64_t> expected = byteCount(*header->shape, scalarTypeInfo(*type).bytes);
  if (!expected)
    return npyError(name, fmt::format("shape {} is larger than memory can be", shapeText(*header->shape)));
  if (data.size() != *expected)
    return npyError(name, fmt::format("{}: shape {} of '{}' needs {} bytes of data, the file has {}",
                                      data.size() < *expected ? "truncated" : "too long",
                                      shapeText(*header->shape), header->descr, *expected, data.size()));
  return NpyArray{*type, *header->shape, std::string(data)};
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  return parseNpy(*bytes, path);
}

std::string npyBytes(ScalarType type, const std::vector<uint64_t> &shape, std::string_view data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descrOf(type),
                                   shapeText(shape));
  const size_t head = kMagic.size() + 4; // version and length
  header.append((kHeaderAlignment - (head + header.size() + 1) % kHeaderAlignment) % kHeaderAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes += data;
  return bytes;
}

Result<std::string> readFile(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError(errno == ENOENT ? Rule("no-such-file") : Rule("unreadable-file"), path, "cannot read",
                     errno);
  std::string bytes;
  constexpr size_t kStep = size_t(1) << 20;
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode))
    bytes.reserve(info.st_size + 1);
  for (size_t done = 0;;) {
    bytes.resize(done + std::max(kStep, bytes.capacity() - done));
    const ssize_t n = ::read(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    const int error = errno;
    if (n <= 0) {
      ::close(fd);
      bytes.resize(done);
      return n < 0 ? Result<std::string>(fileError("unreadable-file", path, "cannot read", error))
                   : Result<std::string>(std::move(bytes));
    }
    done += n;
  }
}

Result<SourceFile> readSource(const std::string &path) {
  const bool input = path == "-";
  Result<std::string> text = readFile(input ? "/dev/stdin" : path);
  if (!text)
    return text.error();
  struct stat info;
  const bool once = input || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode);
  return SourceFile{input ? "<stdin>" : path, std::move(*text), once};
}

Result<void> writeFileAtomically(const std::string &path, std::string_view bytes) {
  // /dev/stdout and pipes cannot be replaced; they are written as they are.
  struct stat info;
  const bool inPlace = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
  const std::string target = inPlace ? path : fmt::format("{}.tmp-{}", path, ::getpid());
  const int fd = ::open(target.c_str(), O_WRONLY | O_CREAT | (inPlace ? 0 : O_TRUNC) | O_CLOEXEC, 0666);
  if (fd < 0)
    return fileError("unwritable-file", path, "cannot write", errno);
  int error = 0;
  while (!bytes.empty() && !error) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR)
      error = errno;
    bytes.remove_prefix(n > 0 ? n : 0);
  }
  if (::close(fd) != 0 && !error)
    error = errno;
  if (!error && !inPlace && ::rename(target.c_str(), path.c_str()) != 0)
    error = errno;
  if (!error)
    return {};
  if (!inPlace)
    ::unlink(target.c_str());
  return fileError("unwritable-file", path, "cannot write", error);
}

} // namespace assay
