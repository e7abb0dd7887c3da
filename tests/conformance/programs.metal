// Programs in the idioms that applications ship, after published algorithms. programs_test.cpp knows what they
// compute by published answers and by references of its own.
#include <metal_stdlib>
using namespace metal;

// ---- SHA-256 (FIPS 180-4): private bytes indexed at run time, early exits, one message a thread ----

struct Sha256 {
  uint state[8];
  uchar block[64];
  uint fill;
  ulong total;
};

#define ROTR(x, n) rotate((x), uint(32 - (n)))

void compress(thread Sha256 &s, constant uint *k) {
  uint w[64];
  for (uint i = 0; i < 16; ++i)
    w[i] = uint(s.block[4 * i]) << 24 | uint(s.block[4 * i + 1]) << 16 | uint(s.block[4 * i + 2]) << 8 | s.block[4 * i + 3];
  for (uint i = 16; i < 64; ++i)
    w[i] = w[i - 16] + w[i - 7] + (ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ w[i - 2] >> 10);
  uint a[8];
  for (uint i = 0; i < 8; ++i)
    a[i] = s.state[i];
  for (uint i = 0; i < 64; ++i) {
    const uint one = a[7] + (ROTR(a[4], 6) ^ ROTR(a[4], 11) ^ ROTR(a[4], 25)) + ((a[4] & a[5]) ^ (~a[4] & a[6])) + k[i] + w[i];
    const uint two = (ROTR(a[0], 2) ^ ROTR(a[0], 13) ^ ROTR(a[0], 22)) + ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
    for (uint j = 7; j > 0; --j)
      a[j] = a[j - 1];
    a[4] += one;
    a[0] = one + two;
  }
  for (uint i = 0; i < 8; ++i)
    s.state[i] += a[i];
}

void put(thread Sha256 &s, constant uint *k, uchar byte) {
  s.block[s.fill++] = byte;
  if (s.fill == 64) {
    compress(s, k);
    s.fill = 0;
  }
}

kernel void sha256(device const uchar *data [[buffer(0)]], device const uint2 *span [[buffer(1)]],
                   constant uint *tables [[buffer(2)]], device uchar *digest [[buffer(3)]],
                   constant uint &count [[buffer(4)]], uint id [[thread_position_in_grid]]) {
  if (id >= count)
    return;
  constant uint *k = tables + 8;
  Sha256 s = {};
  for (ushort i = 0; i < 8; ++i)
    s.state[i] = tables[i];
  device const uchar *p = data + span[id].x;
  for (uint n = span[id].y; n--; ++s.total)
    put(s, k, *p++);
  put(s, k, 0x80);
  while (s.fill != 56)
    put(s, k, 0);
  for (int i = 7; i >= 0; --i)
    put(s, k, uchar(s.total * 8 >> (8 * i)));
  for (uint i = 0; i < 32; ++i)
    digest[id * 32 + i] = s.state[i / 4] >> (24 - 8 * (i & 3));
}

// ---- ChaCha20 (RFC 8439): rows as vectors, rotated by swizzles ----

struct ChaChaKey {
  uint4 low, high;
  packed_uint3 nonce;
  uint counter;
};

static void quarter(thread uint4 &a, thread uint4 &b, thread uint4 &c, thread uint4 &d) {
  a += b, d = rotate(d ^ a, 16u), c += d, b = rotate(b ^ c, uint4(12));
  a += b, d ^= a, d = d << 8 | d >> 24, c += d, b = rotate(b ^ c, 7);
}

kernel void chacha20(constant ChaChaKey &key [[buffer(0)]], device uint4 *stream [[buffer(1)]],
                     uint block [[thread_position_in_grid]]) {
  const uint4 sigma(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), tail(key.counter + block, key.nonce);
  uint4 a = sigma, b = key.low, c = key.high, d = tail;
  for (int i = 0; i < 10; ++i) {
    quarter(a, b, c, d);
    b = b.yzwx, c = c.zwxy, d = d.wxyz;
    quarter(a, b, c, d);
    b = b.wxyz, c = c.zwxy, d = d.yzwx;
  }
  stream += block * 4;
  stream[0] = a + sigma, stream[1] = b + key.low, stream[2] = c + key.high, stream[3] = d + tail;
}

// ---- AES-128 (FIPS 197): tables that a threadgroup makes ----

inline uchar twice(uchar x) {
  return x << 1 ^ (x >> 7) * 0x1b;
}
inline uint column(threadgroup const uint (&t)[4][256], uint4 s, ushort c) {
  return t[0][s[c] & 255] ^ t[1][s[(c + 1) & 3] >> 8 & 255] ^ t[2][s[(c + 2) & 3] >> 16 & 255] ^ t[3][s[(c + 3) & 3] >> 24];
}

