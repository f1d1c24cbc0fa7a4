import Bytes
import HTTP
import Identity
import Model

/// Browser handling of a route with a form scheme: accepts the cookie of a login, and redirects browsers without one to
/// the form (SCH-02, AGT-06).
struct FormScheme: Sendable {
    /// Path and query of the form, up to the value of `target`.
    let location: [UInt8]
    private let backends: [[UInt8]]
    private let logins: [[UInt8]]
    private let redirects: Bool
    /// Whether it has an identity provider, which can be asked for a stronger or newer login.
    let stepsUp: Bool
    /// The Webgate whose agents are not browsers; nil for none.
    private let webgate: Webgate?

    /// Nil for a scheme without a form.
    init?(_ scheme: AuthenticationScheme?, _ webgate: Webgate?) {
        guard let scheme, scheme.method == .form else { return nil }
        let mark = scheme.formTarget.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        location = Array("\(scheme.formTarget)\(mark)target=".utf8)
        backends = scheme.backends.map { Array($0.utf8) }
        logins = scheme.logins.map { Array($0.text.utf8) }
        stepsUp = scheme.logins.contains { if case .provider = $0 { true } else { false } }
        self.webgate = webgate
        redirects =
            switch webgate?.mismatch {
            case .redirect: true
            case .bearer, .oamAuth: false
            // CHAL-04: if agents are named, other clients that accept HTML are redirected to the form; AMB-22: if none
            // are, every client of a Webgate gets a challenge.
            case nil: webgate?.userAgents.isEmpty != true
            }
    }

    /// Whether users of this backend can log in by the form.
    func accepts(backend id: [UInt8]) -> Bool {
        for i in backends.indices where equal(backends[i], id.span) { return true }
        return false
    }

    /// Whether the form offers the login class of a session.
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
        if let mode = headers.value(.secFetchMode), !equal(FormScheme.navigate, bytes.slice(mode)) { return false }
        guard let webgate, !webgate.userAgents.isEmpty else { return true }
        return !webgate.recognises(bytes.slice(headers.value(.userAgent) ?? .empty))
    }

    private static let navigate = Array("navigate".utf8)
}
