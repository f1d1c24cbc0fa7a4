import Bytes
import Crypto
import Identity
import Model
import OAuthServer
import TokenStorage

/// The result of a posted form, carried by the browser to the request with its cookies: sealed, for one login, valid
/// for a minute.
struct PostedAnswer: Sendable {
    enum Outcome: Sendable {
        /// The store has the user's identity in the record with this id.
        case held(String)
        case failed(ProviderFailure)
    }

    static let lifetimeSeconds: Int64 = 60

    let provider: String
    /// `RelayState` of the form: the id of the ticket.
    let state: String
    let outcome: Outcome

    init(provider: String, state: String, outcome: Outcome) {
        self.provider = provider
        self.state = state
        self.outcome = outcome
    }

    func sealed(_ record: SealedRecord, now: Int64) -> String {
        let words =
            switch outcome {
            case .held(let id): ["held", id, ""]
            case .failed(let failure): ["failed", failure.reason.code, failure.detail]
            }
        return record.seal([provider, state] + words, expiresAt: now + PostedAnswer.lifetimeSeconds)
    }

    /// Nil if not sealed here, or too old.
    init?(_ text: String, _ record: SealedRecord, now: Int64) {
        let bytes = Array(text.utf8)
        guard let texts = try? record.open(bytes.span, now: now).texts, texts.count == 5 else { return nil }
        provider = texts[0]
        state = texts[1]
        outcome =
            texts[2].isExactly("held")
            ? .held(texts[3]) : .failed(ProviderFailure(postedReason: texts[3], detail: texts[4]))
    }
}

extension ProviderFailure {
    /// A failure that a posted form can have.
    fileprivate init(postedReason reason: String, detail: String) {
        self =
            switch reason {
            case Reason.providerDenied.code: .denied(detail)
            case Reason.providerAnswerForeign.code: .foreignAnswer
            case Reason.providerCallbackMalformed.code: .malformedCallback
            case Reason.providerUnavailable.code: .unavailable(detail)
            default: .assertion(detail)
            }
    }
}

extension PostedIdentity {
    /// Maximum size of a stored identity. Larger ones are refused.
    private static let longestText = 49_152

    /// A sealed record that is kept for a minute; claims about users must not be readable in the store.
    /// - Returns: nil if too large.
    package func record(_ seals: BrowserSeals, now: Int64) -> TokenRecord? {
        let until = now + PostedAnswer.lifetimeSeconds
        var writer = JSONWriter()
        writer.value(identity.claims)
        guard writer.bytes.count <= PostedIdentity.longestText, identity.subject.utf8.count <= 1024,
            identity.sessionID?.utf8.count ?? 0 <= 1024
        else { return nil }
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .posted, application: "provider:\(identity.provider):posted",
            subject: "", tokenID: "", accessExpiresAt: until, issuedAt: now)
        let sealed = seals.postedAnswers.seal(
            [
                record.id, requestID, assertionID, identity.subject, identity.sessionID.map { "=\($0)" } ?? "",
                identity.authenticatedAt.map { "\($0)" } ?? "", identity.endsAt.map { "\($0)" } ?? "",
                String(decoding: writer.bytes, as: UTF8.self),
            ], expiresAt: until)
        record.sealed = Array(sealed.utf8)
        return record
    }

    /// Nil for a record of another kind, provider or time.
    init?(_ record: TokenRecord, provider: String, _ seals: BrowserSeals, now: Int64) {
        guard record.kind == .posted, record.accessLives(at: now),
            record.application.isExactly("provider:\(provider):posted"),
            let texts = try? seals.postedAnswers.open(record.sealed.span, now: now).texts, texts.count == 8,
            texts[0].isExactly(record.id),
            let claims = try? JSONNode.parse(Array(texts[7].utf8).span, maximumDepth: 4)
        else { return nil }
        self.init(
            identity: ProvidedIdentity(
                provider: provider, subject: texts[3],
                sessionID: texts[4].isEmpty ? nil : String(texts[4].dropFirst()), claims: claims, accessToken: nil,
                authenticatedAt: Int64(texts[5]), endsAt: Int64(texts[6])),
            requestID: texts[1], assertionID: texts[2])
    }
}
