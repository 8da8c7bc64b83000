"""The pytest plugin of cranfield: a fixture that holds scoring to a throughput.

pytest loads it by its entry point in every session of an environment that has
cranfield installed. So it imports nothing of cranfield until the fixture is used.
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._bench.race import Gate

PROPERTY = "cranfield_throughput"
"""The property of a test that says what was measured; JUnit's XML has it, too."""


@pytest.fixture
def cranfield_throughput(request: pytest.FixtureRequest) -> Gate:
    """Measures how many lines of runs are scored in a second, and fails below a limit.

    See ``cranfield._bench.race.Gate`` for what it is called with.
    """
    from cranfield._bench.race import Gate

    return Gate(lambda text: request.node.user_properties.append((PROPERTY, text)), pytest.fail)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints a line for each measurement."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        if getattr(report, "when", None) == "call"
    ]
    # Other plugins and tests put what they like there.
    found = [
        f"{report.nodeid}: {held[1]}"
        for report in reports
        if isinstance(properties := getattr(report, "user_properties", None), list)
        for held in properties
        if type(held) in (tuple, list) and len(held) == 2
        if type(held[0]) is str is type(held[1]) and held[0] == PROPERTY
    ]
    if found:
        terminalreporter.write_sep("-", "throughput of cranfield")
        for line in found:
            terminalreporter.write_line(line)
