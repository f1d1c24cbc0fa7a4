import Bytes
import Model

/// Where a browser goes on that would log in under a host other than the gateway's own. Its cookies belong to the host that
/// it asked, and the login goes on at `baseUrl`: it is sent there with its path and query if the same login is there.
/// Otherwise, and if it comes back at once since a proxy in front changes `Host`, a page says so.
package struct LoginMove: Sendable {
    /// What the browser asked, as in `Host`, for the log: a name has at most 253 characters.
    package let host: String
    package let home: WebOrigin
    /// At `home`: the page, or else the start page.
    package let url: String
    /// Whether the browser is sent there; otherwise a page leads there.
    package let isSent: Bool
    private let mark: String

    /// - Parameters:
    ///   - host: as in `Host`.
    ///   - target: path and query of the request.
    ///   - held: the values of cookies `moved`.
    ///   - isThere: whether the same login is at `home`.
    package init(from host: String, to home: WebOrigin, target: String, held: [String], isThere: Bool = true) {
        mark = BrowserCookie.mark(of: target)
        self.host = String(host.prefix(256))
        self.home = home
        isSent = isThere && !held.contains(where: mark.isExactly)
        url = "\(home)\(isThere ? target : "/")"
    }

    /// Status of the answer.
    package var status: Int { isSent ? 302 : 421 }

    /// Tells the next request that the browser was sent.
    package func cookie(secure: Bool) -> String {
        BrowserCookie.moved.setting(mark, secure: secure, seconds: BrowserCookie.movedSeconds)
    }
}
