import Bytes
import Model

/// Information of earlier hops about the client. Used only for requests of trusted peers: from others the whole family
/// of fields is removed unread (other gateways' CVE-2026-40575, GHSA-vhr5-ggp3-qq85).
///
/// Only the configured family is read, and the other removed: a balancer that writes one of them usually passes the
/// other through as the client sent it.
package struct ForwardedFields: Sendable {
    /// The nearest address that is not a trusted proxy, or else the farthest trusted one.
    package var client: IPAddress
    /// Whether the client's connection is encrypted; nil if unknown.
    package var isSecure: Bool?
    /// The authority that the client requested, as a range of the head's buffer.
    package var host: ByteRange?
    package var port: UInt16?
    /// How many elements of the chain are believed.
    package var hops = 0

    /// Limit of trusted hops of a request. Real chains have two or three; longer ones are cut.
    package static let longestChain = 32

    /// Reads the family and appends the verified chain from the client to the peer, in the form of `X-Forwarded-For`.
    ///
    /// The chain is read from right to left over all field lines. Each element was added by the hop to its right, and
    /// counts only if that hop is trusted. The first untrusted one is the client; elements before it are ignored. An
    /// element that is not an address ends the chain before it.
    ///
    /// - Parameters:
    ///   - peer: the trusted peer of the connection.
    ///   - trusted: the addresses of trusted proxies.
    package static func read(
        _ headers: HeaderTable, _ bytes: Span<UInt8>, family: ForwardedFamily, peer: IPAddress, chain: Chunk,
        trusted: [IPAddressRange]
    ) -> ForwardedFields {
        var fields = ForwardedFields(client: peer)
        var elements = LastElements()
        switch family {
        case .xForwarded:
            elements.take(.xForwardedFor, headers, bytes, quoted: false)
            fields.readOrigin(headers, bytes)
        case .forwarded:
            elements.take(.forwarded, headers, bytes, quoted: true)
            if let nearest = elements.last { fields.readOrigin(nearest, bytes) }
        }
        // The number of trusted elements, from the right.
        var believed = 0
        while believed < elements.count, let address = elements.address(believed, family, bytes) {
            fields.client = address
            believed &+= 1
            if !trusted.contains(address) { break }
        }
        fields.hops = believed
        while believed > 0 {
            believed &-= 1
            elements.address(believed, family, bytes)?.append(to: chain)
            chain.append(", ")
        }
        peer.append(to: chain)
        return fields
    }

    private init(client: IPAddress) { self.client = client }

    /// Scheme, host and port of the `X-Forwarded-` family. Of several values the last counts: the nearest hop is the only
    /// one that is known to have written any.
    private mutating func readOrigin(_ headers: HeaderTable, _ bytes: Span<UInt8>) {
        if let scheme = ForwardedFields.last(.xForwardedProto, headers, bytes) {
            isSecure = ForwardedFields.isSecure(bytes.slice(scheme))
        }
        if let authority = ForwardedFields.last(.xForwardedHost, headers, bytes),
            Authority.isValid(bytes.slice(authority))
        {
            host = authority
        }
        if let text = ForwardedFields.last(.xForwardedPort, headers, bytes) {
            port = ForwardedFields.port(bytes.slice(text))
        }
    }

    /// The same from the parameters of the nearest hop's element (RFC 7239 section 5).
    private mutating func readOrigin(_ element: ByteRange, _ bytes: Span<UInt8>) {
        guard let pairs = ForwardedElement(element, bytes) else { return }
        if let scheme = pairs.scheme { isSecure = ForwardedFields.isSecure(bytes.slice(scheme)) }
        if let authority = pairs.host, Authority.isValid(bytes.slice(authority)) { host = authority }
    }

    private static func last(_ token: HeaderToken, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> ByteRange? {
        guard headers.occurrences(token) > 0 else { return nil }
        var elements = LastElements()
        elements.take(token, headers, bytes, quoted: false)
        return elements.last
    }

    /// Only `http` and `https` are known; `wss` and the like are ignored.
    private static func isSecure(_ scheme: Span<UInt8>) -> Bool? {
        if matches(scheme, "https") { return true }
        return matches(scheme, "http") ? false : nil
    }

    private static func port(_ text: Span<UInt8>) -> UInt16? {
        guard text.count <= 5, let number = Decimal.parse(text), number > 0 else { return nil }
        return UInt16(exactly: number)
    }
}

/// The last elements of all field lines of one name, without allocation.
private struct LastElements {
    private var ranges = InlineArray<32, ByteRange>(repeating: .empty)
    private var total = 0

    var count: Int { min(total, ForwardedFields.longestChain) }
    var last: ByteRange? { total == 0 ? nil : self[0] }

    /// Counted from the right.
    subscript(_ place: Int) -> ByteRange { ranges[(total &- 1 &- place) & 31] }

    /// - Parameter quoted: whether commas in quoted strings do not separate. `X-Forwarded-For` has no quoted strings: a
    ///   client's unterminated quote must not hide elements that were appended after it.
    mutating func take(_ token: HeaderToken, _ headers: HeaderTable, _ bytes: Span<UInt8>, quoted: Bool) {
        guard headers.occurrences(token) > 0 else { return }
        for i in 0..<headers.count where headers[i].token == token {
            if quoted {
                var list = FieldList(headers[i].value)
                while let element = list.next(bytes) { append(element) }
            } else {
                split(headers[i].value.range, bytes)
            }
        }
    }

    private mutating func split(_ value: Range<Int>, _ bytes: Span<UInt8>) {
        var start = value.lowerBound
        for position in value where bytes[position] == ASCII.comma {
            append(FieldSyntax.trimmed(start..<position, bytes))
            start = position &+ 1
        }
        append(FieldSyntax.trimmed(start..<value.upperBound, bytes))
    }

    private mutating func append(_ element: ByteRange) {
        guard !element.isEmpty else { return }
        ranges[total & 31] = element
        total &+= 1
    }

    /// The address of an element; nil if it has none.
    func address(_ place: Int, _ family: ForwardedFamily, _ bytes: Span<UInt8>) -> IPAddress? {
        switch family {
        case .xForwarded: return ForwardedElement.node(bytes.slice(self[place]))
        case .forwarded:
            guard let node = ForwardedElement(self[place], bytes)?.node else { return nil }
            return ForwardedElement.node(bytes.slice(node))
        }
    }
}
