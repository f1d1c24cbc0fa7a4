import Bytes
import OAuthServer
import TokenStorage

/// An application on a device (OMS-15): a record of the kind `.registration`, found by the digest of its client
/// registration handle.
struct DeviceRegistration: Sendable, Equatable {
    struct Facts: Sendable, Equatable {
        var domain: String
        var application: String
        /// `DeviceProfile.identity`.
        var device: String
        /// JSON of the profile.
        var profile: [UInt8]
        /// Id of the registration whose session made this one on the same device; empty after a login by password.
        var origin = ""
        /// Whether the device must be wiped (OMS-16).
        var isWiped = false
    }

    /// `TokenRecord.application` of all registrations, so that they can be listed.
    static let register = "\u{1f}devices"
    /// Lifetime of a handle.
    static let lifetimeSeconds: Int64 = 31_536_000

    let record: TokenRecord
    let facts: Facts

    var id: String { record.id }

    init?(_ record: TokenRecord) {
        guard record.kind == .registration, let facts = Facts(record.attributes) else { return nil }
        self.record = record
        self.facts = facts
    }

    /// - Parameter now: seconds since 1970.
    init(_ facts: Facts, subject: String, handle: String, _ key: TokenDigestKey, now: Int64) {
        // Access tokens name its id, so the id on the deny list ends them.
        let id = AccessTokenMinter.randomID()
        var record = TokenRecord(
            id: id, kind: .registration, application: DeviceRegistration.register, subject: subject, tokenID: id,
            accessExpiresAt: now + DeviceRegistration.lifetimeSeconds, issuedAt: now)
        record.accessDigest = key.digest(handle)
        record.attributes = facts.json
        self.record = record
        self.facts = facts
    }

    /// The record marked to be wiped. The store that replaces this one by it denies the token id.
    var wiped: TokenRecord {
        var (record, facts) = (record, facts)
        facts.isWiped = true
        record.tokenID = ""
        record.attributes = facts.json
        return record
    }
}

extension DeviceRegistration {
    /// A property that two registrations of one device share, in UTF-8.
    private enum Tie: Hashable {
        /// The id of one, which is the origin of the other.
        case registration([UInt8])
        case device([UInt8])
        /// The user, for devices without an identity: wiping too many handles is safer than too few.
        case bearer([UInt8])
    }

    private var ties: [Tie] {
        let ids = [id, facts.origin].filter { !$0.isEmpty }.map { Tie.registration(Array($0.utf8)) }
        let device: Tie =
            facts.device.isEmpty ? .bearer(Array(record.subject.utf8)) : .device(Array(facts.device.utf8))
        return ids + [device]
    }

    /// This registration and those of `all` on the same device: the closure over shared properties.
    func family(in all: [DeviceRegistration]) -> [DeviceRegistration] {
        let others = all.filter { !$0.id.isExactly(id) && $0.facts.domain.isExactly(facts.domain) }
        var tied: [Tie: [Int]] = [:]
        for (index, other) in others.enumerated() {
            for tie in other.ties { tied[tie, default: []].append(index) }
        }
        var family = [self]
        var taken: Set<Int> = []
        var next = 0
        while next < family.count {
            for tie in family[next].ties {
                for index in tied.removeValue(forKey: tie) ?? [] where taken.insert(index).inserted {
                    family.append(others[index])
                }
            }
            next += 1
        }
        return family
    }
}

extension DeviceRegistration.Facts {
    var json: [UInt8] {
        JSONWriter.object { writer in
            writer.member("domain", domain)
            writer.member("app", application)
            if !device.isEmpty { writer.member("device", device) }
            if !origin.isEmpty { writer.member("origin", origin) }
            if isWiped { writer.member("wiped", true) }
            if let profile = try? JSONNode.parse(profile.span, maximumDepth: 16) { writer.member("profile", profile) }
        }
    }

    /// Nil for text that `json` does not produce.
    init?(_ json: [UInt8]) {
        guard let node = try? JSONNode.parse(json.span, maximumDepth: 20), let domain = node["domain"]?.string,
            let application = node["app"]?.string
        else { return nil }
        self.init(
            domain: domain, application: application, device: node["device"]?.string ?? "",
            profile: (node["profile"] ?? JSONNode(.object([]))).serialized, origin: node["origin"]?.string ?? "",
            isWiped: node["wiped"]?.bool ?? false)
    }
}
