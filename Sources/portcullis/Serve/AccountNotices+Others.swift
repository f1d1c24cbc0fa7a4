import Bytes
import Configuration
import Crypto
import Identity
import Model

/// Consumers, certificates and clients that register themselves.
extension AccountNotices {
    mutating func compare(consumers old: [Consumer], _ fresh: [Consumer]) {
        let now = Dictionary(fresh.map { (ExactText($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        for consumer in old { compare(consumer.rights, now[ExactText(consumer.name)]?.rights ?? []) }
        let known = Set(old.map { ExactText($0.name) })
        for consumer in fresh where !known.contains(ExactText(consumer.name)) {
            for right in consumer.rights { restore(right) }
        }
        compare(keys: old.flatMap(\.heldKeys), fresh.flatMap(\.heldKeys))
    }

    /// A key that was removed never comes back: files that still have it are older. One may get another end.
    private mutating func compare(keys old: [Consumer.HeldKey], _ fresh: [Consumer.HeldKey]) {
        let now = Dictionary(fresh.map { ($0.key.digest, $0.key) }, uniquingKeysWith: { first, _ in first })
        for held in old {
            guard let key = now[held.key.digest] else {
                withdraw(held.credential)
                continue
            }
            guard key.expiresAt != held.key.expiresAt, !isWithdrawn(held.credential) else { continue }
            if let end = key.expiresAt { withdraw(held.credential, from: end) } else { restore(held.credential) }
        }
    }

    mutating func compare(certificates old: [StoredCertificateEntry], _ fresh: [StoredCertificateEntry]) {
        guard old.map(\.pem) != fresh.map(\.pem) else { return }
        let (before, now) = (AccountNotices.certificates(old), AccountNotices.certificates(fresh))
        compare(before, now)
    }

    private static func certificates(_ entries: [StoredCertificateEntry]) -> [Credential] {
        entries.compactMap { entry in
            (try? SignerCertificate(pem: entry.pem)).map {
                .certificate(fingerprint: $0.fingerprint, alias: entry.alias)
            }
        }
    }
}

extension Consumer {
    /// A key with the name of its consumer.
    struct HeldKey {
        let key: Key
        let consumer: String

        fileprivate var credential: AccountNotices.Credential { .apiKey(digest: key.digest, consumer: consumer) }
    }

    fileprivate var heldKeys: [HeldKey] { keys.map { HeldKey(key: $0, consumer: name) } }

    fileprivate var rights: [AccountNotices.Credential] {
        (enabled ? [.consumer(name: name)] : []) + roles.map { .consumerRole(name: name, role: $0) }
    }
}

extension GatewayConfiguration {
    /// What clients that register themselves need.
    var registrationRights: [AccountNotices.Credential] {
        guard tokenService.isEnabled, let section = tokenService.registration,
            let client = clients.first(where: { $0.client.reference.isExactly(section.client) })?.client
        else { return [] }
        func right(_ right: RegistrationRight, _ value: String = "") -> AccountNotices.Credential {
            .setting(backendID: client.id, name: right.rawValue, value: value)
        }
        let tokens = section.initialAccessTokens.map { token in
            let digest = DigestAlgorithm.sha256.digest(Array(token.value.utf8).span)
            return right(.token, RegistrationRight.value(ofDigest: digest))
        }
        let documents = tokenService.clientDocuments?.rules.hosts.map {
            right(.document, RegistrationRight.value(of: $0))
        }
        return [right(.registration)] + (section.rules.isOpen ? [right(.open)] : []) + tokens + (documents ?? [])
    }
}
