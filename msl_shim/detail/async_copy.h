// Copies that a simdgroup starts and waits for later: air.simdgroup_async_copy_*, which Metal's headers do
// not show. air_symbols.h gives them their symbols.
//
// Problem.  The copy runs beside the program. A kernel that reads the destination before the wait, or writes
//           the source before it, is wrong on a GPU, and right wherever the copy is done at once.
// Choice.   A copy is performed twice. Where it starts, the destination gets every bit of the source flipped:
//           this is the access that bounds checks and race checks see at the user's line. At the wait, the
//           destination gets what the source holds then. So a program that uses the destination early, that
//           changes the source early, or that does not wait computes something else, in every engine. Both
//           are plain accesses by the lanes, which share the elements, so that a missing wait is also a race
//           of lanes (docs/checking.md).
// The end.  Published kernels store their result and return without a wait: what is in flight is finished
//           where the thread ends (finish, called by emulator/frontend/entry_wrappers.cpp).
// Memory.   What is in flight is a thread's own: __assay_async_copies, which emulator/lowering/async_copies.h
//           places. A copy beyond what it holds is refused.
// Rejected. Performing it only at the wait: a fault would be there, without the name of the buffer; and stale
//           memory may hold the right values from the iteration before. Finishing it at barriers: a
//           threadgroup_barrier waits for no copy.
// source: the declarations and kernels of metal-flash-attention (MIT), in which a tile is (columns, rows),
// rows and columns past the source's tile become zero, the numbers after the row lengths are 1, and the
// origin is zero. No public code gives other values, and they are refused.
#pragma once
#pragma clang system_header

#include "../metal_simdgroup"

namespace metal {
namespace __assay {

inline constexpr ulong kAsyncCopies = 16;

struct AsyncCopy {
  ulong ticket; ///< 0: none, or finished
  ulong lanes;  ///< that started it
  device uchar *outside;
  threadgroup uchar *inside;
  ulong bytes, unit; ///< of an element; of an access
  ulong toRow, toColumns, toRows;
  ulong fromRow, fromColumns, fromRows; ///< rows are so many elements apart
  ulong toDevice, toEdge;
};

// What a thread has started.
struct AsyncCopies {
  ulong started;
  AsyncCopy copies[kAsyncCopies];
};

} // namespace __assay
} // namespace metal

extern "C" metal::__assay::AsyncCopies __assay_async_copies;

