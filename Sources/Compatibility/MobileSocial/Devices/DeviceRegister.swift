import Bytes
import Outbound
import TokenStorage

/// The registered devices, for the administration (OMS-15, OMS-16).
package struct DeviceRegister: Sendable {
    private let store: any TokenStore

    package init(store: any TokenStore) { self.store = store }

    package enum Refusal: Error, Sendable, Equatable {
        case unknownDevice
        /// The security handler of its domain wipes no devices.
        case notWipeable
        case store(StoreFailure)
    }

    package typealias Outcome<Value: Sendable> = Effect<Result<Value, Refusal>>

    /// A JSON array without handles, newest first.
    /// - Parameter subject: user name; nil for the devices of all users.
    package func list(subject: String?, limit: Int, now: Int64) -> Outcome<[UInt8]> {
        let operation = StoreOperation.list(application: DeviceRegistration.register, subject: subject, limit: limit)
        return store.ask(operation, now: now) { result in
            switch result {
            case .failure(let failure): .done(.failure(.store(failure)))
            case .success(.records(let records)):
                .done(.success(DeviceRegister.json(records.compactMap(DeviceRegistration.init))))
            case .success: .done(.failure(.store(.malformed)))
            }
        }
    }

    /// Marks a device to be wiped, by the id of one of its registrations: its handles give only the order to wipe, and
    /// their sessions end with all tokens.
    ///
    /// - Parameter domains: names of the domains that wipe devices.
    /// - Returns: the number of its registrations.
    package func wipe(_ id: String, domains: [String], now: Int64) -> Outcome<Int> {
        store.ask(.find(.id(id)), now: now) { [self] result in
            switch result {
            case .failure(let failure): return .done(.failure(.store(failure)))
            case .success(.record(let record?)):
                guard let registration = DeviceRegistration(record) else { return .done(.failure(.unknownDevice)) }
                guard domains.contains(where: { $0.isExactly(registration.facts.domain) }) else {
                    return .done(.failure(.notWipeable))
                }
                return wipe(deviceOf: registration, now: now)
            case .success: return .done(.failure(.unknownDevice))
            }
        }
    }

    /// Ends the handles. Sessions and access tokens name their registration, so they end too.
    private func wipe(deviceOf registration: DeviceRegistration, now: Int64) -> Outcome<Int> {
        let all = StoreOperation.list(application: DeviceRegistration.register, subject: nil, limit: .max)
        return store.ask(all, now: now) { [self] result in
            switch result {
            case .success(.records(let records)):
                let family = registration.family(in: records.compactMap(DeviceRegistration.init))
                // A thief of the device may know the password too, so the next login needs the server (OMS-12).
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

    private static func json(_ registrations: [DeviceRegistration]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for registration in registrations {
            writer.object { writer in
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
            }
        }
        writer.endArray()
        return writer.bytes
    }
}
