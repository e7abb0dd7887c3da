// The fixed-width types are predeclared.
#pragma once
