import CLinux
import Glibc

/// Another descriptor of a listening socket, for a successor.
///
/// It keeps the socket alive: without a successor, release it before the workers stop listening.
package final class ListenerCopy: Sendable {
    package let name: String
    package let address: SocketAddress
    let descriptor: Descriptor

    /// - Parameter name: the name by which the successor claims it; may be shared by several sockets.
    package init(_ bound: borrowing BoundListener, name: String) throws(KernelError) {
        descriptor = Descriptor(try Kernel.check(clinux_duplicate(bound.descriptor.number)))
        address = bound.address
        self.name = name
    }
}

/// Why no successor took over. This process then continues to serve.
package enum SuccessorError: Error, Equatable, Sendable {
    /// The program file does not exist any more.
    case noExecutable
    case notStarted(KernelError)
    /// It ended before it served, with this code (128 plus the number of a signal).
    case ended(code: Int32)
    /// It did not serve in time and was killed.
    case late
}

/// A new process of the program, perhaps a newer version, that takes over the listening sockets.
package struct Successor: ~Copyable, Sendable {
    package let processID: Int32
    private let ready: Descriptor

    /// Starts the program with the sockets. It inherits the environment and only descriptors without close-on-exec.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, beginning with the name of the program.
    ///   - environment: entries `NAME=value` that are added or replaced.
    package init(
        arguments: [String], environment added: [String] = [], listeners: [ListenerCopy]
    ) throws(SuccessorError) {
        guard let path = Successor.executable(arguments.first ?? "") else { throw .noExecutable }
        do throws(KernelError) {
            let pipe = try Pipe()
            let named = listeners.map { ($0.name, $0.descriptor.number) }
            let variables = [
                "\(InheritedDescriptors.listenersVariable)=\(InheritedDescriptors.text(named))",
                "\(InheritedDescriptors.readyVariable)=\(pipe.writing.number)",
            ]
            let numbers = listeners.map { $0.descriptor.number } + [pipe.writing.number]
            let environment = Environment.entries(changedBy: added + variables)
            processID = try Successor.spawn(path, arguments, environment, numbers)
            ready = pipe.reading
        } catch { throw .notStarted(error) }
    }

    /// Blocks until the successor serves. A failed one is killed and reaped.
    package consuming func waitUntilReady(milliseconds: Int) throws(SuccessorError) {
        let deadline = Clock.monotonicMilliseconds + Int64(milliseconds)
        while true {
            let rest = Int32(clamping: max(0, deadline - Clock.monotonicMilliseconds))
            let result = clinux_wait_readable(ready.number, rest)
            if result == -EINTR { continue }
            guard result > 0 else {
                _ = clinux_kill(processID)
                _ = clinux_reap(processID)
                throw .late
            }
            if clinux_read_byte(ready.number) == 1 { return }
            // It has closed its end without a message: it is about to end, or will not serve.
            if clinux_wait_process(processID, Int32(clamping: min(rest, 5000))) <= 0 { _ = clinux_kill(processID) }
            throw .ended(code: clinux_reap(processID))
        }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String], _ descriptors: [Int32]
    ) throws(KernelError) -> Int32 {
        let (arguments, environment) = (TextVector(arguments), TextVector(environment))
        // SAFETY: all live until the end of the call.
        return try Kernel.check(
            unsafe clinux_spawn(
                path, arguments.pointers, environment.pointers, descriptors, Int32(descriptors.count)))
    }

    /// The file to start: the current file of the program's name, which may be a new version, or else the running one.
    static func executable(_ name: String) -> String? {
        if name.utf8.contains(UInt8(ascii: "/")) {
            if isExecutable(name) { return name }
        } else if !name.isEmpty {
            // SAFETY: the text is copied at once.
            let path = unsafe clinux_environment("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
            for directory in path.split(separator: ":") where isExecutable("\(directory)/\(name)") {
                return "\(directory)/\(name)"
            }
        }
        var link = [UInt8](repeating: 0, count: 4096)
        // SAFETY: readlink writes within the array.
        let count = unsafe link.withUnsafeMutableBytes {
            unsafe clinux_executable_link($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count > 0 else { return nil }
        let running = String(decoding: link[..<Int(count)], as: UTF8.self)
        // The kernel's mark of a file that was replaced while it ran.
        let mark = " (deleted)"
        let path = running.hasSuffix(mark) ? String(running.dropLast(mark.count)) : running
        return isExecutable(path) ? path : nil
    }

    private static func isExecutable(_ path: String) -> Bool {
        // SAFETY: the text outlives the call.
        unsafe clinux_is_executable(path) == 1
    }
}
