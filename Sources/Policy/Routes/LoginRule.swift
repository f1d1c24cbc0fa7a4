import Bytes
import HTTP
import Identity
import Model

/// What a route with logins by browser does: it accepts the cookie of a session, and sends browsers without one to the login
/// (SCH-02, AGT-06).
struct LoginRule: Sendable {
    /// Path and query of the login, up to the value of `target`.
    private let location: [UInt8]
    /// Names of the ways to log in, for a page that says them.
    private let ways: [String]
    /// Ids of the clients whose users have sessions at the service domain; nil for the gateway's own sessions.
    private let clients: [[UInt8]]?
    private let logins: [[UInt8]]
    private let redirects: Bool
    /// Whether it has an identity provider, which can be asked for a stronger or newer login.
    let stepsUp: Bool
    /// The Webgate whose agents are not browsers; nil for none.
    private let webgate: Webgate?

    /// The login at a route; nil for one that has none.
    init?(_ login: RouteLogin?, scheme: AuthenticationScheme?, of webgate: Webgate?) {
        self.webgate = webgate
        let classes: [LoginClass]
        if let login {
            (ways, classes, clients) = (login.ways.map(\.name), login.ways.map(\.loginClass), nil)
            (location, redirects) = (Array("\(login.path)?target=".utf8), true)
        } else if let scheme, scheme.method == .form {
            let mark = scheme.formTarget.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            (ways, classes, clients) = ([], scheme.logins, scheme.clients.map { Array($0.utf8) })
            location = Array("\(scheme.formTarget)\(mark)target=".utf8)
            redirects =
                switch webgate?.mismatch {
                case .redirect: true
                case .bearer, .oamAuth: false
                // CHAL-04: if agents are named, other clients that accept HTML are redirected to the form; AMB-22: if none
                // are, every client of a Webgate gets a challenge.
                case nil: webgate?.userAgents.isEmpty != true
                }
        } else {
            return nil
        }
        logins = classes.map { Array($0.text.utf8) }
        stepsUp = classes.contains { if case .provider = $0 { true } else { false } }
    }

    /// Whether sessions are those of a service domain.
    var isOfDomain: Bool { clients != nil }
    /// The cookie of the sessions.
    func cookie(_ seals: BrowserSeals) -> BrowserCookie { isOfDomain ? .domainSession : seals.sessionCookie }

    /// Whether another route's login has the same ways, and the same sessions.
    func isSame(_ other: LoginRule) -> Bool { isOfDomain == other.isOfDomain && ways == other.ways }

    /// Whether the session of a caller is one of those that count here. Another session may name the same provider.
    func accepts(sessionOf principal: Principal) -> Bool {
        guard principal.method == .cookie else { return false }
        guard let clients else { return principal.backendBytes.isEmpty }
        let id = principal.backendBytes
        for i in clients.indices where equal(clients[i], id.span) { return true }
        return false
    }

    /// Whether a caller has a session of the gateway's own that counts here, beside which clients of the token service do.
    func isOwnSession(of principal: Principal) -> Bool { !isOfDomain && accepts(sessionOf: principal) }

    /// Path and query of the login for a page.
    /// - Parameter now: seconds since 1970.
    func location(for page: RequestedPage, _ seals: BrowserSeals, now: Int64) -> [UInt8] {
        var page = page
        page.ways = ways
        return location + Array(seals.seal(page, now: now).utf8)
    }

    /// Whether the login class of a session is one of those of the route.
    ///
    /// - Parameter login: empty for a credential without a session.
    func accepts(login: [UInt8]) -> Bool {
        if login.isEmpty { return true }
        for i in logins.indices where equal(logins[i], login.span) { return true }
        return false
    }

    /// Whether the client is a browser that displays the answer, and so can be redirected to a form: it requests HTML
    /// by GET or HEAD, and is neither a script on a page nor an agent of the Webgate.
    func isFor(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard redirects, head.method == .get || head.method == .head, !head.upgrade,
            headers.occurrences(.authorization) == 0, let accept = headers.value(.accept),
            AcceptField.namesHTML(accept, bytes)
        else { return false }
        if let mode = headers.value(.secFetchMode), !equal(LoginRule.navigate, bytes.slice(mode)) { return false }
        guard let webgate, !webgate.userAgents.isEmpty else { return true }
        return !webgate.recognises(bytes.slice(headers.value(.userAgent) ?? .empty))
    }

    private static let navigate = Array("navigate".utf8)
}

/// How browsers log in at a route, without a scheme.
package struct RouteLogin: Sendable, Equatable {
    /// A way to log in: the name of its entry, and what sessions say of it.
    package struct Way: Sendable, Equatable {
        package let name: String
        package let loginClass: LoginClass

        package init(name: String, _ loginClass: LoginClass) {
            self.name = name
            self.loginClass = loginClass
        }
    }

    /// Path of the login.
    package let path: String
    package let ways: [Way]

    package init(path: String, ways: [Way]) {
        self.path = path
        self.ways = ways
    }
}
