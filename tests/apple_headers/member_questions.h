// What the members of Apple's classes ask of the library.
#pragma once

#include "member_lists.h"
#include "probes.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::apple_headers {

/// The classes that are judged. They stand for their templates, with arguments that matter to the members.
std::vector<std::string> judgedClasses();

/// These and more, for memberProbesElsewhere.
std::vector<std::string> classesOfMemories();

/// The type as a parameter of a function in Metal: a reference or pointer has a memory. No value: a type that
/// programs cannot write.
std::optional<std::string> parameterType(const std::string &type);

/// Each member that is no template must be accepted with all its parameters and with those alone that have no
/// default, and have the type that it has in Apple's class. Where programs cannot write a parameter's type,
/// there is no question.
std::vector<Probe> memberProbes(const MemberLists &lists);

/// Each member function that is no template, called on objects in another memory. Without assignments: Clang
/// declares one where none is left.
/// elsewhere      the headers with the members of those objects alone
/// memory         "device", "constant" or "threadgroup"
std::vector<Probe> memberProbesElsewhere(const MemberLists &lists, const CompiledHeaders &elsewhere,
                                         const std::string &memory);

/// Members that one side lacks, one difference for all classes of a template: "array::size is missing in
/// array<int, 4>". Without constructors and conversions, which have no names.
std::vector<std::string> memberNameDifferences(const MemberLists &apples, const MemberLists &ours);

} // namespace assay::apple_headers
