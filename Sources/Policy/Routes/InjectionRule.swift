import HTTP

/// Which token is sent to the upstream, and in which field (CACHE-04, AMB-21).
package struct InjectionRule: Equatable, Sendable {
    /// Name of the issuer in the configuration.
    package let issuer: String
    /// Distinguishes tokens of differently configured issuers in the cache.
    package let configurationID: String
    /// Name of the field as written.
    package var headerName: [UInt8] { field.name }
    /// The field's name, against imitations.
    package let field: OwnFieldName
    /// Token of that name, for dropping the client's field of the same name.
    package let headerToken: HeaderToken
    /// The text before and after the token in the value: the format split at `{token}`.
    package let prefix: [UInt8]
    package let suffix: [UInt8]
    /// Whether to repeat a request with another token after a 401 by the upstream.
    package let retriesOnUnauthorized: Bool
    /// Whether the token takes the place of the client's credential (GW-09).
    package let replacesCredential: Bool

    /// - Parameters:
    ///   - header: a field name (RFC 9110 section 5.1).
    ///   - format: contains `{token}` exactly once.
    /// - Returns: nil for an invalid name or format.
    package init?(
        issuer: String, configurationID: String, header: String = "Authorization",
        format: String = "Bearer {token}", retriesOnUnauthorized: Bool = true, replacesCredential: Bool = true
    ) {
        let name = Array(header.utf8)
        guard !name.isEmpty, name.allSatisfy(InjectionRule.isNameCharacter) else { return nil }
        let parts = InjectionRule.split(Array(format.utf8), at: Array("{token}".utf8))
        guard parts.count == 2, parts.joined().allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return nil }
        self.issuer = issuer
        self.configurationID = configurationID
        field = OwnFieldName(header)
        headerToken = HeaderToken.lookup(name.span)
        self.retriesOnUnauthorized = retriesOnUnauthorized
        self.replacesCredential = replacesCredential
        prefix = parts[0]
        suffix = parts[1]
    }

    /// A `tchar` (RFC 9110 section 5.6.2).
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "^")...UInt8(ascii: "z"), UInt8(ascii: "#")...UInt8(ascii: "'"):
            true
        default: Array("!*+-.|~".utf8).contains(byte)
        }
    }

    private static func split(_ text: [UInt8], at mark: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var rest = text[...]
        while let first = rest.first {
            if rest.starts(with: mark) {
                parts.append([])
                rest = rest.dropFirst(mark.count)
            } else {
                parts[parts.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return parts
    }
}
