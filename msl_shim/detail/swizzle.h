// The swizzles of a vector class: v.xy, v.zw = p, v.rgb *= s.
//
// A swizzle of two or more components is a Microsoft property: it has no storage, so layout and trivial
// constructors stay, and its value is a real vec, so template deduction works. Two spellings share one
// getter. Only a tuple without repetition has a setter, so `v.xx = p` does not compile. A setter returns what
// was assigned, for chains: `v.zw = v.xy = p`. Single components are lvalues.
//
// __ASSAY_SWIZZLES_N, N = 1, 2, 3, 4, expands to all of them inside a class with members x, y, z, w and
// element T. The table is written out, because building the names from letters by the preprocessor tripled
// the cost of this header.
//
// Longer swizzles, and those of volatile vectors and of vectors of more than four, are calls:
// emulator/frontend/component_fixes.h.
#pragma once
#pragma clang system_header

namespace metal {
namespace __assay {

// Components that are assigned to: v.lo = a, of a vector of more than four, and v.xy += a, of a volatile one.
// A const vector's can only be read.
template <class _V, class _W, int... _I> struct ReadComponents {
  _V &vector;
  METAL_FUNC ReadComponents(_V &v) : vector(v) {}
  METAL_FUNC _W __read() const { return _W(static_cast<__remove_cvref(decltype(vector[0]))>(vector[_I])...); }
  __declspec(property(get = __read)) _W all;
};
template <class _V, class _W, int... _I> struct Components : ReadComponents<_V, _W, _I...> {
  using ReadComponents<_V, _W, _I...>::ReadComponents;
  METAL_FUNC _W __write(_W value) const {
    int next = 0;
    ((this->vector[_I] = value[next++]), ...);
    return value;
  }
  __declspec(property(get = __read, put = __write)) _W all;
};
template <class _V, class _W, int... _I>
struct Components<const _V, _W, _I...> : ReadComponents<const _V, _W, _I...> {
  using ReadComponents<const _V, _W, _I...>::ReadComponents;
};

} // namespace __assay
} // namespace metal

