// The name that GNUstep's headers include for blocks.
#pragma once

#include <Block.h>
