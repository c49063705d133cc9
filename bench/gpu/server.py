"""A compiled program that keeps running and obeys the server protocol."""
import os
import subprocess


class Server:
    """The program; `say` sends it a command."""

    def __init__(self, path, *options):
        self.process = subprocess.Popen(
            [os.path.abspath(path), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.reply()

    def reply(self):
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server died: " + "\n".join(lines))
            if line.strip() == "%%% OK":
                break
            lines.append(line.rstrip())
        if "%%% FAILURE" in lines:
            raise RuntimeError("\n".join(lines))
        return lines

    def say(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.reply()

    def run(self, entry, *args):
        """Call once; the time in microseconds."""
        lines = self.say("call", entry, "out", *args)
        self.say("free", "out")
        return next(int(line.split()[1]) for line in lines if line.startswith("runtime:"))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
