// What `for (int x : {1, 2, 3})` and a parameter of a braced list are in C++: the language names std for it.
#pragma once
#pragma clang system_header

namespace std {

// The compiler makes objects of this class, of a pointer and a length in this order.
template <class _E> class initializer_list {
  const _E *first_ = nullptr;
  size_t size_ = 0;

public:
  typedef _E value_type;
  typedef const _E &reference;
  typedef const _E &const_reference;
  typedef size_t size_type;
  typedef const _E *iterator;
  typedef const _E *const_iterator;
  constexpr initializer_list() noexcept = default;
  constexpr METAL_FUNC size_t size() const noexcept { return size_; }
  constexpr METAL_FUNC const _E *begin() const noexcept { return first_; }
  constexpr METAL_FUNC const _E *end() const noexcept { return first_ + size_; }
};

} // namespace std

namespace metal {
using std::initializer_list;
}
