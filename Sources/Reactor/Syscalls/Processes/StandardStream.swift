import CLinux

/// Output and errors of this process, without a buffer.
package enum StandardStream: Int32 {
    case output = 1
    case errors = 2

    /// Writes the bytes. If the reader is gone, they are lost.
    package func write(_ bytes: [UInt8]) {
        let descriptor = Descriptor(rawValue)
        _ = try? descriptor.write(bytes)
        _ = descriptor.release()
    }

    package var isTerminal: Bool { clinux_is_terminal(rawValue) == 1 }

    /// Whether it is a terminal that obeys escape sequences.
    package var isScreen: Bool { isTerminal && !["", "dumb"].contains(Environment.values["TERM"] ?? "") }

    /// Whether text on it may have colours, by https://no-color.org.
    package var hasColour: Bool { isScreen && (Environment.values["NO_COLOR"] ?? "").isEmpty }

    /// Reads standard input to its end; what came before an error.
    package static func input() -> [UInt8] {
        let descriptor = Descriptor(0)
        let bytes = (try? descriptor.readToEnd()) ?? []
        _ = descriptor.release()
        return bytes
    }
}
