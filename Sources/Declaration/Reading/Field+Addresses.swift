import Bytes
import Model

/// IP addresses and CIDR blocks.
extension Field {
    package func address() -> IPAddress? {
        let expected = "an IP address such as \"127.0.0.1\" or \"::1\""
        guard let text = text(expected) else { return nil }
        guard let address = IPAddress(text) else {
            return invalid(expected, suggestion: text == "localhost" ? "127.0.0.1" : nil)
        }
        return address
    }

    /// A block in CIDR notation, with all bits after the prefix zero.
    package func addressBlock() -> IPAddressRange? {
        let expected = "a CIDR block such as \"10.0.0.0/8\""
        guard let text = text(expected) else { return nil }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return invalid(expected) }
        let width = parts[0].contains(":") ? 128 : 32
        guard let length = parts.count == 1 ? width : Decimal.parse(Array(parts[1].utf8).span), length <= width else {
            return invalid("\(expected), with a prefix length from 1 to \(width)")
        }
        guard length > 0 else {
            // If every address were trusted, each client could choose its own address.
            return error("a block of all addresses would trust every client", expected: expected, found: summary)
        }
        let range = IPAddressRange(of: address, prefixLength: 128 - width + length)
        guard range.first == address else {
            let first = width == 128 ? range.first.textAsIPv6 : range.first.description
            return invalid("\(expected), with no bit set after the prefix", suggestion: "\(first)/\(length)")
        }
        // On dual-stack sockets too, IPv4 clients have IPv4 addresses (RFC 4291 section 2.5.5.2).
        if width == 128, !address.isIPv6, length == 96 {
            return error("a block of all IPv4 addresses would trust every client", expected: expected, found: summary)
        }
        return range
    }
}
