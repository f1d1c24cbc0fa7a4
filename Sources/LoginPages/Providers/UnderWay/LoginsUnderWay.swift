import Bytes
import Crypto
import Identity

/// A browser's pending logins at providers that answer by form post, kept in a cookie.
///
/// `RelayState`, which the answer returns, is limited to 80 bytes (SAML bindings section 3.5.3), and a ticket takes
/// hundreds. The ticket therefore stays in the browser, and `RelayState` is its id. The gateway stores nothing for
/// pending logins.
struct LoginsUnderWay: Sendable {
    /// Browsers limit name, value and attributes to 4096 bytes (RFC 6265bis section 5.6).
    private static let longestValue = 3900
    /// Maximum number of logins, for as many windows.
    private static let most = 6

    private struct Login: Sendable {
        let ticket: ProviderTicket
        let sealed: String
    }

    private let record: SealedRecord
    /// Newest first.
    private var logins: [Login]

    /// The valid, unexpired logins of the browser's cookie.
    init(_ browser: BrowserRequest, _ seals: BrowserSeals) {
        record = seals.keptTickets
        let value = browser.logins ?? ""
        guard value.utf8.count <= LoginsUnderWay.longestValue else {
            logins = []
            return
        }
        logins = value.split(separator: ".").prefix(LoginsUnderWay.most).compactMap { piece in
            let sealed = String(piece)
            guard let ticket = ProviderTicket(sealed, seals.keptTickets),
                ticket.isOpen(to: browser.nonce, now: browser.now)
            else { return nil }
            return Login(ticket: ticket, sealed: sealed)
        }
    }

    /// The login that an answer belongs to.
    func ticket(id: String) -> ProviderTicket? { logins.first { $0.ticket.id.isExactly(id) }?.ticket }

    /// Adds a login. Drops the oldest ones that no longer fit.
    /// - Returns: whether the new one fits into a cookie.
    mutating func add(_ ticket: ProviderTicket) -> Bool {
        let login = Login(ticket: ticket, sealed: ticket.sealed(record))
        guard login.sealed.utf8.count <= LoginsUnderWay.longestValue else { return false }
        logins = Array(([login] + logins).prefix(LoginsUnderWay.most))
        while value.utf8.count > LoginsUnderWay.longestValue { logins.removeLast() }
        return true
    }

    mutating func remove(id: String) { logins.removeAll { $0.ticket.id.isExactly(id) } }

    private var value: String { logins.map(\.sealed).joined(separator: ".") }

    /// The `Set-Cookie` field.
    func field(secure: Bool) -> (name: String, value: String) {
        let cookie = BrowserCookie.logins
        return (
            name: "Set-Cookie",
            value: logins.isEmpty
                ? cookie.removing(secure: secure)
                : cookie.setting(value, secure: secure, seconds: LoginStart.lifetimeSeconds)
        )
    }
}
