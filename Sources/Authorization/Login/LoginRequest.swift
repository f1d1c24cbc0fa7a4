import Bytes
import Crypto
import Identity
import Model

/// What a browser logs in for, carried through the login: an authorization request, a device, a page behind the gateway, or
/// one of a family of endpoints.
package struct LoginRequest: Sendable, Equatable {
    /// Maximum duration of a login.
    static let lifetimeSeconds: Int64 = 3600

    enum Purpose: Sendable, Equatable {
        case authorization(AuthorizationRequest)
        case device(DeviceRequest)
        /// A page whose route has a login, of no client.
        case page(RequestedPage)
        /// A page that needs a login at the client, as its owner writes it (`LoginFlow.Pages`).
        case ofFamily(String)
        /// A page of a place with logins of its own, by the name of the place.
        case ofPlace(String, RequestedPage)
    }

    private enum Kind: String { case authorization, device, page, family, place }

    /// Empty for a page of no client.
    package let clientID: String
    let purpose: Purpose
    /// Name of a client that has registered itself, which was looked up when the request came; nil for another client.
    let registeredTitle: String?

    init(_ purpose: Purpose, of client: Client) {
        clientID = client.clientID
        self.purpose = purpose
        registeredTitle = client.isRegistered ? client.title : nil
    }

    /// A request for a page of a client that did not register itself.
    package init(page: String, clientID: String) {
        self.clientID = clientID
        purpose = .ofFamily(page)
        registeredTitle = nil
    }

    init(_ page: RequestedPage) {
        clientID = ""
        purpose = .page(page)
        registeredTitle = nil
    }

    /// - Parameter place: its name, without control characters.
    package init(_ page: RequestedPage, at place: String) {
        clientID = ""
        purpose = .ofPlace(place, page)
        registeredTitle = nil
    }

    var authorization: AuthorizationRequest? {
        if case .authorization(let request) = purpose { request } else { nil }
    }
    var device: DeviceRequest? { if case .device(let request) = purpose { request } else { nil } }
    /// The page that the browser goes on to; nil for another purpose.
    package var page: RequestedPage? {
        switch purpose {
        case .page(let page), .ofPlace(_, let page): page
        case .authorization, .device, .ofFamily: nil
        }
    }

    /// Whether the application asks for a new login.
    var asksForLogin: Bool { authorization?.prompts.contains { $0 == .login || $0 == .account } ?? false }

    /// The languages for pages that the application asked for, most preferred first.
    var languages: [LanguageTag] { authorization?.languages ?? [] }

    /// Length of `texts`.
    static let textCount = 4

    /// Texts for a ticket or for the query of a login page.
    var texts: [String] {
        let (kind, text): (Kind, String) =
            switch purpose {
            case .authorization(let request): (.authorization, request.query)
            case .device(let request): (.device, request.text)
            case .page(let page): (.page, page.texts.joined(separator: "\n"))
            case .ofFamily(let page): (.family, page)
            case .ofPlace(let place, let page): (.place, ([place] + page.texts).joined(separator: "\n"))
            }
        return [clientID, kind.rawValue, text, registeredTitle ?? ""]
    }

    /// Nil for texts that `texts` does not produce.
    init?(texts: [String]) {
        let isOfClient = ![Kind.page.rawValue, Kind.place.rawValue].contains(texts.dropFirst().first)
        guard texts.count == LoginRequest.textCount, texts[0].isEmpty != isOfClient else { return nil }
        let lines = texts[2].split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let purpose: Purpose? =
            switch Kind(rawValue: texts[1]) {
            case .authorization: AuthorizationRequest(query: texts[2]).map(Purpose.authorization)
            case .device: DeviceRequest(text: texts[2]).map(Purpose.device)
            case .page: RequestedPage(texts: lines).map(Purpose.page)
            case .place: RequestedPage(texts: Array(lines.dropFirst())).map { .ofPlace(lines[0], $0) }
            case .family: .ofFamily(texts[2])
            case nil: nil
            }
        guard let purpose else { return nil }
        clientID = texts[0]
        self.purpose = purpose
        registeredTitle = texts[3].isEmpty ? nil : texts[3]
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        record.seal(texts, expiresAt: now + LoginRequest.lifetimeSeconds)
    }

    /// Nil for text that was not sealed here or has expired.
    init?(sealed text: String, _ record: SealedRecord, now: Int64) {
        guard let opened = try? record.open(Array(text.utf8).span, now: now) else { return nil }
        self.init(texts: opened.texts)
    }
}

/// A login that was made for a request which asks for one.
struct MadeLogin: Sendable {
    let sessionID: String
    /// Seconds since 1970.
    let time: Int64

    /// Longest time in seconds until the browser is back at the request, and until the user has answered its page. The
    /// address, if it is found later, asks for a login.
    static let (longestReturn, longestAnswer): (Int64, Int64) = (60, 660)

    /// Whether it was the login of a session, and is as new as a request that asks for a login wants it.
    func satisfies(_ session: Session, within seconds: Int64, now: Int64) -> Bool {
        session.id.isExactly(sessionID) && now <= time + seconds
    }
}
