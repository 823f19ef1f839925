"""The command line of spvsim."""

import os
import subprocess
from typing import Iterable, List, Mapping, Union

Value = Union[str, int, float, bool]


class SimulatorError(RuntimeError):
    """A command that failed: its exit status and what it wrote to standard error."""

    def __init__(self, arguments: List[str], status: int, text: str) -> None:
        super().__init__(f"{' '.join(arguments)}: exit status {status}\n{text.rstrip()}")
        self.status = status
        self.text = text


def command(*arguments: str, accept: Iterable[int] = (0,)) -> str:
    """Run ``spvsim`` with arguments and return its standard output. Another exit status than those to accept is an error."""
    line = [os.environ.get("SPVSIM", "spvsim"), *map(str, arguments)]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode not in accept:
        raise SimulatorError(line, done.returncode, done.stderr)
    return done.stdout


def version() -> str:
    """The first line of ``spvsim version``: release and commit."""
    return command("version").splitlines()[0]


def text_of(value: Value) -> str:
    """A value as the command line writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def pairs(flag: str, values: Mapping[str, Value]) -> List[str]:
    """A flag for each name and value."""
    return [word for name, value in values.items() for word in (flag, f"{name}={text_of(value)}")]
