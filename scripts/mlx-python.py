"""Runs tests of MLX's Python suites for scripts/mlx-suites, which reads lines about them.

list MODULE [PATTERN]   the tests of a file, one a line
run TEST...             to descriptor 3, lines with tabs: "start", test; then pass, fail or skip, test,
                        seconds, message. A test that ends the process leaves its "start" as the last line.
"""

import fnmatch
import importlib.util
import os
import sys
import time
import unittest


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def seed():
    """Most of MLX's tests take random numbers without a seed. With one, a run can be repeated."""
    import mlx.core

    mlx.core.random.seed(0)
    if importlib.util.find_spec("numpy"):
        import numpy

        numpy.random.seed(0)


class Lines(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.out = os.fdopen(3, "w", buffering=1)

    def say(self, *parts):
        words = [" ".join(str(part).split()) for part in parts]
        print(*words, sep="\t", file=self.out)

    def startTest(self, test):
        super().startTest(test)
        seed()
        self.verdict, self.message, self.began = "pass", "", time.monotonic()
        self.say("start", test.id())

    def fails(self, error, of=""):
        if self.verdict != "fail":
            self.verdict, self.message = "fail", f"{of}{error[0].__name__}: {error[1]}"[:400]

    def addError(self, test, err):
        if isinstance(test, unittest.loader._FailedTest):
            err = (err[0], str(err[1]).strip().splitlines()[-1])  # the rest is the way to it
        self.fails(err)

    def addFailure(self, test, err):
        self.fails(err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.fails(err, f"{subtest._subDescription()} ")

    def addSkip(self, test, reason):
        self.verdict, self.message = "skip", reason

    def addUnexpectedSuccess(self, test):
        self.verdict, self.message = "fail", "passes, and is expected to fail"

    def stopTest(self, test):
        super().stopTest(test)
        self.say(self.verdict, test.id(), f"{time.monotonic() - self.began:.2f}", self.message)


def main(command, names):
    load = unittest.defaultTestLoader.loadTestsFromName
    if command == "list":
        pattern = names[1] if len(names) > 1 and names[1] else "*"
        for test in tests_of(load(names[0])):
            if isinstance(test, unittest.loader._FailedTest):
                print(names[0])  # a file that cannot be read: its name stands for its tests
            elif fnmatch.fnmatchcase(test.id().split(".")[-1], pattern):
                print(test.id())
        return
    import mlx_tests  # noqa: F401, whose import sets what MLX reads from the environment

    result = Lines()
    suite = unittest.TestSuite(load(name) for name in names)
    suite.run(result)
    import mlx.core as mx

    mx.clear_streams()  # as MLX's own runner ends


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
