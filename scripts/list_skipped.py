#!/usr/bin/env python3
"""What a run of ctest has not tested, and why: a line for each test that was skipped, or of which a part was.

    scripts/list_skipped.py BUILD_FOLDER     after `ctest --output-junit BUILD_FOLDER/tests.xml`
    scripts/list_skipped.py --selftest

A test says in its output why it skips: a line with "skipped", or Criterion's "[SKIP]". ctest itself prints "Skipped" alone.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CAUSE = re.compile(r"\[SKIP\]|^skipped:|: skipped\b|\bis skipped\b")
OUTPUT = re.compile(r"^\d+/\d+ Test: (\S+)\n.*?^Output:\n-+\n(.*?)^<end of output>", re.M | re.S)


def causes(log):
    """{test: its lines that tell of something skipped}."""
    found = {}
    for name, output in OUTPUT.findall(log):
        lines = [line.strip() for line in output.splitlines() if CAUSE.search(line)]
        found.setdefault(name, []).extend(line for line in lines if line not in found.get(name, []))
    return found


def report(log, junit):
    """The lines to print."""
    told = causes(log)
    whole = [case.get("name") for case in ElementTree.fromstring(junit).iter("testcase") if case.find("skipped") is not None]
    lines = [f"skipped: {name}: {'; '.join(told.get(name) or ['it does not say why'])}" for name in whole]
    lines += [f"skipped in part: {name}: {'; '.join(said)}" for name, said in told.items() if said and name not in whole]
    return lines


def selftest():
    """Each kind of skip is told."""
    def entry(name, output):
        return f"1/5 Test: {name}\nCommand: x\nOutput:\n-----\n{output}<end of output>\nTest time = 1 sec\n"
    log = (entry("page.run", "page: skipped in part: chromium is not installed\n") + entry("oracle.mute", "") +
           entry("unit.encoder", "[SKIP] encoder::all: no tokenizers\n[====] Synthesis\n") + entry("unit.fine", "3 places skipped\n") +
           entry("cuda.gpu", "skipped: no device (none)\n"))
    junit = ("<testsuite><testcase name='page.run'><skipped/></testcase><testcase name='oracle.mute'><skipped/></testcase>"
             "<testcase name='cuda.gpu'><skipped/></testcase><testcase name='unit.encoder'/><testcase name='unit.fine'/></testsuite>")
    wanted = ["skipped: page.run: page: skipped in part: chromium is not installed", "skipped: oracle.mute: it does not say why",
              "skipped: cuda.gpu: skipped: no device (none)", "skipped in part: unit.encoder: [SKIP] encoder::all: no tokenizers"]
    got = report(log, junit)
    if got != wanted:
        sys.exit("list_skipped: selftest:\n" + "\n".join(got))
    print("list_skipped: each kind of skip is told")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    build = Path(sys.argv[1])
    for line in report((build / "Testing/Temporary/LastTest.log").read_text(encoding="utf-8", errors="replace"),
                       (build / "tests.xml").read_text(encoding="utf-8")):
        print(line)
    return None


if __name__ == "__main__":
    main()
