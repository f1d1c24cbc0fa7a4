import Bytes

/// One entry of an allow list of URLs: `scheme "://" host [":" port] [path]`, with `*` inside host labels, port and
/// path segments (grammar 4.0). Immutable; a class, so that taking one out of a list counts one reference.
package final class URLPattern: Sendable {
    /// Why a text matches no URL; the raw value is the message.
    package enum Problem: String, Error, Sendable {
        case noScheme = "it has no scheme"
        /// A scheme never has a wildcard (AMB-13).
        case schemePattern = "its scheme is not literal"
        case userInformation = "it has user information"
        case queryOrFragment = "it has a query or a fragment"
        case noHost = "it has no host"
        /// Empty label, invalid character, or wildcard inside an IPv6 literal.
        case invalidHost = "it has a host that no URL has"
        case invalidPort = "its port is not a number or \"*\""
    }

    /// Scheme and host in lower case, port (or the default port) and path. All parts are in one buffer, so that
    /// matching does no reference counting.
    private let text: [UInt8]
    /// Never has a wildcard (AMB-13).
    private let scheme: ByteRange
    /// One for each label of the host; a single one for an IPv6 literal, which is compared as text.
    private let labels: [ByteRange]
    private let isAddress: Bool
    /// Nil only for a scheme without default port.
    private let port: ByteRange?
    /// Whether an origin without a port matches.
    private let matchesDefaultPort: Bool
    private let pathRange: ByteRange

    /// The path with its leading `/`; empty for an origin.
    package var path: [UInt8] { Array(text[pathRange.range]) }

    /// Whether the last label of the host has a wildcard, which matches other top-level domains (AMB-16).
    package var reachesTopLevel: Bool { labels.last.map { text[$0.range].contains(SegmentGlob.wildcard) } ?? false }

    /// Whether it only matches the local machine.
    package var isLocal: Bool {
        let host = labels.map { String(decoding: text[$0.range], as: UTF8.self) }.joined(separator: ".")
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
    }

    /// Whether the traffic is unprotected: `http` to another machine.
    package var isInClear: Bool { text[scheme.range].elementsEqual("http".utf8) && !isLocal }

    /// The entries of a comma-separated list.
    package static func entries(of list: String?) -> [[UInt8]] {
        let isSpace: (UInt8) -> Bool = { $0 == ASCII.space || (9...13).contains($0) }
        return (list ?? "").utf8.split(separator: ASCII.comma)
            .map { Array(Array($0.drop(while: isSpace)).reversed().drop(while: isSpace).reversed()) }
            .filter { !$0.isEmpty }
    }

    /// - Throws: the reason why no URL can match.
    package init(_ written: [UInt8]) throws(Problem) {
        guard let schemeEnd = SerializedOrigin.endOfScheme(written.span) else {
            throw written.firstRange(of: Array("://".utf8)) == nil ? .noScheme : .schemePattern
        }
        let rest = written[(schemeEnd + 3)...]
        let authorityEnd = rest.firstIndex { $0 == ASCII.slash || $0 == ASCII.backslash } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !rest.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw .queryOrFragment
        }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }

        let hostEnd: Int
        isAddress = authority.first == UInt8(ascii: "[")
        if isAddress {
            guard let end = SerializedOrigin.endOfAddress(written.span, from: authority.startIndex) else {
                throw .invalidHost
            }
            hostEnd = end
            labels = [ByteRange(authority.startIndex..<end)]
        } else {
            hostEnd = authority.firstIndex(of: ASCII.colon) ?? authority.endIndex
            labels = try URLPattern.labels(of: authority[..<hostEnd])
        }
        let lowered = written[..<hostEnd].map(ASCII.lowercased) + written[hostEnd...]
        let defaultPort = URLPattern.defaultPort(of: lowered[..<schemeEnd])
        scheme = ByteRange(0..<schemeEnd)
        pathRange = ByteRange(authorityEnd..<written.count)
        text = lowered + defaultPort
        let impliedPort = ByteRange(start: lowered.count, count: defaultPort.count)
        if hostEnd == authorityEnd {
            port = defaultPort.isEmpty ? nil : impliedPort
            matchesDefaultPort = true
        } else {
            try URLPattern.checkPort(authority[hostEnd...])
            let own = ByteRange((hostEnd + 1)..<authorityEnd)
            port = own
            let number = written.span.slice(own)
            let implied = defaultPort.span
            matchesDefaultPort =
                implied.isEmpty ? false : SegmentGlob.matches(number, implied, ignoringCase: false)
        }
    }

    private static func labels(of host: ArraySlice<UInt8>) throws(Problem) -> [ByteRange] {
        guard !host.isEmpty else { throw .noHost }
        let labels = host.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { throw .invalidHost }
            for byte in label where byte != SegmentGlob.wildcard && !SerializedOrigin.isNameCharacter(byte) {
                throw .invalidHost
            }
        }
        return labels.map { ByteRange($0.startIndex..<$0.endIndex) }
    }

    /// - Parameter text: a colon and the port.
    private static func checkPort(_ text: ArraySlice<UInt8>) throws(Problem) {
        let characters = text.dropFirst()
        let digits = characters.filter { $0 != SegmentGlob.wildcard }
        guard text.first == ASCII.colon, !characters.isEmpty, characters.count <= 6 else { throw .invalidPort }
        if digits.isEmpty { return }
        guard let number = Decimal.parse(digits.span), number <= 65_535 else { throw .invalidPort }
    }

    /// The port that a scheme implies (CORS-03); empty for none.
    private static func defaultPort(of scheme: ArraySlice<UInt8>) -> [UInt8] {
        switch String(decoding: scheme, as: UTF8.self) {
        case "http": Array("80".utf8)
        case "https": Array("443".utf8)
        default: []
        }
    }

    /// Whether scheme, host and port of the origin match; the path of the pattern is ignored.
    ///
    /// - Parameters:
    ///   - origin: the parts of `written`.
    ///   - written: the serialised origin.
    package func matches(_ origin: SerializedOrigin, of written: Span<UInt8>) -> Bool {
        let text = text
        let pattern = text.span
        guard origin.isAddress == isAddress,
            bytesEqualIgnoringCase(pattern.slice(scheme), written.slice(origin.scheme)),
            matchesHost(written.slice(origin.host), pattern)
        else { return false }
        guard let number = origin.port else { return matchesDefaultPort }
        guard let port else { return false }
        return SegmentGlob.matches(pattern.slice(port), written.slice(number), ignoringCase: false)
    }

    private func matchesHost(_ host: Span<UInt8>, _ pattern: Span<UInt8>) -> Bool {
        // The colons of an IPv6 literal belong to its text, and its pattern has no wildcard.
        if isAddress { return bytesEqualIgnoringCase(pattern.slice(labels[0]), host) }
        var start = 0
        for index in labels.indices {
            // The numbers of labels are equal if both sides end together (C18, C19).
            guard start <= host.count else { return false }
            var end = start
            while end < host.count, host[end] != ASCII.dot { end += 1 }
            let label = host.extracting(start..<end)
            guard SegmentGlob.matches(pattern.slice(labels[index]), label, ignoringCase: true) else { return false }
            start = end + 1
        }
        return start == host.count + 1
    }
}

extension URLPattern: CustomStringConvertible {
    package var description: String { String(decoding: text[..<pathRange.end], as: UTF8.self) }
}