// R: read. W: read and write.
#define __ASSAY_R2(xy, rg, a, b)                                                                             \
  constexpr METAL_FUNC metal::vec<_T, 2> __get_##xy() const {                                                \
    return metal::vec<_T, 2>(a, b);                                                                          \
  }                                                                                                          \
  __declspec(property(get = __get_##xy)) metal::vec<_T, 2> xy, rg;
#define __ASSAY_R3(xyz, rgb, a, b, c)                                                                        \
  constexpr METAL_FUNC metal::vec<_T, 3> __get_##xyz() const {                                               \
    return metal::vec<_T, 3>(a, b, c);                                                                       \
  }                                                                                                          \
  __declspec(property(get = __get_##xyz)) metal::vec<_T, 3> xyz, rgb;
#define __ASSAY_R4(xyzw, rgba, a, b, c, d)                                                                   \
  constexpr METAL_FUNC metal::vec<_T, 4> __get_##xyzw() const {                                              \
    return metal::vec<_T, 4>(a, b, c, d);                                                                    \
  }                                                                                                          \
  __declspec(property(get = __get_##xyzw)) metal::vec<_T, 4> xyzw, rgba;
#define __ASSAY_W2(xy, rg, a, b)                                                                             \
  constexpr METAL_FUNC metal::vec<_T, 2> __get_##xy() const {                                                \
    return metal::vec<_T, 2>(a, b);                                                                          \
  }                                                                                                          \
  constexpr METAL_FUNC metal::vec<_T, 2> __put_##xy(metal::vec<_T, 2> v) {                                   \
    a = v.x, b = v.y;                                                                                        \
    return v;                                                                                                \
  }                                                                                                          \
  __declspec(property(get = __get_##xy, put = __put_##xy)) metal::vec<_T, 2> xy, rg;
#define __ASSAY_W3(xyz, rgb, a, b, c)                                                                        \
  constexpr METAL_FUNC metal::vec<_T, 3> __get_##xyz() const {                                               \
    return metal::vec<_T, 3>(a, b, c);                                                                       \
  }                                                                                                          \
  constexpr METAL_FUNC metal::vec<_T, 3> __put_##xyz(metal::vec<_T, 3> v) {                                  \
    a = v.x, b = v.y, c = v.z;                                                                               \
    return v;                                                                                                \
  }                                                                                                          \
  __declspec(property(get = __get_##xyz, put = __put_##xyz)) metal::vec<_T, 3> xyz, rgb;
#define __ASSAY_W4(xyzw, rgba, a, b, c, d)                                                                   \
  constexpr METAL_FUNC metal::vec<_T, 4> __get_##xyzw() const {                                              \
    return metal::vec<_T, 4>(a, b, c, d);                                                                    \
  }                                                                                                          \
  constexpr METAL_FUNC metal::vec<_T, 4> __put_##xyzw(metal::vec<_T, 4> v) {                                 \
    a = v.x, b = v.y, c = v.z, d = v.w;                                                                      \
    return v;                                                                                                \
  }                                                                                                          \
  __declspec(property(get = __get_##xyzw, put = __put_##xyzw)) metal::vec<_T, 4> xyzw, rgba;

// The halves of a vector, and every other component: names of Clang's own vectors, which Apple's compiler
// has. A half of two components is a scalar. Of three components the fourth is missing, so only these two are
// there.
#define __ASSAY_HALVES_2                                                                                     \
  constexpr METAL_FUNC _T __get_x() const {                                                                  \
    return x;                                                                                                \
  }                                                                                                          \
  constexpr METAL_FUNC _T __put_x(_T v) {                                                                    \
    return x = v;                                                                                            \
  }                                                                                                          \
  constexpr METAL_FUNC _T __get_y() const {                                                                  \
    return y;                                                                                                \
  }                                                                                                          \
  constexpr METAL_FUNC _T __put_y(_T v) {                                                                    \
    return y = v;                                                                                            \
  }                                                                                                          \
  __declspec(property(get = __get_x, put = __put_x)) _T lo, even;                                            \
  __declspec(property(get = __get_y, put = __put_y)) _T hi, odd;
#define __ASSAY_HALVES_3                                                                                     \
  __declspec(property(get = __get_xy, put = __put_xy)) metal::vec<_T, 2> lo;                                 \
  __declspec(property(get = __get_xz, put = __put_xz)) metal::vec<_T, 2> even;
#define __ASSAY_HALVES_4                                                                                     \
  __ASSAY_HALVES_3                                                                                           \
  __declspec(property(get = __get_zw, put = __put_zw)) metal::vec<_T, 2> hi;                                 \
  __declspec(property(get = __get_yw, put = __put_yw)) metal::vec<_T, 2> odd;

// Tuples of x: of a vector of one component.
#define __ASSAY_SWIZZLES_1                                                                                   \
  __ASSAY_R2(xx, rr, x, x) __ASSAY_R3(xxx, rrr, x, x, x) __ASSAY_R4(xxxx, rrrr, x, x, x, x)
// clang-format off
// Tuples of x and y.
#define __ASSAY_SWIZZLES_2 \
  __ASSAY_R2(xx, rr, x, x) __ASSAY_W2(xy, rg, x, y) __ASSAY_W2(yx, gr, y, x) __ASSAY_R2(yy, gg, y, y) \
  __ASSAY_R3(xxx, rrr, x, x, x) __ASSAY_R3(xxy, rrg, x, x, y) __ASSAY_R3(xyx, rgr, x, y, x) \
  __ASSAY_R3(xyy, rgg, x, y, y) __ASSAY_R3(yxx, grr, y, x, x) __ASSAY_R3(yxy, grg, y, x, y) \
  __ASSAY_R3(yyx, ggr, y, y, x) __ASSAY_R3(yyy, ggg, y, y, y) __ASSAY_R4(xxxx, rrrr, x, x, x, x) \
  __ASSAY_R4(xxxy, rrrg, x, x, x, y) __ASSAY_R4(xxyx, rrgr, x, x, y, x) __ASSAY_R4(xxyy, rrgg, x, x, y, y) \
  __ASSAY_R4(xyxx, rgrr, x, y, x, x) __ASSAY_R4(xyxy, rgrg, x, y, x, y) __ASSAY_R4(xyyx, rggr, x, y, y, x) \
  __ASSAY_R4(xyyy, rggg, x, y, y, y) __ASSAY_R4(yxxx, grrr, y, x, x, x) __ASSAY_R4(yxxy, grrg, y, x, x, y) \
  __ASSAY_R4(yxyx, grgr, y, x, y, x) __ASSAY_R4(yxyy, grgg, y, x, y, y) __ASSAY_R4(yyxx, ggrr, y, y, x, x) \
  __ASSAY_R4(yyxy, ggrg, y, y, x, y) __ASSAY_R4(yyyx, gggr, y, y, y, x) __ASSAY_R4(yyyy, gggg, y, y, y, y)
// Tuples with a z.
#define __ASSAY_SWIZZLES_3 \
  __ASSAY_SWIZZLES_2 \
  __ASSAY_W2(xz, rb, x, z) __ASSAY_W2(yz, gb, y, z) __ASSAY_W2(zx, br, z, x) __ASSAY_W2(zy, bg, z, y) \
  __ASSAY_R2(zz, bb, z, z) __ASSAY_R3(xxz, rrb, x, x, z) __ASSAY_W3(xyz, rgb, x, y, z) \
  __ASSAY_R3(xzx, rbr, x, z, x) __ASSAY_W3(xzy, rbg, x, z, y) __ASSAY_R3(xzz, rbb, x, z, z) \
  __ASSAY_W3(yxz, grb, y, x, z) __ASSAY_R3(yyz, ggb, y, y, z) __ASSAY_W3(yzx, gbr, y, z, x) \
  __ASSAY_R3(yzy, gbg, y, z, y) __ASSAY_R3(yzz, gbb, y, z, z) __ASSAY_R3(zxx, brr, z, x, x) \
  __ASSAY_W3(zxy, brg, z, x, y) __ASSAY_R3(zxz, brb, z, x, z) __ASSAY_W3(zyx, bgr, z, y, x) \
  __ASSAY_R3(zyy, bgg, z, y, y) __ASSAY_R3(zyz, bgb, z, y, z) __ASSAY_R3(zzx, bbr, z, z, x) \
  __ASSAY_R3(zzy, bbg, z, z, y) __ASSAY_R3(zzz, bbb, z, z, z) __ASSAY_R4(xxxz, rrrb, x, x, x, z) \
  __ASSAY_R4(xxyz, rrgb, x, x, y, z) __ASSAY_R4(xxzx, rrbr, x, x, z, x) __ASSAY_R4(xxzy, rrbg, x, x, z, y) \
  __ASSAY_R4(xxzz, rrbb, x, x, z, z) __ASSAY_R4(xyxz, rgrb, x, y, x, z) __ASSAY_R4(xyyz, rggb, x, y, y, z) \
  __ASSAY_R4(xyzx, rgbr, x, y, z, x) __ASSAY_R4(xyzy, rgbg, x, y, z, y) __ASSAY_R4(xyzz, rgbb, x, y, z, z) \
  __ASSAY_R4(xzxx, rbrr, x, z, x, x) __ASSAY_R4(xzxy, rbrg, x, z, x, y) __ASSAY_R4(xzxz, rbrb, x, z, x, z) \
  __ASSAY_R4(xzyx, rbgr, x, z, y, x) __ASSAY_R4(xzyy, rbgg, x, z, y, y) __ASSAY_R4(xzyz, rbgb, x, z, y, z) \
  __ASSAY_R4(xzzx, rbbr, x, z, z, x) __ASSAY_R4(xzzy, rbbg, x, z, z, y) __ASSAY_R4(xzzz, rbbb, x, z, z, z) \
  __ASSAY_R4(yxxz, grrb, y, x, x, z) __ASSAY_R4(yxyz, grgb, y, x, y, z) __ASSAY_R4(yxzx, grbr, y, x, z, x) \
  __ASSAY_R4(yxzy, grbg, y, x, z, y) __ASSAY_R4(yxzz, grbb, y, x, z, z) __ASSAY_R4(yyxz, ggrb, y, y, x, z) \
  __ASSAY_R4(yyyz, gggb, y, y, y, z) __ASSAY_R4(yyzx, ggbr, y, y, z, x) __ASSAY_R4(yyzy, ggbg, y, y, z, y) \
  __ASSAY_R4(yyzz, ggbb, y, y, z, z) __ASSAY_R4(yzxx, gbrr, y, z, x, x) __ASSAY_R4(yzxy, gbrg, y, z, x, y) \
  __ASSAY_R4(yzxz, gbrb, y, z, x, z) __ASSAY_R4(yzyx, gbgr, y, z, y, x) __ASSAY_R4(yzyy, gbgg, y, z, y, y) \
  __ASSAY_R4(yzyz, gbgb, y, z, y, z) __ASSAY_R4(yzzx, gbbr, y, z, z, x) __ASSAY_R4(yzzy, gbbg, y, z, z, y) \
  __ASSAY_R4(yzzz, gbbb, y, z, z, z) __ASSAY_R4(zxxx, brrr, z, x, x, x) __ASSAY_R4(zxxy, brrg, z, x, x, y) \
  __ASSAY_R4(zxxz, brrb, z, x, x, z) __ASSAY_R4(zxyx, brgr, z, x, y, x) __ASSAY_R4(zxyy, brgg, z, x, y, y) \
  __ASSAY_R4(zxyz, brgb, z, x, y, z) __ASSAY_R4(zxzx, brbr, z, x, z, x) __ASSAY_R4(zxzy, brbg, z, x, z, y) \
  __ASSAY_R4(zxzz, brbb, z, x, z, z) __ASSAY_R4(zyxx, bgrr, z, y, x, x) __ASSAY_R4(zyxy, bgrg, z, y, x, y) \
  __ASSAY_R4(zyxz, bgrb, z, y, x, z) __ASSAY_R4(zyyx, bggr, z, y, y, x) __ASSAY_R4(zyyy, bggg, z, y, y, y) \
  __ASSAY_R4(zyyz, bggb, z, y, y, z) __ASSAY_R4(zyzx, bgbr, z, y, z, x) __ASSAY_R4(zyzy, bgbg, z, y, z, y) \
  __ASSAY_R4(zyzz, bgbb, z, y, z, z) __ASSAY_R4(zzxx, bbrr, z, z, x, x) __ASSAY_R4(zzxy, bbrg, z, z, x, y) \
  __ASSAY_R4(zzxz, bbrb, z, z, x, z) __ASSAY_R4(zzyx, bbgr, z, z, y, x) __ASSAY_R4(zzyy, bbgg, z, z, y, y) \
  __ASSAY_R4(zzyz, bbgb, z, z, y, z) __ASSAY_R4(zzzx, bbbr, z, z, z, x) __ASSAY_R4(zzzy, bbbg, z, z, z, y) \
  __ASSAY_R4(zzzz, bbbb, z, z, z, z)
// Tuples with a w.
#define __ASSAY_SWIZZLES_4 \
  __ASSAY_SWIZZLES_3 \
  __ASSAY_W2(xw, ra, x, w) __ASSAY_W2(yw, ga, y, w) __ASSAY_W2(zw, ba, z, w) __ASSAY_W2(wx, ar, w, x) \
  __ASSAY_W2(wy, ag, w, y) __ASSAY_W2(wz, ab, w, z) __ASSAY_R2(ww, aa, w, w) __ASSAY_R3(xxw, rra, x, x, w) \
  __ASSAY_W3(xyw, rga, x, y, w) __ASSAY_W3(xzw, rba, x, z, w) __ASSAY_R3(xwx, rar, x, w, x) \
  __ASSAY_W3(xwy, rag, x, w, y) __ASSAY_W3(xwz, rab, x, w, z) __ASSAY_R3(xww, raa, x, w, w) \
  __ASSAY_W3(yxw, gra, y, x, w) __ASSAY_R3(yyw, gga, y, y, w) __ASSAY_W3(yzw, gba, y, z, w) \
  __ASSAY_W3(ywx, gar, y, w, x) __ASSAY_R3(ywy, gag, y, w, y) __ASSAY_W3(ywz, gab, y, w, z) \
  __ASSAY_R3(yww, gaa, y, w, w) __ASSAY_W3(zxw, bra, z, x, w) __ASSAY_W3(zyw, bga, z, y, w) \
  __ASSAY_R3(zzw, bba, z, z, w) __ASSAY_W3(zwx, bar, z, w, x) __ASSAY_W3(zwy, bag, z, w, y) \
  __ASSAY_R3(zwz, bab, z, w, z) __ASSAY_R3(zww, baa, z, w, w) __ASSAY_R3(wxx, arr, w, x, x) \
  __ASSAY_W3(wxy, arg, w, x, y) __ASSAY_W3(wxz, arb, w, x, z) __ASSAY_R3(wxw, ara, w, x, w) \
  __ASSAY_W3(wyx, agr, w, y, x) __ASSAY_R3(wyy, agg, w, y, y) __ASSAY_W3(wyz, agb, w, y, z) \
  __ASSAY_R3(wyw, aga, w, y, w) __ASSAY_W3(wzx, abr, w, z, x) __ASSAY_W3(wzy, abg, w, z, y) \
  __ASSAY_R3(wzz, abb, w, z, z) __ASSAY_R3(wzw, aba, w, z, w) __ASSAY_R3(wwx, aar, w, w, x) \
  __ASSAY_R3(wwy, aag, w, w, y) __ASSAY_R3(wwz, aab, w, w, z) __ASSAY_R3(www, aaa, w, w, w) \
  __ASSAY_R4(xxxw, rrra, x, x, x, w) __ASSAY_R4(xxyw, rrga, x, x, y, w) __ASSAY_R4(xxzw, rrba, x, x, z, w) \
  __ASSAY_R4(xxwx, rrar, x, x, w, x) __ASSAY_R4(xxwy, rrag, x, x, w, y) __ASSAY_R4(xxwz, rrab, x, x, w, z) \
  __ASSAY_R4(xxww, rraa, x, x, w, w) __ASSAY_R4(xyxw, rgra, x, y, x, w) __ASSAY_R4(xyyw, rgga, x, y, y, w) \
  __ASSAY_W4(xyzw, rgba, x, y, z, w) __ASSAY_R4(xywx, rgar, x, y, w, x) __ASSAY_R4(xywy, rgag, x, y, w, y) \
  __ASSAY_W4(xywz, rgab, x, y, w, z) __ASSAY_R4(xyww, rgaa, x, y, w, w) __ASSAY_R4(xzxw, rbra, x, z, x, w) \
  __ASSAY_W4(xzyw, rbga, x, z, y, w) __ASSAY_R4(xzzw, rbba, x, z, z, w) __ASSAY_R4(xzwx, rbar, x, z, w, x) \
  __ASSAY_W4(xzwy, rbag, x, z, w, y) __ASSAY_R4(xzwz, rbab, x, z, w, z) __ASSAY_R4(xzww, rbaa, x, z, w, w) \
  __ASSAY_R4(xwxx, rarr, x, w, x, x) __ASSAY_R4(xwxy, rarg, x, w, x, y) __ASSAY_R4(xwxz, rarb, x, w, x, z) \
  __ASSAY_R4(xwxw, rara, x, w, x, w) __ASSAY_R4(xwyx, ragr, x, w, y, x) __ASSAY_R4(xwyy, ragg, x, w, y, y) \
  __ASSAY_W4(xwyz, ragb, x, w, y, z) __ASSAY_R4(xwyw, raga, x, w, y, w) __ASSAY_R4(xwzx, rabr, x, w, z, x) \
  __ASSAY_W4(xwzy, rabg, x, w, z, y) __ASSAY_R4(xwzz, rabb, x, w, z, z) __ASSAY_R4(xwzw, raba, x, w, z, w) \
  __ASSAY_R4(xwwx, raar, x, w, w, x) __ASSAY_R4(xwwy, raag, x, w, w, y) __ASSAY_R4(xwwz, raab, x, w, w, z) \
  __ASSAY_R4(xwww, raaa, x, w, w, w) __ASSAY_R4(yxxw, grra, y, x, x, w) __ASSAY_R4(yxyw, grga, y, x, y, w) \
  __ASSAY_W4(yxzw, grba, y, x, z, w) __ASSAY_R4(yxwx, grar, y, x, w, x) __ASSAY_R4(yxwy, grag, y, x, w, y) \
  __ASSAY_W4(yxwz, grab, y, x, w, z) __ASSAY_R4(yxww, graa, y, x, w, w) __ASSAY_R4(yyxw, ggra, y, y, x, w) \
  __ASSAY_R4(yyyw, ggga, y, y, y, w) __ASSAY_R4(yyzw, ggba, y, y, z, w) __ASSAY_R4(yywx, ggar, y, y, w, x) \
  __ASSAY_R4(yywy, ggag, y, y, w, y) __ASSAY_R4(yywz, ggab, y, y, w, z) __ASSAY_R4(yyww, ggaa, y, y, w, w) \
  __ASSAY_W4(yzxw, gbra, y, z, x, w) __ASSAY_R4(yzyw, gbga, y, z, y, w) __ASSAY_R4(yzzw, gbba, y, z, z, w) \
  __ASSAY_W4(yzwx, gbar, y, z, w, x) __ASSAY_R4(yzwy, gbag, y, z, w, y) __ASSAY_R4(yzwz, gbab, y, z, w, z) \
  __ASSAY_R4(yzww, gbaa, y, z, w, w) __ASSAY_R4(ywxx, garr, y, w, x, x) __ASSAY_R4(ywxy, garg, y, w, x, y) \
  __ASSAY_W4(ywxz, garb, y, w, x, z) __ASSAY_R4(ywxw, gara, y, w, x, w) __ASSAY_R4(ywyx, gagr, y, w, y, x) \
  __ASSAY_R4(ywyy, gagg, y, w, y, y) __ASSAY_R4(ywyz, gagb, y, w, y, z) __ASSAY_R4(ywyw, gaga, y, w, y, w) \
  __ASSAY_W4(ywzx, gabr, y, w, z, x) __ASSAY_R4(ywzy, gabg, y, w, z, y) __ASSAY_R4(ywzz, gabb, y, w, z, z) \
  __ASSAY_R4(ywzw, gaba, y, w, z, w) __ASSAY_R4(ywwx, gaar, y, w, w, x) __ASSAY_R4(ywwy, gaag, y, w, w, y) \
  __ASSAY_R4(ywwz, gaab, y, w, w, z) __ASSAY_R4(ywww, gaaa, y, w, w, w) __ASSAY_R4(zxxw, brra, z, x, x, w) \
  __ASSAY_W4(zxyw, brga, z, x, y, w) __ASSAY_R4(zxzw, brba, z, x, z, w) __ASSAY_R4(zxwx, brar, z, x, w, x) \
  __ASSAY_W4(zxwy, brag, z, x, w, y) __ASSAY_R4(zxwz, brab, z, x, w, z) __ASSAY_R4(zxww, braa, z, x, w, w) \
  __ASSAY_W4(zyxw, bgra, z, y, x, w) __ASSAY_R4(zyyw, bgga, z, y, y, w) __ASSAY_R4(zyzw, bgba, z, y, z, w) \
  __ASSAY_W4(zywx, bgar, z, y, w, x) __ASSAY_R4(zywy, bgag, z, y, w, y) __ASSAY_R4(zywz, bgab, z, y, w, z) \
  __ASSAY_R4(zyww, bgaa, z, y, w, w) __ASSAY_R4(zzxw, bbra, z, z, x, w) __ASSAY_R4(zzyw, bbga, z, z, y, w) \
  __ASSAY_R4(zzzw, bbba, z, z, z, w) __ASSAY_R4(zzwx, bbar, z, z, w, x) __ASSAY_R4(zzwy, bbag, z, z, w, y) \
  __ASSAY_R4(zzwz, bbab, z, z, w, z) __ASSAY_R4(zzww, bbaa, z, z, w, w) __ASSAY_R4(zwxx, barr, z, w, x, x) \
  __ASSAY_W4(zwxy, barg, z, w, x, y) __ASSAY_R4(zwxz, barb, z, w, x, z) __ASSAY_R4(zwxw, bara, z, w, x, w) \
  __ASSAY_W4(zwyx, bagr, z, w, y, x) __ASSAY_R4(zwyy, bagg, z, w, y, y) __ASSAY_R4(zwyz, bagb, z, w, y, z) \
  __ASSAY_R4(zwyw, baga, z, w, y, w) __ASSAY_R4(zwzx, babr, z, w, z, x) __ASSAY_R4(zwzy, babg, z, w, z, y) \
  __ASSAY_R4(zwzz, babb, z, w, z, z) __ASSAY_R4(zwzw, baba, z, w, z, w) __ASSAY_R4(zwwx, baar, z, w, w, x) \
  __ASSAY_R4(zwwy, baag, z, w, w, y) __ASSAY_R4(zwwz, baab, z, w, w, z) __ASSAY_R4(zwww, baaa, z, w, w, w) \
  __ASSAY_R4(wxxx, arrr, w, x, x, x) __ASSAY_R4(wxxy, arrg, w, x, x, y) __ASSAY_R4(wxxz, arrb, w, x, x, z) \
  __ASSAY_R4(wxxw, arra, w, x, x, w) __ASSAY_R4(wxyx, argr, w, x, y, x) __ASSAY_R4(wxyy, argg, w, x, y, y) \
  __ASSAY_W4(wxyz, argb, w, x, y, z) __ASSAY_R4(wxyw, arga, w, x, y, w) __ASSAY_R4(wxzx, arbr, w, x, z, x) \
  __ASSAY_W4(wxzy, arbg, w, x, z, y) __ASSAY_R4(wxzz, arbb, w, x, z, z) __ASSAY_R4(wxzw, arba, w, x, z, w) \
  __ASSAY_R4(wxwx, arar, w, x, w, x) __ASSAY_R4(wxwy, arag, w, x, w, y) __ASSAY_R4(wxwz, arab, w, x, w, z) \
  __ASSAY_R4(wxww, araa, w, x, w, w) __ASSAY_R4(wyxx, agrr, w, y, x, x) __ASSAY_R4(wyxy, agrg, w, y, x, y) \
  __ASSAY_W4(wyxz, agrb, w, y, x, z) __ASSAY_R4(wyxw, agra, w, y, x, w) __ASSAY_R4(wyyx, aggr, w, y, y, x) \
  __ASSAY_R4(wyyy, aggg, w, y, y, y) __ASSAY_R4(wyyz, aggb, w, y, y, z) __ASSAY_R4(wyyw, agga, w, y, y, w) \
  __ASSAY_W4(wyzx, agbr, w, y, z, x) __ASSAY_R4(wyzy, agbg, w, y, z, y) __ASSAY_R4(wyzz, agbb, w, y, z, z) \
  __ASSAY_R4(wyzw, agba, w, y, z, w) __ASSAY_R4(wywx, agar, w, y, w, x) __ASSAY_R4(wywy, agag, w, y, w, y) \
  __ASSAY_R4(wywz, agab, w, y, w, z) __ASSAY_R4(wyww, agaa, w, y, w, w) __ASSAY_R4(wzxx, abrr, w, z, x, x) \
  __ASSAY_W4(wzxy, abrg, w, z, x, y) __ASSAY_R4(wzxz, abrb, w, z, x, z) __ASSAY_R4(wzxw, abra, w, z, x, w) \
  __ASSAY_W4(wzyx, abgr, w, z, y, x) __ASSAY_R4(wzyy, abgg, w, z, y, y) __ASSAY_R4(wzyz, abgb, w, z, y, z) \
  __ASSAY_R4(wzyw, abga, w, z, y, w) __ASSAY_R4(wzzx, abbr, w, z, z, x) __ASSAY_R4(wzzy, abbg, w, z, z, y) \
  __ASSAY_R4(wzzz, abbb, w, z, z, z) __ASSAY_R4(wzzw, abba, w, z, z, w) __ASSAY_R4(wzwx, abar, w, z, w, x) \
  __ASSAY_R4(wzwy, abag, w, z, w, y) __ASSAY_R4(wzwz, abab, w, z, w, z) __ASSAY_R4(wzww, abaa, w, z, w, w) \
  __ASSAY_R4(wwxx, aarr, w, w, x, x) __ASSAY_R4(wwxy, aarg, w, w, x, y) __ASSAY_R4(wwxz, aarb, w, w, x, z) \
  __ASSAY_R4(wwxw, aara, w, w, x, w) __ASSAY_R4(wwyx, aagr, w, w, y, x) __ASSAY_R4(wwyy, aagg, w, w, y, y) \
  __ASSAY_R4(wwyz, aagb, w, w, y, z) __ASSAY_R4(wwyw, aaga, w, w, y, w) __ASSAY_R4(wwzx, aabr, w, w, z, x) \
  __ASSAY_R4(wwzy, aabg, w, w, z, y) __ASSAY_R4(wwzz, aabb, w, w, z, z) __ASSAY_R4(wwzw, aaba, w, w, z, w) \
  __ASSAY_R4(wwwx, aaar, w, w, w, x) __ASSAY_R4(wwwy, aaag, w, w, w, y) __ASSAY_R4(wwwz, aaab, w, w, w, z) \
  __ASSAY_R4(wwww, aaaa, w, w, w, w)
// clang-format on
