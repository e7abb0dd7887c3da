// Random loads and stores at addresses that are made of the thread's place, as published kernels make them.
//
// Problem.  The speed of the vector engine comes from what it knows of addresses: lanes side by side, lanes a
//           constant or a uniform number apart, rows of lanes, elements that one lane loads one by one. The
//           expressions of expressions.h mask every index, which leaves little to know.
// Choice.   An index is a sum of places of the thread, each times a constant or a number of the table, whose
//           greatest value is known when the kernel is generated. So it needs no mask to be in bounds. Loads
//           are of memory that nobody writes: buffer 4, the table, and threadgroup memory that is written
//           before the first statement. Each store has a region of buffer 5, and an index that no two
//           threads have in common.
#pragma once

#include "expressions.h"

namespace assay::engines {

class Accesses {
public:
  Accesses(Expressions &random, Program &program) : x_(random), program_(program) {}

  /// Writes the numbers that indices are multiplied by into the table.
  void fillTable();
  /// One that declares the variable `name`, of the type that is given back. Legal anywhere in the kernel.
  ///   threadgroup   whether it may read the kernel's `tile_`
  Statement load(const std::string &name, Type &type, const Flow &flow, bool threadgroup);
  /// One that stores to a region of its own.
  Statement store(const std::string &name, const Flow &flow);
  /// Text that stores a simdgroup's matrix to a region of buffer 5.
  std::string storeMatrix(const std::string &matrix, const std::string &scalar);

private:
  /// Memory that nobody writes while it is read.
  struct Space {
    std::string qualifiers, start;
    uint32_t bytes = 0;
  };
  /// What a pointer points to.
  struct Element {
    Type type;          ///< of the value
    std::string name;   ///< of the type in memory
    uint32_t bytes = 0; ///< of an element of an array
    uint32_t aligned = 0;
  };
  /// A number from 0 to `most`.
  struct Index {
    std::string text;
    uint64_t most = 0;
  };
  struct Load;

  Element anyElement();
  Index place();
  Index factor();
  Index sum(uint64_t below);
  Index extended(Index index);
  Index ownIndex(uint32_t each);
  std::string base(const Load &load, uint64_t elements);
  std::string accumulate(const Load &load, const std::string &what);
  void oneElement(Load &load);
  void neighbours(Load &load);
  void rounds(Load &load);
  void walk(Load &load);
  void block(Load &load);
  void array(Load &load);
  void guarded(Load &load);
  void choice(Load &load, const Flow &flow);

  Expressions &x_;
  Program &program_;
};

} // namespace assay::engines
