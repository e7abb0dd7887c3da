#pragma once
#include "metal_assert"
