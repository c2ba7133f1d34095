"""Where the program starts and ends: exit codes and last words."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

import typer
from typer.main import get_command

from albic.cli.app import app
from albic.extras import MissingExtra, lacking

COMMAND = get_command(app)

#: A file, an option or a value of the user's is wrong.
MISTAKE = 2
#: Everything was right and albic still has no answer; or nobody listens any more.
REFUSED = 1
INTERRUPTED, STOPPED = 130, "stopped"
#: What is shown of a file's name.
LONGEST_NAME = 200


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` name and return the exit code.

    Whatever goes wrong by the user's doing ends in one sentence on stderr and exit code 2, and
    Ctrl-C in one and exit code 130.
    """
    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    try:
        code = _code(arguments)
        sys.stdout.flush()
        return _complain(STOPPED, INTERRUPTED) if code == INTERRUPTED else int(code or 0)
    except typer.TyperException as wrong:
        return _complain(wrong.format_message(), MISTAKE)
    except _error("AlbicError") as wrong:
        return _complain(str(wrong), _code_of(wrong))
    except KeyboardInterrupt:
        return _complain(STOPPED, INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has left. What is still in the buffer must not fail once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    except (OSError, MemoryError) as wrong:
        # A name that is too long, a disk that is full: whatever is wrong, it is not with us.
        return _complain(_about(wrong), MISTAKE)


def _code_of(wrong: Exception) -> int:
    """Return the exit code for one of albic's errors."""
    if isinstance(wrong, _error("InvalidInput")):
        return MISTAKE
    return INTERRUPTED if isinstance(wrong, _error("Interrupted")) else REFUSED


def _error(name: str) -> type[Exception]:
    """Return one of albic's errors.

    Python asks for it only when something was raised, and then its module is there already.
    Importing it above would make ``albic --help`` wait for scipy.
    """
    error: type[Exception] = getattr(import_module("albic.model.errors"), name)
    return error


def _code(arguments: Sequence[str] | None) -> int:
    """Run the command; a package that an extra would bring is named with its remedy."""
    try:
        return int(COMMAND.main(args=arguments, prog_name="albic", standalone_mode=False) or 0)
    except ModuleNotFoundError as missing:
        given = list(sys.argv[1:] if arguments is None else arguments)
        named = lacking(" ".join(["albic", *given[:1]]), missing)
        if not isinstance(named, MissingExtra):
            raise
        raise typer.TyperException(str(named)) from None


def _about(wrong: OSError | MemoryError) -> str:
    """Return what the system says about a file, or of its memory."""
    if isinstance(wrong, MemoryError):
        return "there is not enough memory for what was asked"
    named = "" if wrong.filename is None else f"{str(wrong.filename)[:LONGEST_NAME]!r}: "
    return f"{named}{(wrong.strerror or str(wrong)).lower()}"


def _complain(what: str, code: int) -> int:
    """Say in one line what is wrong."""
    # The library that checks option values calls every wrong one a "value error" first.
    plain = " ".join(what.split()).replace("Value error, ", "")
    print("albic:", plain, file=sys.stderr)
    return code


def _print_anything(stream: TextIO) -> None:
    """Let a terminal that cannot show a character show a question mark, not a traceback."""
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(errors="replace")
