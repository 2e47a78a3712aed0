"""Runs the tests of a folder and reports them as Rust's test harness does: one JSON object a line."""

import json
import sys
import time
import unittest


class Reporter(unittest.TestResult):
    """Writes a line for each test."""

    def __init__(self) -> None:
        super().__init__()
        self.began = time.monotonic()
        self.failed: set[str] = set()

    def write(self, test: unittest.TestCase, event: str, **more: object) -> None:
        report = {"type": "test", "event": event, "name": test.id(), **more}
        print(json.dumps(report), flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.write(test, "started")

    def fail(self, test, error, of=None):
        why = "".join(str(part) for part in (of or "", self._exc_info_to_string(error, test)))
        self.write(test, "failed", exec_time=time.monotonic() - self.began, stdout=why)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.write(test, "ok", exec_time=time.monotonic() - self.began)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fail(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.fail(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.fail(test, err, f"{subtest}\n")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.write(test, "ignored", message=reason)


start, top = sys.argv[1:]
result = unittest.defaultTestLoader.discover(start, top_level_dir=top).run(Reporter())
sys.exit(0 if result.wasSuccessful() else 1)
