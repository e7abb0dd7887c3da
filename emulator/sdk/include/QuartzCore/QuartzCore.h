// Of Core Animation only its clock: layers and drawables are graphics.
#pragma once

#include <QuartzCore/CABase.h>
