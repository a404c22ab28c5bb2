"""The command line: its commands and options, and what they print.

Little is imported here, so that signals have their handlers before much can happen.
"""

import os
import sys


def main() -> None:
    """Run the command line with the arguments of the process, and end it with their exit code.

    Whatever the process was started with (closed standard streams, a charset that lacks
    Japanese, little memory), and whichever signal ends it, no traceback is printed for it.
    """
    try:
        _fill_closed_descriptors()
        from kb.cli.standard_streams import run

        run()
    except KeyboardInterrupt:  # before there is a handler for signals
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if sys.platform != "win32":  # where the exit code would be 2
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(128 + signal.SIGINT)


def _fill_closed_descriptors() -> None:
    """Open /dev/null as each standard stream that is closed: a file that is opened later would
    take its place, and get what is printed."""
    if sys.platform == "win32":  # a process gets no descriptors from its parent there
        return
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # Standard output is opened for reading: to write there stays an error, not a success.
            # The lowest free descriptor is taken, which is this one.
            os.open(os.devnull, os.O_WRONLY if descriptor == 2 else os.O_RDONLY)


__all__ = ["main"]
