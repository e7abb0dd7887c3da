// The primitives: functions that the shim and the front end's entry wrappers call and nobody defines in IR.
//
// They are the interface between the one lowered module and its engines. Lowering decides what each becomes;
// these, LLVM's atomic instructions, and plain IR are all that an engine sees of Metal. Names and arguments
// may not change without emulator/lowering/primitives.h.
#pragma once

#include "refusal.h"

extern "C" {

/// All live threads of the threadgroup. flags: the bits of metal::mem_flags.
__attribute__((convergent)) void __assay_threadgroup_barrier(unsigned flags);

/// Beside a fence, for the code that observes the run: the bits of metal::mem_flags, a memory_order, a
/// thread_scope. Lowering drops it where nobody observes memory.
void __assay_fence(unsigned flags, unsigned order, unsigned scope);

/// One operation of simd_ops.def by the active lanes of the simdgroup. op, type (scalar_types.def) and count
/// are constants after inlining.
///   in    `inputs` x count elements
///   out   count elements, or one 64-bit word for masks
__attribute__((convergent)) void __assay_simd_op(unsigned op, unsigned type, unsigned count, const void *in,
                                                 void *out, unsigned operand);

/// A line for the host: a __assay_log_record (log_record.h). Its memory is read before the call returns.
void __assay_log(const void *record);

/// assert(expression) with an expression that is false: ends the dispatch.
__attribute__((cold)) void __assay_assertion_failed(const char *expression);

/// What cannot be done: ends the dispatch. simdgroups is an __assay_refusal::Reason, or what the scope of the
/// tensor operation `what` has, and the threadgroup has not.
__attribute__((cold)) void __assay_refuse(const char *what, unsigned simdgroups);

/// An index past the entries of a visible_function_table, which are `size`: ends the dispatch.
__attribute__((cold)) void __assay_no_table_entry(unsigned index, unsigned size);

/// A value for the code that observes the run (assay/probe): `count` elements of a type of scalar_types.def.
/// name, type and count are constants after inlining. The kernel gets nothing back.
void __assay_probe_value(const char *name, unsigned type, unsigned count, const void *value);

/// A built-in of builtins.def, by its number there.
__attribute__((const)) unsigned __assay_builtin(unsigned builtin, unsigned component);

/// Whether the fast functions follow the formulas of MSL's table 8.2: NumericsProfile::fastFunctions.
__attribute__((const)) bool __assay_fast_recipes();

/// Whether the place of the call that leads here is under math mode safe. The front end answers this for each
/// place of the program: see emulator/frontend/math_modes.h.
__attribute__((const)) bool __assay_safe_math();

/// The bits of one component of a function constant, zero-extended.
__attribute__((const)) unsigned long __assay_function_constant(unsigned index, unsigned component);

/// Whether the function constant held by this program-scope variable has been given a value.
__attribute__((const)) bool
__assay_is_function_constant_defined(const __attribute__((opencl_global_host)) void *variable);

/// Whether a pointer points to thread memory (space 0), threadgroup memory (3) or device memory (5), by the
/// numbers of these in LLVM's IR. A null pointer points to none.
__attribute__((const)) unsigned __assay_points_to(const volatile void *pointer, unsigned space);

/// Textures; see texture_request.h. A texel is four 32-bit words: float or integer bits, as the format says.
///   where   kWhereWords words: which texel
void __assay_texture_read(unsigned long texture, const unsigned *where, unsigned *texel);
void __assay_texture_write(unsigned long texture, const unsigned *where, const unsigned *texel);
///   request   an AtomicRequest
///   texel     what was there before
void __assay_texture_atomic(unsigned long texture, const void *request, unsigned *texel);
///   request   a SampleRequest
void __assay_texture_sample(unsigned long texture, unsigned long sampler, const void *request,
                            unsigned *texel);
/// query: a __assay_texture::Query; 0 of a null texture.
__attribute__((const)) unsigned __assay_texture_query(unsigned long texture, unsigned query, unsigned level);
}
