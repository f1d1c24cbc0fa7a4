import Bytes

/// One entry of an allow list of URLs: `scheme "://" host [":" port] [path]`, with `*` inside host labels, port and
/// path segments (grammar 4.0).
package struct URLPattern: Sendable {
    /// Lower case; never a wildcard (AMB-13).
    private let scheme: [UInt8]
    /// One per label of the host; a single one for an IPv6 literal, which is compared as text.
    private let labels: [SegmentGlob]
    private let isAddress: Bool
    /// Nil only where a scheme without a default port stands without one.
    private let port: SegmentGlob?
    /// Whether an origin that tells no port fits.
    private let matchesDefaultPort: Bool
    /// The path with its leading `/`; empty where there is none. An origin never has one.
    package let path: [UInt8]
    /// Whether the last label of the host has a wildcard, which then reaches into other top-level domains (AMB-16).
    package let reachesTopLevel: Bool

    /// - Throws: why no URL can match the text.
    package init(_ text: [UInt8]) throws(URLPatternError) {
        guard let schemeEnd = SerializedOrigin.endOfScheme(text.span) else { throw .noScheme }
        scheme = text[..<schemeEnd].map(ASCII.lowercased)
        let rest = text[(schemeEnd + 3)...]
        let authorityEnd = rest.firstIndex { $0 == ASCII.slash || $0 == ASCII.backslash } ?? rest.endIndex
        path = Array(rest[authorityEnd...])
        let authority = rest[..<authorityEnd]
        guard !rest.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw .queryOrFragment
        }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }

        let hostEnd: Int
        if authority.first == UInt8(ascii: "[") {
            guard let end = SerializedOrigin.endOfAddress(text.span, from: authority.startIndex) else {
                throw .invalidHost
            }
            hostEnd = end
            isAddress = true
            labels = [SegmentGlob(text[authority.startIndex..<end], ignoringCase: true)]
        } else {
            hostEnd = authority.firstIndex(of: ASCII.colon) ?? authority.endIndex
            isAddress = false
            labels = try URLPattern.labels(of: authority[..<hostEnd])
        }
        reachesTopLevel = labels.last?.hasWildcard ?? false
        port = try URLPattern.port(of: authority[hostEnd...], scheme: scheme)
        matchesDefaultPort =
            switch (port, URLPattern.defaultPort(of: scheme)) {
            case (let port?, let number?): port.matches(number.span)
            case (nil, _): true
            case (_?, nil): false
            }
    }

    private static func labels(of host: ArraySlice<UInt8>) throws(URLPatternError) -> [SegmentGlob] {
        let labels = host.split(separator: ASCII.dot, omittingEmptySubsequences: false)
        for label in labels {
            guard !label.isEmpty else { throw .invalidHost }
            for byte in label where byte != UInt8(ascii: "*") && !SerializedOrigin.isNameCharacter(byte) {
                throw .invalidHost
            }
        }
        return labels.map { SegmentGlob($0, ignoringCase: true) }
    }

    /// - Parameter text: empty, or a colon and the port.
    private static func port(of text: ArraySlice<UInt8>, scheme: [UInt8]) throws(URLPatternError) -> SegmentGlob? {
        guard !text.isEmpty else { return defaultPort(of: scheme).map { SegmentGlob($0, ignoringCase: false) } }
        let digits = text.dropFirst()
        guard text.first == ASCII.colon, !digits.isEmpty, digits.count <= 6 else { throw .invalidPort }
        for byte in digits where byte != UInt8(ascii: "*") && !ASCII.isDigit(byte) { throw .invalidPort }
        return SegmentGlob(digits, ignoringCase: false)
    }

    /// The port that a scheme implies (CORS-03).
    private static func defaultPort(of scheme: [UInt8]) -> [UInt8]? {
        switch String(decoding: scheme, as: UTF8.self) {
        case "http": Array("80".utf8)
        case "https": Array("443".utf8)
        default: nil
        }
    }

    /// Whether scheme, host and port of the origin fit; the path of the pattern is not looked at.
    ///
    /// - Parameters:
    ///   - origin: the parts of `text`.
    ///   - text: the serialised origin.
    package func matches(_ origin: SerializedOrigin, of text: Span<UInt8>) -> Bool {
        guard origin.isAddress == isAddress, bytesEqualIgnoringCase(text.slice(origin.scheme), scheme.span) else {
            return false
        }
        guard let number = origin.port else { return matchesDefaultPort && matchesHost(text.slice(origin.host)) }
        guard let port, port.matches(text.slice(number)) else { return false }
        return matchesHost(text.slice(origin.host))
    }

    private func matchesHost(_ host: Span<UInt8>) -> Bool {
        // The colons of an IPv6 literal are part of its text, and its pattern has no wildcard.
        if isAddress { return labels[0].matches(host) }
        var start = 0
        for index in labels.indices {
            var end = start
            while end < host.count, host[end] != ASCII.dot { end += 1 }
            guard labels[index].matches(host.extracting(start..<end)) else { return false }
            // The counts of labels are equal when both sides come to their ends together (C18, C19).
            if index == labels.count - 1 { return end == host.count }
            guard end < host.count else { return false }
            start = end + 1
        }
        return false
    }
}

/// Why a text is no URL pattern.
package enum URLPatternError: Error, Equatable, Sendable {
    /// No `scheme://` in front, or a wildcard in it.
    case noScheme
    case userInformation
    case queryOrFragment
    /// Empty label, character that no host has, wildcard inside an IPv6 literal.
    case invalidHost
    case invalidPort

    package var explanation: String {
        switch self {
        case .noScheme: "must begin with a literal scheme and ://"
        case .userInformation: "must not have user information"
        case .queryOrFragment: "must not have a query or fragment"
        case .invalidHost: "has a host that no URL has"
        case .invalidPort: "has a port that no URL has"
        }
    }
}
