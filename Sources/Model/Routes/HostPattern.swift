import Bytes

/// Names of hosts.
package enum HostName {
    /// Labels of letters, digits, inner hyphens and underscores (as in container names), joined by dots; includes IPv4
    /// addresses.
    package static func isValid(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 253 else { return false }
        let hyphen = UInt8(ascii: "-")
        var start = 0
        for i in 0...text.count {
            if i == text.count || text[i] == ASCII.dot {
                guard (1...63).contains(i - start), text[start] != hyphen, text[i - 1] != hyphen else { return false }
                start = i + 1
            } else if !ASCII.isLetter(text[i]), !ASCII.isDigit(text[i]), text[i] != hyphen, text[i] != 0x5f {
                return false
            }
        }
        return true
    }

    /// The same for a text.
    package static func isValid(_ text: some StringProtocol) -> Bool { isValid(Array(text.utf8).span) }
}

/// A host of a route: a name, an address (IPv6 in brackets), or `*.` and a name, for names with exactly one more label.
package struct HostPattern: Hashable, Sendable {
    /// In lower case, without the `*.`.
    package let name: [UInt8]
    package let isWildcard: Bool

    /// - Returns: nil if no request can have the host.
    package init?(_ text: String) {
        isWildcard = text.hasPrefix("*.")
        name = text.utf8.dropFirst(isWildcard ? 2 : 0).map(ASCII.lowercased)
        guard HostName.isValid(name.span) || !isWildcard && HostPattern.isBracketed(name) else { return nil }
    }

    private static func isBracketed(_ name: [UInt8]) -> Bool {
        guard name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") else { return false }
        let address = Array(name.dropFirst().dropLast())
        return AddressText.isIPv6(address.span)
    }

    /// - Parameter host: in lower case.
    package func fits(_ host: String) -> Bool {
        guard isWildcard else { return host.utf8.elementsEqual(name) }
        let label = host.utf8.prefix { $0 != ASCII.dot }
        return !label.isEmpty && host.utf8.dropFirst(label.count).elementsEqual([ASCII.dot] + name)
    }
}

extension HostPattern: CustomStringConvertible {
    package var description: String { (isWildcard ? "*." : "") + String(decoding: name, as: UTF8.self) }
}
