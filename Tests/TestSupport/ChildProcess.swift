import CSpawn
import Foundation
import Glibc

/// A program started by a test, and how it ends.
///
/// Not Foundation's `Process`: that learns of the end of a program by a `CFSocket`, whose table of descriptors a run of many
/// tests at a time outgrows, and one such run in some dozens crashed in it.
package final class ChildProcess: @unchecked Sendable {
    /// How a program ended: its exit status, or the signal that ended it.
    package enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// The number of the error that kept a program from being started.
    package struct Failure: Error, CustomStringConvertible {
        package let executable: String
        package let number: Int32

        package var description: String { "\(executable): \(unsafe String(cString: strerror(number)))" }
    }

    package let identifier: pid_t
    // Unchecked, because the compiler cannot see that `end` is touched only between lock and unlock.
    private let condition = NSCondition()
    private var end: Ending?

    /// Starts a program. It has no descriptors but its three streams.
    ///
    /// - Parameters:
    ///   - executable: its path.
    ///   - environment: all of it.
    ///   - directory: where it works; nil for where the test does.
    ///   - input: what it reads, and `output` and `errors` what it writes to; nil for `/dev/null`. They are left open here.
    ///   - onEnd: runs once, on a thread of its own, when it has ended.
    package init(
        _ executable: String, _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment, directory: String? = nil,
        input: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil,
        onEnd: @escaping @Sendable (Ending) -> Void = { _ in }
    ) throws {
        // A program that ends without having read its input ends no test.
        _ = signal(SIGPIPE, SIG_IGN)
        let streams = [input, output, errors].map { $0?.fileDescriptor }
        identifier = try ChildProcess.spawn(executable, arguments, environment, directory, streams)
        Thread.detachNewThread { [self] in
            let ending = reap()
            onEnd(ending)
        }
    }

    /// How it ended; nil while it runs.
    package var ending: Ending? {
        condition.lock()
        defer { condition.unlock() }
        return end
    }

    package var isRunning: Bool { ending == nil }

    /// Nothing happens to one that has ended, nor to another that was given its number since.
    package func send(_ signal: Int32) {
        condition.lock()
        defer { condition.unlock() }
        if end == nil { _ = kill(identifier, signal) }
    }

    /// Waits for its end.
    @discardableResult
    package func waitForEnd() -> Ending {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let end { return end }
            condition.wait()
        }
    }

    /// Waits for its end, and then gives its number back to the kernel while no thread sends it a signal.
    private func reap() -> Ending {
        var report = unsafe siginfo_t()
        // SAFETY: a local, written during the call only.
        while unsafe waitid(P_PID, id_t(identifier), &report, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        var status: Int32 = 0
        // SAFETY: as above.
        while unsafe waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
        let ending: Ending = status & 0x7f == 0 ? .exit((status >> 8) & 0xff) : .signal(status & 0x7f)
        end = ending
        return ending
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ directory: String?,
        _ streams: [Int32?]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // SAFETY: all pointers are of locals, or of copies of strings that live until the end of this function.
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if let directory { _ = unsafe posix_spawn_file_actions_addchdir_np(&actions, directory) }
        for (target, source) in zip(Int32(0)..., streams) {
            if let source {
                _ = unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
            } else {
                _ = unsafe posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
            }
        }
        _ = unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var (none, usual) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigemptyset(&usual)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2] { unsafe sigaddset(&usual, number) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
        let settings = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let number = unsafe posix_spawn(&identifier, executable, &actions, &attributes, words, settings)
        guard number == 0 else { throw Failure(executable: executable, number: number) }
        return identifier
    }
}
