#include "support/text/write_rounding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(WriteRounding, WhatTheRuntimeDoesIsAcceptedAndTheRestIsNamed) {
  EXPECT_TRUE(checkTextureWriteRounding("native"));
  EXPECT_TRUE(checkTextureWriteRounding("rte"));
  const auto messageOf = [](std::string_view mode) {
    return checkTextureWriteRounding(mode).error().message();
  };
  EXPECT_EQ(messageOf("rtz"),
            "-ftexture-write-rounding-mode=rtz: writes to textures do not round towards zero here");
  EXPECT_EQ(messageOf("up"), "-ftexture-write-rounding-mode=up: no such mode");
}

} // namespace
} // namespace assay
