import Foundation
import Synchronization

/// A run of the `openssl` command, with pipes to it and from it.
///
/// Not by Foundation's Process: that leaves objects behind that LeakSanitizer reports, and lends the program a mask of
/// signals that keeps SIGTERM out.
final class OpenSSLCommand {
    private let process: pid_t
    private let input: FileHandle
    private let output: FileHandle

    /// Held while pipes exist that other programs could inherit.
    private static let starting = Mutex(())

    /// Starts it with its standard error among its output.
    init(_ arguments: [String], in directory: URL = FileManager.default.temporaryDirectory) {
        let (process, input, output) = Self.starting.withLock { _ in Self.start(arguments, directory.path) }
        self.process = process
        self.input = FileHandle(fileDescriptor: input, closeOnDealloc: true)
        self.output = FileHandle(fileDescriptor: output, closeOnDealloc: true)
    }

    /// The process and our ends of its pipes.
    private static func start(_ arguments: [String], _ directory: String) -> (pid_t, input: Int32, output: Int32) {
        let (inputs, outputs) = (pipe(), pipe())
        defer {
            close(inputs.read)
            close(outputs.write)
        }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, inputs.read, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, outputs.write, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, outputs.write, 2)
        let command = ["sh", "-c", "cd \"$0\" && exec openssl \"$@\"", directory] + arguments
        var words = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        // SAFETY: the words are C texts with a null behind them, freed above once the program has its own.
        let result = unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &words, environ)
        precondition(result == 0, "no shell")
        return (process, inputs.write, outputs.read)
    }

    private static func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        let result = unsafe Foundation.pipe(&ends)
        precondition(result == 0, "no pipes")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    func write(_ text: String) { try? input.write(contentsOf: Data(text.utf8)) }

    /// What it writes up to a text, or to its end.
    func read(until text: String) -> String {
        var all = ""
        while !all.contains(text) {
            let some = output.availableData
            if some.isEmpty { break }
            all += String(decoding: some, as: UTF8.self)
        }
        return all
    }

    /// Ends it.
    func end() {
        kill(process, SIGKILL)
        _ = wait()
    }

    /// Waits for its end; answers whether it ended well, and what it wrote.
    func wait() -> (isSuccess: Bool, text: String) {
        try? input.close()
        let rest = (try? output.readToEnd()) ?? Data()
        try? output.close()
        var status: Int32 = 0
        _ = unsafe waitpid(process, &status, 0)
        return (status == 0, String(decoding: rest, as: UTF8.self))
    }
}
