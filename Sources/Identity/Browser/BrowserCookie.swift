/// A cookie of the gateway's own: not for scripts, not for other sites, and not for upstreams.
package struct BrowserCookie: Sendable {
    /// What shows that a browser is logged in.
    package static let session = BrowserCookie("portcullis")
    /// The browser's half of a login form, see `LoginTicket` of the token service.
    package static let login = BrowserCookie("portcullis-login")

    /// What shows that a browser has signed on, so that applications get tokens without another login (SSO-08).
    package static let signOn = BrowserCookie("portcullis-sso")

    /// Logins that are under way at identity providers whose answers are posted by a form, see `LoginsUnderWay` of the
    /// token service.
    package static let logins = BrowserCookie("portcullis-logins")

    /// The names of all of them.
    package static let names = [session, login, signOn, logins].flatMap { [$0.secureName, $0.plainName] }

    /// Name where the browser speaks TLS. The prefix has browsers refuse it from other hosts and from clear connections
    /// (RFC 6265bis section 4.1.3.2), so that nobody beside us can plant one.
    package let secureName: [UInt8]
    /// Name where it does not, as in a trial on one's own machine.
    package let plainName: [UInt8]

    private init(_ name: String) {
        secureName = Array("__Host-\(name)".utf8)
        plainName = Array(name.utf8)
    }

    /// - Parameter secure: whether the browser's connection is encrypted. What came by the other name, somebody on a clear
    ///   line may have set.
    package func name(secure: Bool) -> [UInt8] { secure ? secureName : plainName }

    /// The value of a `Set-Cookie` field (RFC 6265 section 4.1.1). Without an age it ends with the browser. `Lax`, so that
    /// links from elsewhere find the user signed in, and forms from elsewhere do not.
    ///
    /// - Parameters:
    ///   - value: of the URL-safe alphabet, and dots.
    ///   - seconds: after which the browser forgets it; nil for its end.
    package func setting(_ value: String, secure: Bool, seconds: Int64? = nil) -> String {
        let name = String(decoding: name(secure: secure), as: UTF8.self)
        let age = seconds.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax\(secure ? "; Secure" : "")\(age)"
    }

    /// Longest name and value together that browsers keep (RFC 6265bis section 5.6).
    private static let longest = 4096

    /// Whether browsers keep it with such a value: one that they drop would have them asked to log in for ever.
    package func holds(_ value: String) -> Bool { secureName.count + value.utf8.count <= BrowserCookie.longest }

    /// The value that makes browsers forget the cookie.
    package func removing(secure: Bool) -> String { setting("", secure: secure, seconds: 0) }
}
