import Bytes
import HTTP
import Identity
import Model

/// What a route of a form scheme does with browsers: it lets them in by the cookie of their login, and sends those without
/// one to the form (SCH-02, AGT-06).
struct LoginForm: Sendable {
    /// Path and query of the form, up to the value of `target`.
    let location: [UInt8]
    private let backends: [[UInt8]]
    private let logins: [[UInt8]]
    private let redirects: Bool
    /// The agents that are no browsers; empty for none.
    private let webgate: Webgate?

    /// Nil for a scheme without a form.
    init?(_ scheme: AuthenticationScheme?, _ webgate: Webgate?) {
        guard let scheme, scheme.method == .form else { return nil }
        let mark = scheme.formTarget.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        location = Array("\(scheme.formTarget)\(mark)target=".utf8)
        backends = scheme.backends.map { Array($0.utf8) }
        logins = scheme.logins.map { Array($0.text.utf8) }
        self.webgate = webgate
        redirects =
            switch webgate?.mismatch {
            case .redirect: true
            case .bearer, .oamAuth: false
            // CHAL-04: where agents are named, others that take HTML are sent to the form; AMB-22: where none are, every
            // client of a Webgate is challenged.
            case nil: webgate?.userAgents.isEmpty != true
            }
    }

    /// Whether users of this backend have logged in by the form.
    func accepts(backend id: [UInt8]) -> Bool {
        for i in backends.indices where equal(backends[i], id.span) { return true }
        return false
    }

    /// Whether the form offers the way in which the user of a session has logged in.
    ///
    /// - Parameter login: empty for a credential that is of no session.
    func accepts(login: [UInt8]) -> Bool {
        if login.isEmpty { return true }
        for i in logins.indices where equal(logins[i], login.span) { return true }
        return false
    }

    /// Whether the client is a browser that shows the answer to its user, and so can be sent to a form: what asks for HTML
    /// by GET or HEAD, and neither a script on a page nor an agent of the Webgate.
    func isFor(_ head: RequestHead, _ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard redirects, head.method == .get || head.method == .head, !head.upgrade,
            headers.occurrences(.authorization) == 0, let accept = headers.value(.accept),
            AcceptField.namesHTML(accept, bytes)
        else { return false }
        if let mode = headers.value(.secFetchMode), !equal(LoginForm.navigate, bytes.slice(mode)) { return false }
        guard let webgate, !webgate.userAgents.isEmpty else { return true }
        return !webgate.recognises(bytes.slice(headers.value(.userAgent) ?? .empty))
    }

    private static let navigate = Array("navigate".utf8)
}
