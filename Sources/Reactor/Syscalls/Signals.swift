import CLinux
import Glibc

/// The handled signals, read from a descriptor by one thread.
package struct Signals: ~Copyable, Sendable {
    package enum Signal: Sendable { case terminate, reload, reopenLogs, handOver, other(Int32) }

    private let descriptor: Descriptor

    /// Blocks SIGTERM, SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 in this thread and those it starts later, and ignores SIGPIPE.
    /// Call before any other thread starts.
    package init() throws(KernelError) {
        clinux_ignore_sigpipe()
        let handled = [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]
        // SAFETY: the array outlives the call.
        let number = unsafe handled.withUnsafeBufferPointer {
            unsafe clinux_signal_descriptor($0.baseAddress, Int32($0.count))
        }
        descriptor = Descriptor(try Kernel.check(number))
    }

    /// Waits for the next signal.
    package func next() -> Signal {
        while true {
            switch clinux_next_signal(descriptor.number) {
            case SIGTERM, SIGINT: return .terminate
            case SIGHUP: return .reload
            case SIGUSR1: return .reopenLogs
            case SIGUSR2: return .handOver
            case let number where number > 0: return .other(number)
            default: continue
            }
        }
    }
}

/// Limits and facts of this process.
package enum ProcessLimits {
    /// Raises the soft limit of open files to the hard one and returns it.
    package static func raiseOpenFiles() -> Int { Int(clamping: clinux_raise_open_file_limit()) }

    /// Grows the kernel's table of open files to its limit, at most 65,536, in advance, which would cost milliseconds
    /// under load. Call before threads are started.
    package static func reserveOpenFiles() {
        clinux_reserve_descriptors(Int32(min(65_536, max(1, clinux_open_file_limit()))))
    }

    package static var processID: Int { Int(getpid()) }
}

/// Output to standard output, standard error or a log file.
package struct OutputDescriptor: Sendable {
    private let number: Int32
    package static let standardOutput = OutputDescriptor(number: 1)
    package static let standardError = OutputDescriptor(number: 2)

    private init(number: Int32) { self.number = number }

    /// Opens a file for appending, created with mode 0640.
    package init(appendingTo path: String) throws(KernelError) {
        // SAFETY: the text outlives the call.
        let result = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
        if result < 0 { throw KernelError(errno) }
        number = result
    }

    /// Writes the bytes; after an error the rest is dropped.
    package func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            // SAFETY: the array outlives the call.
            let n = unsafe bytes.withUnsafeBytes {
                unsafe clinux_write(number, $0.baseAddress! + start, $0.count - start)
            }
            if n == -Int64(EINTR) { continue }
            if n <= 0 { return }
            start += Int(n)
        }
    }

    /// Closes a descriptor that `init(appendingTo:)` opened.
    package func close() { if number > 2 { _ = clinux_close(number) } }
}
