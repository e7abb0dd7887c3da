// Only the clock of Core Animation: its layers and drawables are graphics.
#pragma once

#include <QuartzCore/CABase.h>