namespace metal {
namespace __assay {

// The calling lane's part of each row: every `step`-th access, where `step` lanes started the copy. Rows and
// their starts are the same for all lanes, which is cheap for the vector engine; a division is not.
template <class _Unit, class _To, class _From>
METAL_FUNC void copyTile(const AsyncCopy copy, _To to, _From from, _Unit flipped) {
  const ulong lane = __assay_builtin(kThreadIndexInSimdgroup, 0), units = copy.bytes / sizeof(_Unit);
  const ulong first = popcount(copy.lanes & ((ulong(1) << lane) - 1)), step = popcount(copy.lanes);
  const ulong shift = ctz(units);
  for (ulong row = 0; row < copy.toRows; ++row) {
    const ulong target = row * copy.toRow * units;
    const ulong source = (copy.toEdge ? min(row, copy.fromRows - 1) : row) * copy.fromRow * units;
    for (ulong i = first; i < copy.toColumns * units; i += step) {
      ulong column = i >> shift;
      const bool outside = row >= copy.fromRows || column >= copy.fromColumns;
      column = copy.toEdge ? min(column, copy.fromColumns - 1) : column;
      to[target + i] =
          (outside && !copy.toEdge ? _Unit(0) : from[source + (column << shift) + (i & (units - 1))]) ^
          flipped;
    }
  }
}
template <class _Unit> METAL_FUNC void copyUnits(const AsyncCopy copy, _Unit flipped) {
  const auto outside = reinterpret_cast<device _Unit *>(copy.outside);
  const auto inside = reinterpret_cast<threadgroup _Unit *>(copy.inside);
  if (copy.toDevice)
    copyTile<_Unit>(copy, outside, inside, flipped);
  else
    copyTile<_Unit>(copy, inside, outside, flipped);
}
METAL_FUNC void perform(const AsyncCopy copy, bool flip) {
  switch (copy.unit) {
  case 1: return copyUnits<uchar>(copy, flip ? uchar(~0) : uchar(0));
  case 2: return copyUnits<ushort>(copy, flip ? ushort(~0) : ushort(0));
  default: return copyUnits<uint>(copy, flip ? ~0u : 0u);
  }
}
METAL_FUNC ulong activeLanes() {
  return simdMask(SimdActiveMask, false);
}

// The value of the first active lane, which is known to be the same in all of them.
template <class _T> METAL_FUNC _T ofFirstLane(const _T value) {
  _T first;
  __assay_simd_op(SimdBroadcastFirst, kUIntType, sizeof(_T) / sizeof(uint), &value, &first, 0);
  return first;
}

// What is in flight at one place of all lanes. They may have started different copies, in different branches.
METAL_FUNC void finish(AsyncCopy &copy) {
  while (copy.ticket != 0) {
    const AsyncCopy first = ofFirstLane(copy);
    if (first.ticket == copy.ticket && first.lanes == copy.lanes) {
      perform(first, false);
      copy.ticket = 0;
    }
  }
}

struct AsyncArguments {
  ulong values[12];
};
METAL_FUNC bool givenAlike(const AsyncArguments own) {
  const AsyncArguments first = ofFirstLane(own);
  ulong differences = 0;
  for (uint i = 0; i < 12; ++i)
    differences |= own.values[i] ^ first.values[i];
  return simdMask(SimdBallot, differences != 0) == 0;
}

// Ends the dispatch with the text if the condition does not hold.
METAL_FUNC void require(bool holds, const char *text) {
  if (!holds)
    __assay_refuse(text, __assay_refusal::kAsyncCopy);
}

// Starts a copy and returns its ticket. `bytes` and `alignment` are those of an element.
METAL_FUNC ulong start(AsyncCopy copy, ulong alignment) {
  const AsyncArguments given = {{reinterpret_cast<ulong>(copy.outside), reinterpret_cast<ulong>(copy.inside),
                                 copy.bytes, alignment, copy.toRow, copy.toColumns, copy.toRows, copy.fromRow,
                                 copy.fromColumns, copy.fromRows, copy.toDevice, copy.toEdge}};
  require(givenAlike(given),
          "its arguments differ between the lanes that start it: give all of them the same");
  require(popcount(copy.bytes) == 1 && copy.bytes <= 16,
          "its elements have a size other than 1, 2, 4, 8, 16");
  require(popcount(alignment) == 1, "the alignment of its elements is no power of two");
  require(!copy.toEdge || (copy.fromColumns != 0 && copy.fromRows != 0),
          "it clamps to the edge of a source tile without elements");
  copy.unit = min(min(copy.bytes, alignment), ulong(4));
  copy.lanes = activeLanes();
  copy.ticket = ++__assay_async_copies.started;
  AsyncCopy &place = __assay_async_copies.copies[copy.ticket % kAsyncCopies];
  require(place.ticket == 0, "it is the 17th in flight, and Assay keeps 16: wait for one of them");
  place = copy;
  perform(copy, true);
  return copy.ticket;
}

METAL_FUNC void waitFor(ulong ticket, ulong lanes) {
  require(ticket != 0 && ticket <= __assay_async_copies.started, "its event does not come from a copy");
  AsyncCopy &copy = __assay_async_copies.copies[ticket % kAsyncCopies];
  if (copy.ticket != ticket) // finished before
    return;
  require(copy.lanes == lanes, "other lanes wait for it than have started it: let the same lanes do both");
  finish(copy);
}

METAL_FUNC ulong start1d(device uchar *outside, threadgroup uchar *inside, ulong bytes, ulong alignment,
                         ulong elements, bool toDevice) {
  AsyncCopy copy = {};
  copy.outside = outside;
  copy.inside = inside;
  copy.bytes = bytes;
  copy.toRow = copy.toColumns = copy.fromRow = copy.fromColumns = elements;
  copy.toRows = copy.fromRows = 1;
  copy.toDevice = toDevice;
  return start(copy, alignment);
}

METAL_FUNC ulong start2d(device uchar *outside, threadgroup uchar *inside, ulong bytes, ulong alignment,
                         ulong toRow, ulong toStep, vec<ulong, 2> toTile, ulong fromRow, ulong fromStep,
                         vec<ulong, 2> fromTile, vec<long, 2> origin, int clamp, bool toDevice) {
  require(toStep == 1 && fromStep == 1,
          "a number after the elements of a row is not 1: what it means is not known");
  require(origin.x == 0 && origin.y == 0, "its origin is not zero: what another one means is not known");
  require(clamp == 0 || clamp == 1, "its clamp mode is neither 0 (to zero) nor 1 (to edge)");
  AsyncCopy copy = {};
  copy.outside = outside;
  copy.inside = inside;
  copy.bytes = bytes;
  copy.toRow = toRow;
  copy.toColumns = toTile.x;
  copy.toRows = toTile.y;
  copy.fromRow = fromRow;
  copy.fromColumns = fromTile.x;
  copy.fromRows = fromTile.y;
  copy.toDevice = toDevice;
  copy.toEdge = clamp == 1;
  return start(copy, alignment);
}

} // namespace __assay
} // namespace metal

/// What a thread has started and not waited for; called where it ends.
extern "C" inline __attribute__((used, always_inline)) void __assay_finish_async_copies() {
  using namespace metal::__assay;
#pragma clang loop unroll(disable)          // each round has the loops of finish()
  for (ulong i = 1; i <= kAsyncCopies; ++i) // the oldest first
    finish(__assay_async_copies.copies[(__assay_async_copies.started + i) % kAsyncCopies]);
}
