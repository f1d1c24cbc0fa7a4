"""Programs that a script starts on a port of the loopback interface, and which end with it."""
import contextlib
import ctypes
import signal
import socket
import subprocess
import threading

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def free_port():
    """A port that the kernel has chosen. Another program may take it before ours does: see `started`."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def ends_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@contextlib.contextmanager
def started(command, ready):
    """Runs a program on a port of its own, until the block ends. `command` gives its words for a port; `ready` is in a line
    that it writes once it listens. A program that ends before, as where the port is taken, is started once more. Gives the
    port, and the lines written so far."""
    written = []
    for _ in range(5):
        port = free_port()
        process = subprocess.Popen(
            command(port), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=ends_with_parent)
        for line in process.stdout:
            written.append(line)
            if ready in line:
                break
        else:
            process.wait()
            continue
        break
    else:
        raise SystemExit(f"FAILED: {command(0)[0]} did not start:\n{''.join(written)}")
    # A pipe that is full would stop it.
    reader = threading.Thread(target=lambda: written.extend(process.stdout), daemon=True)
    reader.start()
    try:
        yield port, written
    finally:
        process.terminate()
        process.wait()
