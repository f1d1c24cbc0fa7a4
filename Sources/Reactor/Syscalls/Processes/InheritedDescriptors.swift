import Bytes
import CLinux
import Glibc

/// The listening sockets inherited from systemd (sd_listen_fds(3)) or from a predecessor.
package struct InheritedDescriptors: ~Copyable, Sendable {
    /// The origin of a socket.
    package enum Origin: Sendable { case systemd, predecessor }

    private struct Entry: Sendable {
        var name: String
        var number: Int32
        var origin: Origin
    }

    private var entries: [Entry] = []
    private var ready: Int32?

    static let listenersVariable = "PORTCULLIS_LISTENERS"
    static let readyVariable = "PORTCULLIS_READY"
    /// The first descriptor of systemd.
    private static let systemdStart: Int32 = 3
    private let systemdStart: Int32

    /// Reads the variables and removes them from the environment, so that child processes ignore them. Call once,
    /// before any other thread starts and before any file is opened.
    package init() { self.init(systemdStart: InheritedDescriptors.systemdStart) }

    /// - Parameter systemdStart: the first descriptor of systemd; tests use others.
    init(systemdStart: Int32) {
        self.systemdStart = systemdStart
        let (count, process) = (Environment.take("LISTEN_FDS"), Environment.take("LISTEN_PID"))
        let names = Environment.take("LISTEN_FDNAMES")
        // The variables may be meant for an ancestor process.
        if process == String(ProcessLimits.processID), let count = count.flatMap(InheritedDescriptors.number) {
            addSystemd(count, names: names)
        }
        if let text = Environment.take(InheritedDescriptors.listenersVariable) { addPredecessor(text) }
        ready = Environment.take(InheritedDescriptors.readyVariable).flatMap(InheritedDescriptors.number)
        for number in entries.map(\.number) + (ready.map { [$0] } ?? []) { _ = clinux_close_on_exec(number) }
    }

    deinit {
        for entry in entries { _ = clinux_close(entry.number) }
        if let ready { _ = clinux_close(ready) }
    }

    /// Names of the unclaimed sockets, one for each socket.
    package var names: [String] { entries.map(\.name) }
    /// Whether a predecessor waits until this process serves.
    package var hasPredecessor: Bool { ready != nil }

    /// Claims the next socket of a name; nil if none is left. Throws if the descriptor is not a listening stream
    /// socket.
    package mutating func claim(_ name: String) throws(KernelError) -> BoundListener? {
        guard let index = entries.firstIndex(where: { $0.name == name }) else { return nil }
        return try BoundListener(adopting: entries.remove(at: index).number)
    }

    /// The origin of the next socket of a name, which decides about the removal of a socket file.
    package func origin(of name: String) -> Origin? { entries.first { $0.name == name }?.origin }

    /// Closes the unclaimed sockets.
    package mutating func closeUnclaimed() {
        for entry in entries { _ = clinux_close(entry.number) }
        entries = []
    }

    /// Notifies the predecessor that this process serves; it then stops accepting.
    package mutating func reportReady() {
        guard let number = ready else { return }
        ready = nil
        let pipe = Descriptor(number)
        // SAFETY: the byte outlives the call.
        _ = unsafe [UInt8(1)].withUnsafeBytes { unsafe clinux_write(pipe.number, $0.baseAddress, 1) }
    }

    private mutating func addSystemd(_ count: Int32, names: String?) {
        let names = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        for offset in 0..<min(count, 1024) {
            let name = Int(offset) < names.count ? String(names[Int(offset)]) : "unknown"
            let number = systemdStart + offset
            entries.append(Entry(name: name, number: number, origin: .systemd))
        }
    }

    private mutating func addPredecessor(_ text: String) {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = InheritedDescriptors.number(String(parts[1])), number > 2,
                !entries.contains(where: { $0.number == number })
            else { continue }
            entries.append(Entry(name: InheritedDescriptors.decoded(parts[0]), number: number, origin: .predecessor))
        }
    }

    /// The value of the variable for named sockets; separators in names are percent-encoded.
    static func text(_ listeners: [(name: String, number: Int32)]) -> String {
        listeners.map { listener in
            var name = ""
            for byte in listener.name.utf8 {
                let isPlain = byte > 0x20 && byte < 0x7f && !"%,=".utf8.contains(byte)
                let digits = String(byte, radix: 16)
                name += isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
            return "\(name)=\(listener.number)"
        }.joined(separator: ",")
    }

    private static func decoded(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = name.utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(ASCII.hexadecimalValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One to nine digits.
    private static func number(_ text: String) -> Int32? {
        guard (1...9).contains(text.utf8.count) else { return nil }
        var value: Int32 = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int32(byte - 0x30)
        }
        return value
    }
}
