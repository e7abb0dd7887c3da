// Assay as a library: Metal's compute API for Linux CPUs. Include this one header.
//
//   auto device = assay::Device::systemDefault();
//   auto library = device.newLibraryWithFile("add.metal");
//   auto function = library->newFunction("add");
//   auto pipeline = device.newComputePipelineState(*function);
//   assay::Buffer a = device.newBuffer(bytes, length);
//   auto encoder = device.computeCommandEncoder();
//   encoder.setComputePipelineState(*pipeline);
//   encoder.setBuffer(a, 0, 0);
//   assay::Result<assay::DispatchReport> report = encoder.dispatchThreads({1000, 1, 1}, {256, 1, 1});
//
// Names and argument orders are Metal's. Three things differ: a call that can fail returns Result<T>; objects
// are handles that share their state when copied (no retain, no release); and the device itself makes
// encoders, whose dispatches run to their end in the call that encodes them. Metal's queues and command
// buffers are in command_queue.h.
#pragma once

#include "blit.h"
#include "buffer.h"
#include "command.h"
#include "command_queue.h"
#include "data_type.h"
#include "device.h"
#include "engine_text.h"
#include "function_constants.h"
#include "function_table.h"
#include "launch.h"
#include "library.h"
#include "log_state.h"
#include "numerics_text.h"
#include "pipeline.h"
#include "schedule_text.h"
#include "shared_event.h"
#include "size.h"
#include "tensor.h"
#include "texture.h"

#include "../support/abi/limits.h"
#include "../support/abi/module_info.h"
#include "../support/abi/numerics.h"
#include "../support/text/result.h"
#include "../validation/suppressions.h"
