import Bytes
import Crypto
import Endpoints
import Identity

/// A browser's pending logins at providers that answer by form post, each in a cookie of its own, so that tabs which begin
/// at the same time do not end each other's.
///
/// `RelayState`, which the answer returns, is limited to 80 bytes (SAML bindings section 3.5.3), and a ticket takes
/// hundreds. The ticket therefore stays in the browser, and `RelayState` is its id. The gateway stores nothing for
/// pending logins.
struct LoginsUnderWay: Sendable {
    /// Largest sum of the cookies' values, so that they fit into the head of a request with others. Browsers limit each
    /// with its name and attributes to 4096 bytes (RFC 6265bis section 5.6).
    private static let (longestSum, longestValue) = (8000, 3900)
    /// Maximum number of logins, for as many tabs.
    private static let most = 8

    private struct Login: Sendable {
        let ticket: ProviderTicket
        let size: Int
    }

    private let browser: BrowserRequest
    private let record: SealedRecord
    /// Newest first.
    private let logins: [Login]

    /// The valid, unexpired logins of the browser's cookies.
    init(_ browser: BrowserRequest, _ seals: BrowserSeals) {
        self.browser = browser
        record = seals.keptTickets
        // Browsers send the oldest first (RFC 6265 section 5.4), and the sort keeps the order of equal elements.
        let logins = browser.logins.reversed().compactMap { sealed -> Login? in
            guard let ticket = ProviderTicket(sealed, seals.keptTickets), browser.now < ticket.expiresAt else {
                return nil
            }
            return Login(ticket: ticket, size: sealed.utf8.count)
        }
        self.logins = logins.sorted { $0.ticket.expiresAt > $1.ticket.expiresAt }
    }

    /// The login that an answer belongs to.
    func ticket(id: String) -> ProviderTicket? { logins.first { $0.ticket.id.isExactly(id) }?.ticket }

    /// The `Set-Cookie` fields that add a login, and drop the oldest ones that no longer fit; nil if it is too long.
    func adding(_ ticket: ProviderTicket) -> [(name: String, value: String)]? {
        let sealed = ticket.sealed(record)
        guard sealed.utf8.count <= LoginsUnderWay.longestValue else { return nil }
        var room = LoginsUnderWay.longestSum - sealed.utf8.count
        let leaving = logins.enumerated().filter { place, login in
            room -= login.size
            return place + 1 >= LoginsUnderWay.most || room < 0
        }
        let value = BrowserCookie.underWay(ticket.id).setting(
            sealed, secure: browser.request.secure, seconds: LoginStart.lifetimeSeconds)
        return leaving.map { removing(id: $0.element.ticket.id) } + [(name: "Set-Cookie", value: value)]
    }

    /// The `Set-Cookie` field that removes a login.
    func removing(id: String) -> (name: String, value: String) {
        (name: "Set-Cookie", value: BrowserCookie.underWay(id).removing(secure: browser.request.secure))
    }
}
