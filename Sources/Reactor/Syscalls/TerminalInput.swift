import CLinux
import Glibc

/// Reading from a terminal.
package enum TerminalInput {
    /// Whether standard input is a terminal.
    package static var isTerminal: Bool { isatty(0) == 1 }

    /// Runs the reader with the terminal's echo off.
    package static func withoutEcho<T>(_ read: () -> T) -> T {
        var settings = termios()
        // SAFETY: tcgetattr and tcsetattr read and write the structure for the time of the call.
        guard unsafe tcgetattr(0, &settings) == 0 else { return read() }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        _ = unsafe tcsetattr(0, TCSANOW, &silent)
        defer { _ = unsafe tcsetattr(0, TCSANOW, &settings) }
        return read()
    }
}
