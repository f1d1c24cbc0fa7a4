import Bytes
import Crypto
import HTTP
import Model

/// What a browser asks for a token with (SSO-01, SSO-02), as it goes through a login.
struct SignOnRequest: Sendable, Equatable {
    /// Longest `state` that is handed back, in bytes.
    static let longestState = 1024
    /// How long a login may take, in seconds.
    static let lifetimeSeconds: Int64 = 3600

    var clientID: String
    /// As it was received; nil for none.
    var redirectURI: String?
    var state: String?

    /// - Parameter query: of the exchange endpoint; what is not known is ignored (SSO-12).
    init(_ query: FormFields) throws(SingleSignOnFailure) {
        guard !["clientID", "redirect_uri", "state", "prompt", "provider"].contains(where: query.isRepeated) else {
            throw .repeatedParameter
        }
        guard let clientID = query.first("clientID"), !clientID.isEmpty else { throw .missingClient }
        let state = query.first("state")
        // Line ends of a form field would be another text when it arrives (WHATWG HTML section 4.10.22.4).
        guard state?.utf8.count ?? 0 <= SignOnRequest.longestState,
            state?.utf8.allSatisfy({ $0 >= ASCII.space }) ?? true
        else { throw .malformedParameter }
        self.init([clientID, query.first("redirect_uri") ?? "", state == nil ? "" : "=\(state ?? "")"])
    }

    /// Length of `texts`.
    static let textCount = 3

    /// Text for a ticket, or for the query of a login page.
    var texts: [String] { [clientID, redirectURI ?? "", state.map { "=\($0)" } ?? ""] }

    private init(_ texts: [String]) {
        clientID = texts[0]
        redirectURI = texts[1].isEmpty ? nil : texts[1]
        state = texts[2].isEmpty ? nil : String(texts[2].dropFirst())
    }

    /// Nil for what `texts` does not write.
    init?(texts: [String]) {
        guard texts.count == SignOnRequest.textCount, !texts[0].isEmpty else { return nil }
        self.init(texts)
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        record.seal(texts, expiresAt: now + SignOnRequest.lifetimeSeconds)
    }

    /// Nil for what was not sealed here, or too long ago.
    init?(sealed text: String, _ record: SealedRecord, now: Int64) {
        let bytes = Array(text.utf8)
        guard let opened = try? record.open(bytes.span, now: now) else { return nil }
        self.init(texts: opened.texts)
    }

    /// Where the browser asks again once it is logged in: not for another login.
    var location: String {
        var fields = [("clientID", clientID)]
        if let redirectURI { fields.append(("redirect_uri", redirectURI)) }
        if let state { fields.append(("state", state)) }
        return "\(SingleSignOnEndpoints.exchangePath)?\(String(decoding: FormEncoding.form(fields), as: UTF8.self))"
    }
}
