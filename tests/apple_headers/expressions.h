// Random statements about objects of the library's classes, and whether the compiled headers accept them.
//
// Members with arguments of their own and of other types, constructors in each form of initialisation,
// operators with objects on either side, conversions, conditions and loops. Objects are in thread memory:
// compiled_headers.h.
#pragma once

#include "member_lists.h"

#include <cstdint>

namespace assay::apple_headers {

/// At most `count`: none twice.
std::vector<Probe> randomExpressions(const MemberLists &lists, size_t count, uint64_t seed);

/// Which of the probes the headers accept; `what` names the error of the others. Probes on which the headers
/// have no judgement are left out: judgement_limits.h.
std::vector<Probe> judged(const CompiledHeaders &headers, std::vector<Probe> probes);

} // namespace assay::apple_headers
