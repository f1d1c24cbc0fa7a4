import Bytes
import Crypto
import Identity

/// The logins that a browser has under way at providers whose answers are posted, in a cookie of the browser's.
///
/// `RelayState`, which comes back with the answer, may have 80 bytes (SAML bindings section 3.5.3), and a ticket has
/// hundreds: so the ticket stays in the browser, and `RelayState` is its id. Nothing is kept here of logins that are begun,
/// however many there are.
struct LoginsUnderWay: Sendable {
    /// Browsers keep 4096 bytes of name, value and attributes (RFC 6265bis section 5.6).
    private static let longestValue = 3900
    /// Those of so many windows.
    private static let most = 6

    private struct Login: Sendable {
        let ticket: ProviderTicket
        let sealed: String
    }

    private let record: SealedRecord
    /// The newest first.
    private var logins: [Login]

    /// Those of the browser's cookie that are its own and go on.
    init(_ browser: BrowserRequest, _ seals: BrowserSeals) {
        record = seals.keptTickets
        let value = browser.logins ?? ""
        guard value.utf8.count <= LoginsUnderWay.longestValue else {
            logins = []
            return
        }
        logins = value.split(separator: ".").prefix(LoginsUnderWay.most).compactMap { piece in
            let sealed = String(piece)
            let ticket = try? ProviderTicket(
                sealed, nonce: browser.nonce, seals.keptTickets, now: browser.now)
            return ticket.map { Login(ticket: $0, sealed: sealed) }
        }
    }

    /// The login that an answer is for.
    func ticket(id: String) -> ProviderTicket? { logins.first { $0.ticket.id.isExactly(id) }?.ticket }

    /// Begins one more. Those that find no place beside it are given up, the oldest first.
    /// - Returns: whether a browser keeps as much as the new one takes.
    mutating func add(_ ticket: ProviderTicket) -> Bool {
        let login = Login(ticket: ticket, sealed: ticket.sealed(record))
        guard login.sealed.utf8.count <= LoginsUnderWay.longestValue else { return false }
        logins = Array(([login] + logins).prefix(LoginsUnderWay.most))
        while value.utf8.count > LoginsUnderWay.longestValue { logins.removeLast() }
        return true
    }

    mutating func remove(id: String) { logins.removeAll { $0.ticket.id.isExactly(id) } }

    private var value: String { logins.map(\.sealed).joined(separator: ".") }

    /// The field that has the browser keep them.
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
