import Bytes
import Model

/// What the hops in front of this one have said about the client. To be asked only about a request of a trusted peer:
/// from anybody else the whole family is removed unread (other gateways' CVE-2026-40575, GHSA-vhr5-ggp3-qq85).
///
/// One family is read, which the operator names, and the other removed unread: a balancer that writes one of them
/// mostly passes the other through as the client sent it.
package struct ForwardedFields: Sendable {
    /// The nearest address that is not a trusted proxy's; the farthest trusted one where there is no other.
    package var client: IPAddress
    /// Whether the client's own connection is encrypted; nil where nobody says so or in no known way.
    package var isSecure: Bool?
    /// The authority that the client asked for, as a range of the head's buffer.
    package var host: ByteRange?
    package var port: UInt16?

    /// Trusted hops of one request that are believed. Real chains have two or three; a longer one is cut there.
    package static let longestChain = 32

    /// Reads the family and appends the verified chain, from the client to the peer, as `X-Forwarded-For` has it.
    ///
    /// The chain is walked from right to left, over all field lines: each element was added by the hop to its right, and
    /// is worth something only if that one is trusted. The first that is not trusted is the client, whatever stands in
    /// front of it. An element that is no address ends the walk before it.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection, which is trusted.
    ///   - trusted: where the proxies are that are believed.
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
        // How many elements, from the right, are believed.
        var believed = 0
        while believed < elements.count, let address = elements.address(believed, family, bytes) {
            fields.client = address
            believed &+= 1
            if !trusted.contains(address) { break }
        }
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

    /// Only the two schemes that lead here are known; `wss` and the like are as good as nothing.
    private static func isSecure(_ scheme: Span<UInt8>) -> Bool? {
        if matches(scheme, "https") { return true }
        return matches(scheme, "http") ? false : nil
    }

    private static func port(_ text: Span<UInt8>) -> UInt16? {
        guard text.count <= 5, let number = Decimal.parse(text), number > 0 else { return nil }
        return UInt16(exactly: number)
    }
}

/// The last elements of all field lines of one name together, without allocation however many there are.
private struct LastElements {
    private var ranges = InlineArray<32, ByteRange>(repeating: .empty)
    private var total = 0

    var count: Int { min(total, ForwardedFields.longestChain) }
    var last: ByteRange? { total == 0 ? nil : self[0] }

    /// Counted from the right.
    subscript(_ place: Int) -> ByteRange { ranges[(total &- 1 &- place) & 31] }

    /// - Parameter quoted: whether a comma in a quoted string separates nothing. A name in `X-Forwarded-For` has no
    ///   quotes; one that a client left open must not swallow what was appended behind it.
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

    /// The address that an element names; nil where it is none.
    func address(_ place: Int, _ family: ForwardedFamily, _ bytes: Span<UInt8>) -> IPAddress? {
        switch family {
        case .xForwarded: return ForwardedElement.node(bytes.slice(self[place]))
        case .forwarded:
            guard let node = ForwardedElement(self[place], bytes)?.node else { return nil }
            return ForwardedElement.node(bytes.slice(node))
        }
    }
}
