import Bytes

/// A registered redirect URI of a client (RFC 6749 section 3.1.2, RFC 8252 section 7).
package struct ClientRedirectURI: Sendable, Equatable {
    /// What is wrong with a text. The raw value says it in words.
    package enum Problem: String, Error, Sendable, CaseIterable {
        case tooLong = "it is longer than 1024 bytes"
        case fragment = "it must not have a fragment"
        case userInformation = "it must not have a user or a password"
        case host = "it has no valid host"
        case port = "its port is not a number from 1 to 65535"
        case characters = "it has a character that must be percent-encoded, or a malformed escape"
        case path = "its path can be read in two ways"
        case clear = "http is for 127.0.0.1, [::1] and localhost alone"
        case scheme = "its scheme is neither https nor one of the application, which has a dot"
        case noPath = "a slash must follow the scheme"
    }

    /// Who receives what is sent there.
    package enum Kind: Sendable {
        /// The holder of the host's certificate.
        case web
        /// A program on the user's device, at any port (RFC 8252 section 7.3).
        case loopback
        /// A program on the user's device that has claimed the scheme (RFC 8252 section 7.1).
        case application
    }

    package let text: String
    package let kind: Kind
    /// End of the host of a loopback URI, where a port may follow.
    private let hostEnd: Int
    /// Beginning of the path.
    private let rest: Int

    /// Whether it has the name of the loopback address, which RFC 8252 section 8.3 advises against.
    package var isLocalhost: Bool { kind == .loopback && text.hasPrefix(ClientRedirectURI.localhost) }
    private static let localhost = "http://localhost"

    package init(_ text: String) throws(Problem) {
        guard text.utf8.count <= RedirectTarget.maximumLength else { throw .tooLong }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        self.text = text
        let bytes = Array(text.utf8)
        let scheme = bytes.prefix { $0 != ASCII.colon }.map(ASCII.lowercased)
        switch String(decoding: scheme, as: UTF8.self) {
        case "https": kind = .web
        case "http": kind = .loopback
        default:
            try ClientRedirectURI.checkApplication(bytes, schemeEnd: scheme.count)
            (kind, hostEnd, rest) = (.application, 0, 0)
            return
        }
        do throws(WebURL.Problem) { _ = try WebURL(text) } catch { throw Problem(error) }
        guard RedirectTarget(text) != nil else { throw .path }
        guard kind == .loopback else {
            (hostEnd, rest) = (0, 0)
            return
        }
        guard let end = ClientRedirectURI.loopbackEnd(bytes) else { throw .clear }
        hostEnd = end
        rest = ClientRedirectURI.portEnd(bytes, from: end) ?? end
    }

    /// The end of a loopback host, spelled exactly; nil for another host.
    private static func loopbackEnd(_ bytes: [UInt8]) -> Int? {
        let beginnings = ["http://127.0.0.1", "http://[::1]", localhost]
        guard let beginning = beginnings.first(where: { bytes.starts(with: $0.utf8) }) else { return nil }
        let end = beginning.utf8.count
        guard bytes.count == end || [ASCII.slash, ASCII.colon, UInt8(ascii: "?")].contains(bytes[end]) else {
            return nil
        }
        return end
    }

    /// The end of a port; nil for a malformed one.
    private static func portEnd(_ bytes: [UInt8], from start: Int) -> Int? {
        guard start < bytes.count, bytes[start] == ASCII.colon else { return start }
        let end = bytes[(start + 1)...].firstIndex { !ASCII.isDigit($0) } ?? bytes.count
        return SerializedOrigin.isPort(bytes[(start + 1)..<end].span) ? end : nil
    }

    /// `com.example.app:/path` or `com.example.app://host/path`.
    private static func checkApplication(_ bytes: [UInt8], schemeEnd: Int) throws(Problem) {
        let scheme = bytes[..<schemeEnd]
        let isScheme = scheme.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || [ASCII.dot, UInt8(ascii: "-"), UInt8(ascii: "+")].contains($0)
        }
        guard schemeEnd < bytes.count, isScheme, scheme.contains(ASCII.dot), scheme.first.map(ASCII.isLetter) ?? false,
            scheme.last != ASCII.dot
        else { throw .scheme }
        let rest = bytes[(schemeEnd + 1)...]
        guard rest.first == ASCII.slash else { throw .noPath }
        guard !rest.contains(UInt8(ascii: "@")) else { throw .userInformation }
        let origin: WebURL.Problem?
        // The characters of paths are the same for all schemes.
        do throws(WebURL.Problem) {
            _ = try WebURL("https://x" + String(decoding: rest, as: UTF8.self))
            origin = nil
        } catch {
            origin = error
        }
        if origin != nil { throw .characters }
        let segments = rest.prefix { $0 != UInt8(ascii: "?") }.split(separator: ASCII.slash)
        guard segments.allSatisfy(RedirectTarget.isUnambiguous) else { throw .path }
    }

    /// The destination that a request names, if this URI allows it: the same text, or on loopback the same with another
    /// port or none. Texts are not normalised (RFC 9700 section 4.1.3).
    package func destination(_ requested: String) -> RedirectDestination? {
        if requested.isExactly(text) { return RedirectDestination(requested, kind) }
        guard kind == .loopback else { return nil }
        let (own, bytes) = (Array(text.utf8), Array(requested.utf8))
        guard bytes.prefix(hostEnd).elementsEqual(own[..<hostEnd]),
            let end = ClientRedirectURI.portEnd(bytes, from: hostEnd), bytes[end...].elementsEqual(own[rest...])
        else { return nil }
        return RedirectDestination(requested, kind)
    }
}

extension ClientRedirectURI.Problem {
    fileprivate init(_ problem: WebURL.Problem) {
        self =
            switch problem {
            case .scheme: .scheme
            case .userInformation: .userInformation
            case .host: .host
            case .port: .port
            case .target: .characters
            case .fragment: .fragment
            case .tooLong: .tooLong
            case .path: .path
            }
    }
}

/// Where the answer to an authorization request goes.
package struct RedirectDestination: Sendable, Equatable {
    /// The redirect URI of the request.
    package let text: String
    package let kind: ClientRedirectURI.Kind

    fileprivate init(_ text: String, _ kind: ClientRedirectURI.Kind) {
        self.text = text
        self.kind = kind
    }

    /// The narrowest source expression for forms whose reply redirects there (CSP 3 section 2.3.1).
    package var formAction: String { RedirectTarget(text)?.formAction ?? "\(scheme):" }

    /// Host of a website, scheme of an application, or nil for a program at a port of the device.
    package var place: String? {
        switch kind {
        case .web: (try? WebURL(text))?.authority
        case .loopback: nil
        case .application: scheme
        }
    }

    /// The URI for a redirect with further parameters. Those of the URI are kept (RFC 6749 section 3.1.2).
    package func adding(_ fields: [(String, String)]) -> String {
        let mark = text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return text + mark + String(decoding: FormEncoding.form(fields), as: UTF8.self)
    }

    private var scheme: String { String(text.prefix { $0 != ":" }) }
}
