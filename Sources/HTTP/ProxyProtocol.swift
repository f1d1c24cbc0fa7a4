import Bytes
import Model

/// The PROXY protocol, by which a balancer transmits the client's address. A strict parser of both versions
/// (`doc/proxy-protocol.txt` of HAProxy 3.0), since the end of the header decides where the stream begins.
///
/// Parsing restarts when more bytes arrive. A header has at most 107 bytes in version 1, and its length is in the first
/// 16 bytes in version 2.
package enum ProxyProtocol {
    package struct Endpoint: Hashable, Sendable {
        package let address: IPAddress
        package let port: UInt16

        package init(address: IPAddress, port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    package enum Outcome: Equatable, Sendable {
        /// The bytes are the beginning of a header.
        case needMore
        /// A header of this length; the connection was made for the source, to the destination.
        case proxied(length: Int, source: Endpoint, destination: Endpoint)
        /// A header of this length without an address: a connection of the balancer itself (LOCAL) or of a client
        /// without an IP address (UNKNOWN, a unix socket). The peer of the connection counts.
        case local(length: Int)
        /// No header, or a malformed one: the connection must be closed.
        case invalid
    }

    /// Longest line of version 1, including CRLF.
    static let longestLine = 107
    /// Longest header of version 2.
    package static let longestHeader = 4096

    /// Reads the header at the beginning of a connection.
    package static func parse(_ bytes: Span<UInt8>) -> Outcome {
        guard !bytes.isEmpty else { return .needMore }
        return bytes[0] == ASCII.carriageReturn ? parseBinary(bytes) : parseLine(bytes)
    }

    // MARK: Version 1

    private static func parseLine(_ bytes: Span<UInt8>) -> Outcome {
        let prefix = ("PROXY " as StaticString).span
        for i in 0..<min(prefix.count, bytes.count) where bytes[i] != prefix[i] { return .invalid }
        var end = prefix.count
        while end < bytes.count, bytes[end] >= ASCII.space, bytes[end] < 127 { end &+= 1 }
        guard end <= longestLine - 2 else { return .invalid }
        guard end < bytes.count else { return .needMore }
        guard bytes[end] == ASCII.carriageReturn else { return .invalid }
        guard end + 1 < bytes.count else { return .needMore }
        guard bytes[end + 1] == ASCII.lineFeed else { return .invalid }
        return read(bytes.extracting(prefix.count..<end), length: end + 2)
    }

    /// - Parameter text: the text between `PROXY ` and the end of the line.
    private static func read(_ text: Span<UInt8>, length: Int) -> Outcome {
        var words = Words(rest: 0..<text.count)
        guard let family = words.next(text) else { return .invalid }
        // The rest after UNKNOWN is ignored (section 2.1).
        if bytesEqual(text.slice(family), ("UNKNOWN" as StaticString).span) { return .local(length: length) }
        let isIPv6 = bytesEqual(text.slice(family), ("TCP6" as StaticString).span)
        guard isIPv6 || bytesEqual(text.slice(family), ("TCP4" as StaticString).span),
            let source = words.next(text).flatMap({ address(text.slice($0), isIPv6: isIPv6) }),
            let destination = words.next(text).flatMap({ address(text.slice($0), isIPv6: isIPv6) }),
            let sourcePort = words.next(text).flatMap({ port(text.slice($0)) }),
            let destinationPort = words.next(text).flatMap({ port(text.slice($0)) }), words.isAtEnd
        else { return .invalid }
        return .proxied(
            length: length, source: Endpoint(address: source, port: sourcePort),
            destination: Endpoint(address: destination, port: destinationPort))
    }

    /// Words separated by exactly one space.
    private struct Words {
        var rest: Range<Int>
        var isAtEnd = false

        mutating func next(_ text: Span<UInt8>) -> ByteRange? {
            guard !isAtEnd else { return nil }
            var end = rest.lowerBound
            while end < rest.upperBound, text[end] != ASCII.space { end &+= 1 }
            let word = ByteRange(start: rest.lowerBound, count: end - rest.lowerBound)
            isAtEnd = end == rest.upperBound
            rest = min(end + 1, rest.upperBound)..<rest.upperBound
            return word.isEmpty ? nil : word
        }
    }

    private static func address(_ text: Span<UInt8>, isIPv6: Bool) -> IPAddress? {
        guard isIPv6 ? AddressText.isIPv6(text) : AddressText.isIPv4(text) else { return nil }
        return IPAddress(text: text)
    }

    /// A number from 0 to 65535 without leading zeros.
    private static func port(_ text: Span<UInt8>) -> UInt16? {
        guard text.count <= 5, text.count == 1 || text[0] != 48, let number = Decimal.parse(text) else { return nil }
        return UInt16(exactly: number)
    }
}
