import Bytes
import Crypto
import Model

/// A cookie of the gateway: inaccessible to scripts, other sites and upstreams.
package struct BrowserCookie: Sendable {
    /// Cookie of a browser's `Session`, with which it reaches pages, and applications get tokens without another login.
    package static let session = BrowserCookie("portcullis")
    /// Cookie of a session at a service domain (SCH-02).
    package static let domainSession = BrowserCookie("portcullis-form")
    /// The browser's half of a login form; see `LoginTicket` of the token service.
    package static let login = BrowserCookie("portcullis-login")

    /// A pending login at an identity provider that answers by form post, one of several; see `LoginsUnderWay`.
    package static func underWay(_ id: String) -> BrowserCookie { BrowserCookie("portcullis-to-\(id)") }
    /// All of these, as `Cookies` takes their names.
    package static let allUnderWay = underWay(" ")

    /// What lets a browser come back to the host of an application; see `VisitedHost`.
    package static let visit = BrowserCookie("portcullis-visit")

    /// What a browser was just sent for to another host; see `mark(of:)`.
    package static let moved = BrowserCookie("portcullis-host")
    /// How long it lasts, in seconds: longer than a redirect takes, and shorter than a user who opens the page again.
    package static let movedSeconds: Int64 = 10

    /// The value of `moved` for path and query of a request.
    package static func mark(of target: String) -> String {
        let digest = DigestAlgorithm.sha256.digest(Array(target.utf8).span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    /// The names of all these cookies.
    package static let names =
        [session, domainSession, login, allUnderWay, visit, moved].flatMap { [$0.secureName, $0.plainName] }
        + [session.shared(in: "").secureName]

    /// Name over TLS. Browsers refuse this prefix from other hosts and over clear connections (RFC 6265bis section
    /// 4.1.3.2), so only this host can set the cookie.
    package let secureName: [UInt8]
    /// Name over clear text, as in a trial on a local machine.
    package let plainName: [UInt8]
    /// The domain whose hosts all get it; nil for the host alone.
    private let domain: String?

    private init(_ name: String, domain: String? = nil) {
        secureName = Array("\(domain == nil ? "__Host-" : "__Secure-")\(name)".utf8)
        plainName = Array(name.utf8)
        self.domain = domain
    }

    /// The same cookie for all hosts of a domain. Over TLS it has a name that browsers take from encrypted connections alone.
    package func shared(in domain: String) -> BrowserCookie {
        BrowserCookie(String(decoding: plainName, as: UTF8.self), domain: domain)
    }

    /// - Parameter secure: whether the browser's connection is encrypted. An attacker on a clear connection could set
    ///   the other name.
    package func name(secure: Bool) -> [UInt8] { secure ? secureName : plainName }

    /// The value of a `Set-Cookie` field (RFC 6265 section 4.1.1). Without an age it ends with the browser session.
    /// `Lax` sends the cookie with links from other sites, but not with forms from other sites.
    ///
    /// - Parameters:
    ///   - value: of the URL-safe alphabet, and dots.
    ///   - seconds: `Max-Age`; nil for a session cookie.
    package func setting(_ value: String, secure: Bool, seconds: Int64? = nil) -> String {
        let name = String(decoding: name(secure: secure), as: UTF8.self)
        let (age, domain) = (seconds.map { "; Max-Age=\($0)" } ?? "", domain.map { "; Domain=\($0)" } ?? "")
        return "\(name)=\(value); Path=/\(domain); HttpOnly; SameSite=Lax\(secure ? "; Secure" : "")\(age)"
    }

    /// Maximum length of name and value together in browsers (RFC 6265bis section 5.6).
    private static let longest = 4096

    /// Whether browsers store the cookie with this value. A dropped cookie would cause an endless login loop.
    package func holds(_ value: String) -> Bool { secureName.count + value.utf8.count <= BrowserCookie.longest }

    /// A value that deletes the cookie.
    package func removing(secure: Bool) -> String { setting("", secure: secure, seconds: 0) }

    /// Values that delete cookies of this name with every path and domain that a request can have them of (RFC 6265 section
    /// 5.4): another host of the domain may have set one. The name over TLS has none of them.
    ///
    /// - Parameters:
    ///   - path: of the request.
    ///   - host: of the request, without a port.
    package func removals(path: String, host: String) -> [String] {
        let ends = path.indices.filter { path[$0] == "/" }
        let paths = ends.flatMap { [String(path[...$0]), String(path[..<$0])] } + [path]
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = !host.utf8.contains(ASCII.colon) && !AddressText.isIPv4(Array(host.utf8).span)
        let parents = isName ? labels.indices.dropLast().suffix(4).map { labels[$0...].joined(separator: ".") } : []
        let name = String(decoding: plainName, as: UTF8.self)
        return Set(paths).filter { !$0.isEmpty }.sorted().flatMap { path in
            ([""] + parents.map { "; Domain=\($0)" }).map { "\(name)=; Path=\(path); Max-Age=0\($0)" }
        }
    }
}
