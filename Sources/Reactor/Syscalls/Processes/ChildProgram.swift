import CLinux

/// A program that is run to its end for what it prints.
package struct ChildProgram {
    /// What it has printed and how it has ended.
    package struct Outcome: Sendable {
        package var output: [UInt8] = []
        package var errors: [UInt8] = []
        /// Its exit status, 0 after a signal.
        package var status: Int32 = 0
        /// The signal that ended it, or 0.
        package var signal: Int32 = 0
    }

    package enum Failure: Error, Sendable {
        case notStarted(KernelError)
        /// It was killed, with its process group, since its time was over.
        case late
    }

    private let processID: Int32
    private let limit: Int
    private let deadline: Int64

    /// Runs a program without input, with the environment of this process and none of its descriptors.
    ///
    /// - Parameters:
    ///   - command: its absolute path and its arguments.
    ///   - limit: the most bytes of each stream that are kept. What is longer is cut off one byte after it.
    package static func run(
        _ command: [String], in directory: String, milliseconds: Int64, limit: Int
    ) throws(Failure) -> Outcome {
        do throws(KernelError) {
            let output = try Pipe()
            let errors = try Pipe()
            let (arguments, environment) = (TextVector(command), TextVector(Environment.entries(changedBy: [])))
            // SAFETY: all live until the end of the call.
            let processID = try Kernel.check(
                unsafe clinux_spawn_filter(
                    command[0], arguments.pointers, environment.pointers, directory, output.writing.number,
                    errors.writing.number))
            let child = ChildProgram(
                processID: processID, limit: limit, deadline: Clock.monotonicMilliseconds + milliseconds)
            if let outcome = child.outcome(ChildProgram.readingEnd(output), ChildProgram.readingEnd(errors)) {
                return outcome
            }
        } catch {
            throw .notStarted(error)
        }
        throw .late
    }

    /// Nil if the time is over.
    private func outcome(_ output: consuming Descriptor, _ errors: consuming Descriptor) -> Outcome? {
        var outcome = Outcome()
        while output.number >= 0 || errors.number >= 0 {
            let ready = clinux_wait_either(output.number, errors.number, rest)
            if ready == -EINTR { continue }
            guard ready > 0 else { return kill() }
            if ready & 1 != 0, !take(&outcome.output, from: output) { output = .none }
            if ready & 2 != 0, !take(&outcome.errors, from: errors) { errors = .none }
        }
        // It may have closed its streams and run on.
        while true {
            let ended = clinux_wait_process(processID, rest)
            if ended == -EINTR { continue }
            guard ended > 0 else { return kill() }
            // SAFETY: the number outlives the call.
            outcome.status = unsafe clinux_reap_telling(processID, &outcome.signal)
            return outcome
        }
    }

    private var rest: Int32 { Int32(clamping: max(0, deadline - Clock.monotonicMilliseconds)) }

    /// Ends the group, with what the program has started. Its id is not given to another process before it is reaped.
    private func kill() -> Outcome? {
        _ = clinux_kill(-processID)
        // It may have changed its group.
        _ = clinux_kill(processID)
        _ = clinux_reap(processID)
        return nil
    }

    /// Whether there may be more.
    private func take(_ bytes: inout [UInt8], from stream: borrowing Descriptor) -> Bool {
        guard let piece = try? stream.read(), !piece.isEmpty else { return false }
        bytes += piece.prefix(limit + 1 - bytes.count)
        return true
    }

    /// Closes the other end, without which reading would never end.
    private static func readingEnd(_ pipe: consuming Pipe) -> Descriptor { pipe.reading }
}
