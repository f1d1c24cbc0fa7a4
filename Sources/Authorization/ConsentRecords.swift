import Bytes
import Identity
import Model
import OAuthServer
import Outbound
import TokenStorage

/// What users have allowed clients, remembered in the store for a time.
struct ConsentRecords: Sendable {
    /// How long a consent is remembered, in seconds: 90 days.
    static let lifetimeSeconds: Int64 = 7_776_000

    let settings: TokenServiceSettings
    let client: Client
    let session: Session

    /// The same for each login of the user at the client, under all keys of the store, the key in use first.
    private var ids: [String] {
        let user = session.login.isVirtual ? "virtual" : "account \(client.realm)"
        let parts = [client.id, user, session.subject]
        let name = parts.map { "\($0.utf8.count) \($0)" }.joined(separator: " ")
        return settings.storeKey.keyedNames(of: Array("consent \(name)".utf8))
    }

    /// The remembered scopes, empty for none of them; nil if the user was not asked. Fails with the store.
    func find(now: Int64) -> Effect<Result<[String]?, StoreFailure>> {
        settings.store.ask(.find(.names(ids)), now: now) { answer in
            switch answer {
            case .success(.record(let record?)) where record.kind == .consent && record.accessLives(at: now):
                .done(.success(record.scope.split(separator: " ").map(String.init)))
            case .success: .done(.success(nil))
            case .failure(let failure): .done(.failure(failure))
            }
        }
    }

    /// Remembers scopes in addition to earlier ones. A failing store only means that the user is asked again.
    func remember(_ scopes: [String], now: Int64) -> Effect<Void> {
        find(now: now).then { earlier in
            let held = (try? earlier.get()) ?? []
            let id = ids[0]
            var record = TokenRecord(
                id: id, kind: .consent, application: client.id, subject: session.subject, tokenID: "",
                accessExpiresAt: now + ConsentRecords.lifetimeSeconds, issuedAt: now)
            record.scope = (held + scopes.filter { scope in !held.contains { $0.isExactly(scope) } })
                .joined(separator: " ")
            record.attributes = Array("{}".utf8)
            record.sealed = settings.storeKey.seal([], id: id)
            return settings.store.ask(.insert(record), now: now) { _ in .done(()) }
        }
    }
}
