import Bytes
import Identity
import Model
import Outbound
import TokenStorage

/// The devices that have registered, for those who administer them (OMS-15, OMS-16).
package struct DeviceRegister: Sendable {
    private let store: any TokenStore

    package init(store: any TokenStore) { self.store = store }

    /// What became of a look at the register.
    package enum Refusal: Error, Sendable, Equatable {
        case unknownDevice
        /// Its domain has no security handler that wipes.
        case notWipeable
        case store(StoreFailure)
    }

    package typealias Outcome<Value: Sendable> = Effect<Result<Value, Refusal>>

    /// A JSON array, newest first; never a handle.
    /// - Parameter subject: whose devices; nil for those of all users.
    package func list(subject: String?, limit: Int, now: Int64) -> Outcome<[UInt8]> {
        let operation = StoreOperation.list(application: Registration.register, subject: subject, limit: limit)
        return store.ask(operation, now: now) { result in
            switch result {
            case .failure(let failure): .done(.failure(.store(failure)))
            case .success(.records(let records)):
                .done(.success(DeviceRegister.json(records.compactMap(Registration.init))))
            case .success: .done(.failure(.store(.malformed)))
            }
        }
    }

    /// Marks a device, by the id of one of its registrations: its handles lead to nothing but the word to wipe it, and the
    /// sessions that were opened with them end with all of their tokens.
    ///
    /// - Parameter domains: names of the domains that wipe.
    /// - Returns: how many registrations it had.
    package func wipe(_ id: String, domains: [String], now: Int64) -> Outcome<Int> {
        store.ask(.find(.id(id)), now: now) { [self] result in
            switch result {
            case .failure(let failure): return .done(.failure(.store(failure)))
            case .success(.record(let record?)):
                guard let registration = Registration(record) else { return .done(.failure(.unknownDevice)) }
                guard domains.contains(where: { $0.isExactly(registration.facts.domain) }) else {
                    return .done(.failure(.notWipeable))
                }
                return wipe(deviceOf: registration, now: now)
            case .success: return .done(.failure(.unknownDevice))
            }
        }
    }

    /// The handles end, and with these whatever was opened by them: sessions and access tokens name the registration that
    /// they stand on, so that none of them has to be looked for.
    private func wipe(deviceOf registration: Registration, now: Int64) -> Outcome<Int> {
        let everybody = StoreOperation.list(application: Registration.register, subject: nil, limit: .max)
        return store.ask(everybody, now: now) { [self] result in
            switch result {
            case .success(.records(let records)):
                let family = registration.family(in: records.compactMap(Registration.init))
                // Who has the device may know the password as well: the server is to say (OMS-12).
                let verifiers = family.map { registration in
                    StoreOperation.revoke(
                        .subject(
                            application: StoredVerifier.register(of: registration.facts.domain),
                            subject: registration.record.subject))
                }
                let operations = family.map { StoreOperation.replace($0.wiped) } + verifiers
                return perform(operations[...], now: now, count: family.count)
            case .success: return .done(.failure(.store(.malformed)))
            case .failure(let failure): return .done(.failure(.store(failure)))
            }
        }
    }

    private func perform(_ operations: ArraySlice<StoreOperation>, now: Int64, count: Int) -> Outcome<Int> {
        guard let first = operations.first else { return .done(.success(count)) }
        return store.ask(first, now: now) { [self] result in
            if case .failure(let failure) = result { return .done(.failure(.store(failure))) }
            return perform(operations.dropFirst(), now: now, count: count)
        }
    }

    private static func json(_ registrations: [Registration]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for registration in registrations {
            writer.beginObject()
            writer.member("id", registration.id)
            writer.member("domain", registration.facts.domain)
            writer.member("application", registration.facts.application)
            writer.member("user", registration.record.subject)
            writer.member("registeredAt", registration.record.issuedAt)
            writer.member("expiresAt", registration.record.accessExpiresAt)
            writer.member("wiped", registration.facts.isWiped)
            if let profile = try? JSONNode.parse(registration.facts.profile.span, maximumDepth: 16) {
                writer.member("deviceProfile", profile)
            }
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }
}
