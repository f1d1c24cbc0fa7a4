import Bytes
import Crypto
import HTTP
import Identity
import Model

/// The parameters of a browser's request for a token (SSO-01, SSO-02), carried through the login.
struct SignOnRequest: Sendable, Equatable {
    /// Longest accepted `state` in bytes.
    static let longestState = 1024
    /// Maximum duration of a login.
    static let lifetimeSeconds: Int64 = 3600

    var clientID: String
    /// As it was received; nil for none.
    var redirectURI: String?
    var state: String?
    /// The authorization request that it stands for; nil for a token on a page.
    var authorization: AuthorizationRequest?
    /// The device that waits for the login; nil for none.
    var device: DeviceRequest?
    /// Name of a client that has registered itself, which was looked up when the request came; nil for another client.
    private(set) var registeredTitle: String?

    init(_ device: DeviceRequest, of backend: Backend) {
        clientID = backend.clientID
        self.device = device
        registeredTitle = backend.isRegistered ? backend.title : nil
    }

    init(_ authorization: AuthorizationRequest, of backend: Backend) {
        clientID = authorization.clientID
        self.authorization = authorization
        registeredTitle = backend.isRegistered ? backend.title : nil
    }

    /// - Parameter query: of the exchange endpoint; unknown parameters are ignored (SSO-12).
    init(_ query: FormFields) throws(SingleSignOnFailure) {
        guard !["clientID", "redirect_uri", "state", "prompt", "provider"].contains(where: query.isRepeated) else {
            throw .repeatedParameter
        }
        guard let clientID = query.first("clientID"), !clientID.isEmpty else { throw .missingClient }
        let state = query.first("state")
        // Browsers normalise the line ends of form fields (WHATWG HTML section 4.10.22.4).
        guard state?.utf8.count ?? 0 <= SignOnRequest.longestState,
            state?.utf8.allSatisfy({ $0 >= ASCII.space }) ?? true
        else { throw .malformedParameter }
        self.init([clientID, query.first("redirect_uri") ?? "", state == nil ? "" : "=\(state ?? "")"])
    }

    /// The languages for pages that the application asked for, most preferred first.
    var languages: [LanguageTag] { authorization?.languages ?? [] }

    /// Length of `texts`.
    static let textCount = 4

    /// Texts for a ticket or for the query of a login page.
    var texts: [String] {
        let title = registeredTitle ?? ""
        if let device { return [clientID, "", "!\(device.text)", title] }
        if let authorization { return [clientID, "", "?\(authorization.query)", title] }
        return [clientID, redirectURI ?? "", state.map { "=\($0)" } ?? "", title]
    }

    private init(_ texts: [String]) {
        clientID = texts[0]
        redirectURI = texts[1].isEmpty ? nil : texts[1]
        state = texts[2].isEmpty ? nil : String(texts[2].dropFirst())
    }

    /// Nil for texts that `texts` does not produce.
    init?(texts: [String]) {
        guard texts.count == SignOnRequest.textCount, !texts[0].isEmpty else { return nil }
        let rest = String(texts[2].dropFirst())
        switch texts[2].utf8.first {
        case UInt8(ascii: "!"):
            guard let device = DeviceRequest(text: rest) else { return nil }
            self.init([texts[0], "", ""])
            self.device = device
        case UInt8(ascii: "?"):
            guard let authorization = AuthorizationRequest(query: rest) else { return nil }
            self.init([texts[0], "", ""])
            self.authorization = authorization
        default: self.init(texts)
        }
        registeredTitle = texts[3].isEmpty ? nil : texts[3]
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        record.seal(texts, expiresAt: now + SignOnRequest.lifetimeSeconds)
    }

    /// Nil for text that was not sealed here or has expired.
    init?(sealed text: String, _ record: SealedRecord, now: Int64) {
        guard let opened = try? record.open(Array(text.utf8).span, now: now) else { return nil }
        self.init(texts: opened.texts)
    }

    /// Address for the browser after the login, without `prompt`.
    var location: String {
        var fields = [("clientID", clientID)]
        if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if let state { fields.append(("state", state)) }
        return "\(SingleSignOnEndpoints.exchangePath)?\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
