import Bytes
import Identity
import Model

/// Where a browser goes on that would log in under a host other than the gateway's own. Its cookies belong to the host that
/// it asked, and the login goes on at `baseUrl`: it is sent there with its path and query if the same login is there.
/// Otherwise, and if it comes back at once since a proxy in front changes `Host`, a page says so.
struct LoginMove {
    /// At `baseUrl`: the page, or else the start page.
    let url: String
    /// Whether the browser is sent there; otherwise a page leads there.
    let isSent: Bool
    private let mark: String
    /// More of a host is not logged: a name has at most 253.
    static let loggedCharacters = 256

    /// - Parameters:
    ///   - target: path and query of the request.
    ///   - held: the values of cookies `moved`.
    ///   - isThere: whether the same login is at `home`.
    init(to home: WebOrigin, target: String, held: [String], isThere: Bool) {
        mark = BrowserCookie.mark(of: target)
        isSent = isThere && !held.contains(where: mark.isExactly)
        url = "\(home)\(isThere ? target : "/")"
    }

    /// Tells the next request that the browser was sent.
    func cookie(secure: Bool) -> String {
        BrowserCookie.moved.setting(mark, secure: secure, seconds: BrowserCookie.movedSeconds)
    }
}
