"""The clock of the day of a soak's processes, which can be stepped while they run (Tests/Support/stepped_clock.c)."""
import mmap
import os
import shutil
import struct
import time

from sandbox import run

# struct shared_offset; the last two stay 0.
FORMAT = struct.Struct("<Qqqqqq")


class SteppedClock:
    def __init__(self, folder, source):
        self.file = os.path.join(folder, "clock")
        with open(self.file, "wb") as file:
            file.write(bytes(FORMAT.size))
        with open(self.file, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), FORMAT.size)
        self.version = 0
        self.offset = 0
        self.library = os.path.join(folder, "stepped_clock.so")
        compiler = shutil.which("clang") or shutil.which("cc")
        if compiler is None:
            self.library = None
            return
        run(compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", f'-DCLOCK_FILE="{self.file}"', "-o", self.library,
            source, "-ldl")

    @property
    def environment(self):
        return {"LD_PRELOAD": self.library} if self.library else {}

    def set(self, seconds):
        """The clock of all processes is so far ahead of the host's from now on."""
        former, self.offset = self.offset, int(seconds * 1e9)
        self.memory[:8] = struct.pack("<Q", self.version + 1)
        self.memory[8:32] = struct.pack("<qqq", self.offset, former, time.time_ns())
        self.version += 2
        self.memory[:8] = struct.pack("<Q", self.version)

    def now(self):
        """What the processes read, in s since 1970."""
        return time.time() + self.offset / 1e9
