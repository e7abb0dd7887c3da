// Finds the statements of a source, for programs that put probes at them (CompileOptions::probes). Not
// installed.
#pragma once

#include "../frontend/statements.h"

namespace assay {

using frontend::SourceStatement;
using frontend::statementsOf;
using frontend::ValueForm;
using frontend::ValueKind;

} // namespace assay
