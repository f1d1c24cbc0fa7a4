import Bytes
import Crypto
import HTTP
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

    init(clientID: String, _ device: DeviceRequest) {
        self.clientID = clientID
        self.device = device
    }

    init(_ authorization: AuthorizationRequest) {
        clientID = authorization.clientID
        self.authorization = authorization
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

    /// Length of `texts`.
    static let textCount = 3

    /// Texts for a ticket or for the query of a login page.
    var texts: [String] {
        if let device { return [clientID, "", "!\(device.text)"] }
        if let authorization { return [clientID, "", "?\(authorization.query)"] }
        return [clientID, redirectURI ?? "", state.map { "=\($0)" } ?? ""]
    }

    private init(_ texts: [String]) {
        clientID = texts[0]
        redirectURI = texts[1].isEmpty ? nil : texts[1]
        state = texts[2].isEmpty ? nil : String(texts[2].dropFirst())
    }

    /// Nil for texts that `texts` does not produce.
    init?(texts: [String]) {
        guard texts.count == SignOnRequest.textCount, !texts[0].isEmpty else { return nil }
        if texts[2].hasPrefix("!") {
            guard let device = DeviceRequest(text: String(texts[2].dropFirst())) else { return nil }
            self.init(clientID: texts[0], device)
            return
        }
        guard texts[2].hasPrefix("?") else {
            self.init(texts)
            return
        }
        guard let authorization = AuthorizationRequest(query: String(texts[2].dropFirst())) else { return nil }
        self.init(authorization)
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
