import Bytes

/// A cookie of the gateway's own: not for scripts, and not for other sites.
package struct BrowserCookie: Sendable {
    package enum SameSite: String, Sendable {
        /// Sent with links from elsewhere, so that these find the user signed in, but not with forms from elsewhere.
        case lax = "Lax"
        case strict = "Strict"
    }

    /// Name where the browser speaks TLS. The prefix has browsers refuse it from other hosts and from clear connections
    /// (RFC 6265bis section 4.1.3.2), so that nobody beside us can plant one.
    package let secureName: [UInt8]
    /// Name where it does not, as in a trial on one's own machine.
    package let plainName: [UInt8]
    private let sameSite: SameSite

    package init(_ name: String, sameSite: SameSite) {
        secureName = Array("__Host-\(name)".utf8)
        plainName = Array(name.utf8)
        self.sameSite = sameSite
    }

    package func name(secure: Bool) -> [UInt8] { secure ? secureName : plainName }

    /// The value of a `Set-Cookie` field (RFC 6265 section 4.1.1). Without a date: it ends with the browser.
    ///
    /// - Parameter value: of the URL-safe alphabet.
    package func setting(_ value: String, secure: Bool) -> String {
        let name = String(decoding: name(secure: secure), as: UTF8.self)
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=\(sameSite.rawValue)\(secure ? "; Secure" : "")"
    }

    /// The value that makes browsers forget the cookie.
    package func removing(secure: Bool) -> String { setting("", secure: secure) + "; Max-Age=0" }
}
