"""Stands for a file of MLX's Python tests."""

import os
import unittest


class TestFew(unittest.TestCase):
    def test_a_passes(self):
        print("what a test prints does not count")

    def test_b_ends_the_process(self):
        if "ASSAY_BUFFER_SLACK" not in os.environ:
            os.abort()

    def test_c_fails_in_a_subtest(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    @unittest.skip("not here")
    def test_d_is_skipped(self):
        pass
