"""One line on the terminal that shows how far a long script is. lib/Support/Terminal.h has the same for the tools."""
import shutil
import sys
import time

SILENT = 2  # seconds before the line appears
PAUSE = 0.1  # seconds between two lines


class Progress:
    """Shows "WORK: PART, 12 s" on standard error from two seconds on, and removes it at the end of a `with` statement. Writes
    nothing if standard error is not a terminal."""

    def __init__(self, work):
        self.work, self.is_terminal = work, sys.stderr.isatty()
        self.start, self.last, self.is_shown = time.monotonic(), 0, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.clear()

    def set(self, part):
        now = time.monotonic()
        if not self.is_terminal or now - self.start < SILENT or now - self.last < PAUSE:
            return
        text, width = f"{self.work}: {part}, {now - self.start:.0f} s", shutil.get_terminal_size().columns
        if len(text) >= width:
            text = text[: max(0, width - 4)] + "..."
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
        self.last, self.is_shown = now, True

    def clear(self):
        """Removes the line, so that other output can be written."""
        if self.is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self.is_shown = False
