import Bytes

/// One way in which a client certificate may be the right one: `dns:*.example.com`, `uri:spiffe://example.com/*`,
/// `email:*@example.com`, `ip:10.0.0.1`, or `subject:CN=device *,O=Example` in the form of RFC 4514.
///
/// `*` stands for one or more characters within a piece: of a host name between dots, of a URI between `/`, of an
/// address before or behind `@`, of a subject within one attribute. What separates pieces it never stands for, so that
/// no certificate gets a further name in; in a subject an escaped character counts as that, too.
package struct CertificatePattern: Hashable, Sendable {
    /// What of the certificate is compared.
    package enum Kind: String, Sendable, CaseIterable {
        case subject, dns, email, uri, ip
    }

    package let kind: Kind
    /// Behind the colon; a host name in lower case.
    private let text: [UInt8]

    /// - Parameter pattern: kind, colon, text.
    /// - Returns: nil for an unknown kind or an empty text.
    package init?(_ pattern: String) {
        guard let colon = pattern.firstIndex(of: ":"), let kind = Kind(rawValue: String(pattern[..<colon])) else {
            return nil
        }
        let text = Array(pattern[pattern.index(after: colon)...].utf8)
        guard !text.isEmpty else { return nil }
        self.kind = kind
        self.text = kind == .dns ? text.map(ASCII.lowercased) : text
    }

    /// Backtracking to the last `*` suffices, since it never crosses a separator.
    ///
    /// - Parameter name: one of this kind.
    package func fits(name: String) -> Bool {
        let name = Array(name.utf8)
        var (p, t) = (0, 0)
        var starInPattern = -1
        var starInName = 0
        while t < name.count {
            if p < text.count, text[p] == UInt8(ascii: "*") {
                // One character at the least.
                if isSeparator(name[t]) { return false }
                starInPattern = p
                starInName = t + 1
                (p, t) = (p + 1, t + 1)
            } else if p < text.count, text[p] == name[t] {
                (p, t) = (p + 1, t + 1)
            } else if starInPattern >= 0, starInName < name.count, !isSeparator(name[starInName]) {
                starInName += 1
                (p, t) = (starInPattern + 1, starInName)
            } else {
                return false
            }
        }
        return p == text.count
    }

    private func isSeparator(_ byte: UInt8) -> Bool {
        switch kind {
        case .dns: byte == ASCII.dot
        case .email: byte == UInt8(ascii: "@")
        case .uri: byte == ASCII.slash
        // RFC 4514: attributes end at `,` or `+`; in a value these stand behind `\`.
        case .subject: byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+") || byte == ASCII.backslash
        case .ip: true
        }
    }
}

extension CertificatePattern: CustomStringConvertible {
    /// As in the configuration.
    package var description: String { "\(kind.rawValue):\(String(decoding: text, as: UTF8.self))" }
}
