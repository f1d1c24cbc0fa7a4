import Bytes
import Model
import Outbound
import TokenStorage

/// Logins that devices wait for (RFC 8628), in the store. A user decides about a login once; the device exchanges it once.
package struct DeviceLogins: Sendable {
    /// How long the codes are valid, in seconds.
    package static let lifetimeSeconds: Int64 = 600
    /// Least time between two requests of a device, in seconds.
    static let intervalSeconds: Int64 = 5
    /// Maximum number of logins that wait at a client. The oldest make room.
    package static let maximumWaiting = 512

    /// Limits wrong codes, of an account that has logged in, or else of a network: in five minutes. With the codes of all
    /// waiting devices of a client valid, a guess in 8 million million is right.
    package static let limits: LoginThrottleSettings = {
        var limits = LoginThrottleSettings()
        limits.failuresPerUser = 20
        limits.failuresPerNetwork = 100
        return limits
    }()

    /// Of one network, in five minutes: a public client has no secret, so that any client could push out the waiting
    /// logins of others.
    package static let beginLimits: LoginThrottleSettings = {
        var limits = LoginThrottleSettings()
        limits.failuresPerNetwork = 64
        return limits
    }()

    private static let denial = Array(#"{"denied":true}"#.utf8)

    /// The codes of a device.
    struct Codes: Sendable {
        let device: String
        let user: UserCode
    }

    let settings: TokenServiceSettings

    package init(_ settings: TokenServiceSettings) { self.settings = settings }

    // MARK: The device

    /// Stores a login that waits for its user; nil if the store fails.
    func begin(
        for client: Client, scope: String, _ resources: [String], now: Int64, attempts: Int = 3
    ) -> Effect<Codes?> {
        let codes = Codes(device: RefreshFamily.randomToken(), user: .random())
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .device, application: client.id, subject: "",
            tokenID: "", accessExpiresAt: now + DeviceLogins.lifetimeSeconds, issuedAt: now)
        record.accessDigest = digest(codes.user)
        record.refreshDigest = settings.storeKey.digest(codes.device)
        record.refreshExpiresAt = record.accessExpiresAt + AuthorizationCode.memorySeconds
        record.scope = scope
        record.attributes = JSONWriter.object { writer in
            if !resources.isEmpty { writer.member(ResourceIndicators.parameter, resources) }
        }
        return settings.store.ask(.insert(record), now: now) { [record] answer in
            switch answer {
            case .success(.record(_?)):
                settings.store.keepNewest(DeviceLogins.maximumWaiting, like: record, now: now).map { codes }
            // Another device shows this code.
            case .success(.conflict) where attempts > 1:
                begin(for: client, scope: scope, resources, now: now, attempts: attempts - 1)
            default: .done(nil)
            }
        }
    }

    private func digest(_ code: UserCode) -> [UInt8] { settings.storeKey.digest("user code \(code.letters)") }

    /// Whether the user has not decided about a login.
    static func isPending(_ record: TokenRecord) -> Bool { record.accessDigest != nil }

    /// The resources of a login that waits.
    package static func resources(of record: TokenRecord) -> [String] {
        let node = try? JSONNode.parse(record.attributes.span)
        return node?[ResourceIndicators.parameter]?.array?.compactMap(\.string) ?? []
    }

    static func isDenied(_ record: TokenRecord) -> Bool { record.attributes == denial }

    /// Whether the device has waited long enough since its last request that was in time, also at other processes that
    /// share the store; of several requests at once, one is. Requests that come too soon store nothing. Nil if the store
    /// fails.
    func isPatient(_ record: TokenRecord, now: Int64) -> Effect<Bool?> {
        let key = "device-pace:\(record.id)"
        let turn = StoreOperation.remember(key: key, until: now + DeviceLogins.intervalSeconds)
        return settings.store.ask(turn, now: now) { answer in
            guard case .success(.fresh(let isFresh)) = answer else { return .done(nil) }
            return .done(isFresh)
        }
    }

    // MARK: The user

    /// The login that waits with a user code. Fails with the store.
    package func find(_ code: UserCode, now: Int64) -> Effect<Result<TokenRecord?, StoreFailure>> {
        settings.store.ask(.find(.access(digest(code))), now: now) { answer in
            guard case .success(.record(let found)) = answer else { return .done(.failure(.unavailable)) }
            guard let record = found, record.kind == .device, DeviceLogins.isPending(record),
                record.accessLives(at: now)
            else { return .done(.success(nil)) }
            return .done(.success(record))
        }
    }

    /// Records what the user has decided. False if there was another decision before, nil if the store fails.
    /// - Parameter login: nil for a denial.
    package func decide(
        _ record: TokenRecord, subject: String, _ login: AuthorizationCode?, now: Int64
    ) -> Effect<Bool?> {
        var decided = record
        // The user code ends.
        decided.accessDigest = nil
        decided.subject = subject
        decided.attributes = login?.json() ?? DeviceLogins.denial
        decided.keep(login?.claims, settings.storeKey)
        // Before the first decision the device exchanges nothing, so that none writes over the record of tokens.
        let single = StoreOperation.remember(key: "device-decision:\(record.id)", until: record.refreshExpiresAt)
        return settings.store.ask(single, now: now) { [decided] answer in
            guard case .success(.fresh(let isFirst)) = answer else { return .done(nil) }
            guard isFirst else { return .done(false) }
            return settings.store.ask(.insert(decided), now: now) { answer in
                guard case .success(.record(_?)) = answer else { return .done(nil) }
                return settings.store.keepNewest(AuthorizationCode.maximumWaiting, like: decided, now: now)
                    .map { true }
            }
        }
    }
}