kernel void aes128(constant uchar *key [[buffer(0)]], device uchar4 *data [[buffer(1)]],
                   constant uint &blocks [[buffer(2)]], ushort lid [[thread_index_in_threadgroup]],
                   ushort threads [[threads_per_threadgroup]], uint id [[thread_position_in_grid]]) {
  threadgroup uchar box[256];
  threadgroup uint t[4][256];
  threadgroup uchar4 round[44];
  for (uint i = lid; i < 256; i += threads) { // the inverse is x^254
    uchar inverse = 1, power = i;
    for (int bit = 0; bit < 7; ++bit) {
      uchar square = 0, product = 0;
      for (uchar x = power, y = power; y; y >>= 1, x = twice(x))
        square ^= y & 1 ? x : 0;
      power = square;
      for (uchar x = inverse, y = power; y; y >>= 1, x = twice(x))
        product ^= y & 1 ? x : 0;
      inverse = product;
    }
    const uchar s = inverse ^ rotate(inverse, uchar(1)) ^ rotate(inverse, uchar(2)) ^ rotate(inverse, uchar(3)) ^ rotate(inverse, uchar(4)) ^ 0x63;
    box[i] = s;
    const uint word = as_type<uint>(uchar4(twice(s), s, s, twice(s) ^ s));
    t[0][i] = word, t[1][i] = rotate(word, 8u), t[2][i] = rotate(word, 16u), t[3][i] = rotate(word, 24u);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (lid == 0) {
    uchar constant_of_round = 1;
    for (ushort i = 0; i < 44; ++i) {
      if (i < 4) {
        round[i] = uchar4(key[4 * i], key[4 * i + 1], key[4 * i + 2], key[4 * i + 3]);
        continue;
      }
      uchar4 w = round[i - 1];
      if (!(i & 3)) {
        w = uchar4(box[w.y], box[w.z], box[w.w], box[w.x]);
        w.x ^= constant_of_round;
        constant_of_round = twice(constant_of_round);
      }
      round[i] = round[i - 4] ^ w;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (id >= blocks)
    return;
  threadgroup const uint *k = (threadgroup const uint *)round;
  uint4 s;
  for (ushort c = 0; c < 4; ++c)
    s[c] = as_type<uint>(data[id * 4 + c]) ^ k[c];
  for (ushort r = 1; r < 10; ++r) {
    uint4 next;
    for (ushort c = 0; c < 4; ++c)
      next[c] = column(t, s, c) ^ k[4 * r + c];
    s = next;
  }
  for (ushort c = 0; c < 4; ++c)
    data[id * 4 + c] = uchar4(box[s[c] & 255], box[extract_bits(s[(c + 1) & 3], 8, 8)], box[s[(c + 2) & 3] >> 16 & 255], box[s[(c + 3) & 3] >> 24]) ^ round[40 + c];
}

// ---- Mersenne Twister (Matsumoto and Nishimura) and Philox (Salmon et al.) ----

struct Twister {
  uint s[624];
  ushort at;
  void seed(uint x) thread {
    s[0] = x;
    for (ushort i = 1; i < 624; ++i)
      s[i] = 1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i;
    at = 624;
  }
  uint operator()() thread {
    if (at >= 624) {
      for (ushort i = 0; i < 624; ++i) {
        const uint y = (s[i] & 0x80000000u) | (s[(i + 1) % 624] & 0x7fffffffu);
        s[i] = s[(i + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0u);
      }
      at = 0;
    }
    uint y = s[at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }
};

kernel void twister(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  Twister random;
  random.seed(5489 + i * 77);
  for (int n = 0; n < 999; ++n)
    random();
  out[i] = random();
}

kernel void philox(device const uint4 *counters [[buffer(0)]], device const uint2 *keys [[buffer(1)]],
                   device uint4 *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  uint4 c = counters[i];
  uint2 k = keys[i];
  const uint2 m(0xd2511f53, 0xcd9e8d57);
  for (int n = 0; n < 10; ++n) {
    const uint2 high = mulhi(m, c.xz), low = m * c.xz;
    c = uint4(high.yx ^ c.yw ^ k, low.yx).xzyw;
    k += uint2(0x9e3779b9, 0xbb67ae85);
  }
  out[i] = c;
}

// ---- a scan in one pass with decoupled look-back (Merrill and Garland) ----

constant constexpr uint kItems = 4, kThreads = 64, kTile = kItems * kThreads;
constant constexpr uint kAggregate = 1u << 30, kPrefix = 2u << 30, kValue = (1u << 30) - 1;

kernel void look_back(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                      device atomic_uint *state [[buffer(2)]], device atomic_uint &ticket [[buffer(3)]],
                      constant uint &n [[buffer(4)]], ushort lid [[thread_position_in_threadgroup]],
                      ushort lane [[thread_index_in_simdgroup]], ushort group [[simdgroup_index_in_threadgroup]]) {
  threadgroup struct {
    uint sums[kThreads / 32], tile, before;
  } shared;
  if (lid == 0)
    shared.tile = atomic_fetch_add_explicit(&ticket, 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const uint tile = shared.tile, base = tile * kTile + lid * kItems;
  uint v[kItems], sum = 0;
  for (uint i = 0; i < kItems; ++i)
    sum += v[i] = base + i < n ? in[base + i] : 0;
  const uint scan = simd_prefix_inclusive_sum(sum);
  if (lane == 31)
    shared.sums[group] = scan;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (group == 0) {
    const uint total = shared.sums[0] + shared.sums[1];
    if (lane == 0)
      atomic_store_explicit(state + tile, total | (tile ? kAggregate : kPrefix), memory_order_relaxed);
    uint before = 0;
    for (int from = int(tile) - 1; from >= 0; from -= 32) {
      uint word = kPrefix;
      if (from >= lane)
        do
          word = atomic_load_explicit(state + from - lane, memory_order_relaxed);
        while (word <= kValue);
      const uint done = uint(ulong(simd_ballot((word & ~kValue) == kPrefix)));
      before += simd_sum(!done || lane <= ctz(done) ? word & kValue : 0u);
      if (done)
        break;
    }
    if (lane == 0) {
      atomic_store_explicit(state + tile, (before + total) | kPrefix, memory_order_relaxed);
      shared.before = before;
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint running = shared.before + scan - sum + (group ? shared.sums[0] : 0);
  for (uint i = 0; i < kItems && base + i < n; running += v[i++])
    out[base + i] = running;
}

// ---- the 32 largest of each row: bitonic networks of structs in a simdgroup, merged in a threadgroup ----

struct Item {
  float value;
  int index;
  bool above(Item o) const { return value > o.value || (value == o.value && index < o.index); }
  Item from(ushort lane) const { return {simd_shuffle(value, lane), simd_shuffle(index, lane)}; }
};

Item merged(Item x, ushort lane, ushort k) {
  for (ushort j = k / 2; j; j /= 2) {
    const Item y = x.from(lane ^ j);
    x = x.above(y) == (((lane & j) == 0) == ((lane & k) == 0 || k == 32)) ? x : y;
  }
  return x;
}
Item larger_half(Item a, Item b, ushort lane) { // both descending
  b = b.from(31 - lane);
  return merged(a.above(b) ? a : b, lane, 32);
}

kernel void largest(device const float *x [[buffer(0)]], device float *values [[buffer(1)]],
                    device int *indices [[buffer(2)]], constant int &n [[buffer(3)]],
                    ushort lane [[thread_index_in_simdgroup]], ushort group [[simdgroup_index_in_threadgroup]],
                    ushort groups [[simdgroups_per_threadgroup]], uint row [[threadgroup_position_in_grid]]) {
  threadgroup Item shared[8][32];
  Item best = {-INFINITY, INT_MAX};
  for (int base = group * 32; base < n; base += groups * 32) {
    const int i = base + lane;
    Item item = i < n ? Item{x[row * n + i], i} : Item{-INFINITY, INT_MAX};
    if (!simd_any(item.above(best.from(31))))
      continue;
    for (ushort k = 2; k <= 32; k *= 2)
      item = merged(item, lane, k);
    best = larger_half(best, item, lane);
  }
  for (ushort live = groups; live > 1; live /= 2) {
    shared[group][lane] = best;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group < live / 2)
      best = larger_half(best, shared[group + live / 2][lane], lane);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (group == 0) {
    values[row * 32 + lane] = best.value;
    indices[row * 32 + lane] = best.index;
  }
}

// ---- a number-theoretic transform modulo 2^64 - 2^32 + 1 ----

constant constexpr ulong P = 0xffffffff00000001;

inline ulong product(ulong a, ulong b) {
  const ulong high = mulhi(a, b), low = a * b, top = high >> 32;
  ulong t = low - top - (low < top ? 0xffffffff : 0);
  const ulong u = (high << 32) - uint(high);
  t += u;
  t += t < u ? 0xffffffff : 0;
  return t >= P ? t - P : t;
}

kernel void transform(device ulong *x [[buffer(0)]], constant ulong &root [[buffer(1)]],
                      ushort i [[thread_index_in_threadgroup]], uint row [[threadgroup_position_in_grid]]) {
  threadgroup ulong s[128];
  x += row * 128;
  for (ushort e = i; e < 128; e += 64)
    s[e] = x[reverse_bits(e) >> 9];
  for (ushort half_length = 1; half_length < 128; half_length *= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const ushort j = i & (half_length - 1), a = (i - j) * 2 + j;
    ulong power = 1, square = root;
    for (uint e = j * (64 / half_length); e; e >>= 1, square = product(square, square))
      if (e & 1)
        power = product(power, square);
    const ulong u = s[a], v = product(s[a + half_length], power), sum = u + v;
    s[a] = sum < u || sum >= P ? sum - P : sum;
    s[a + half_length] = u >= v ? u - v : u + (P - v);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort e = i; e < 128; e += 64)
    x[e] = s[e];
}
