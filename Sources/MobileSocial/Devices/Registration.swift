import Bytes
import Identity
import OAuthServer
import TokenStorage

/// An application on a device, as the device register has it (OMS-15): a record of the kind `.registration`, found by the
/// digest of the client registration handle.
struct Registration: Sendable, Equatable {
    struct Facts: Sendable, Equatable {
        var domain: String
        var application: String
        /// `DeviceProfile.identity`; empty for a device that gives none away.
        var device: String
        /// The profile as it came.
        var profile: [UInt8]
        /// Id of the registration on whose device this one was made, by a session there; empty where a password did.
        var origin = ""
        /// Whether the device is to be wiped (OMS-16).
        var isWiped = false
    }

    /// What all registrations have as their application, so that the register can be listed.
    static let register = "\u{1f}devices"
    /// How long a handle is good.
    static let lifetimeSeconds: Int64 = 31_536_000

    let record: TokenRecord
    let facts: Facts

    var id: String { record.id }

    init?(_ record: TokenRecord) {
        guard record.kind == .registration, let facts = Facts(record.attributes) else { return nil }
        self.record = record
        self.facts = facts
    }

    /// A new one.
    /// - Parameter now: seconds since 1970.
    init(_ facts: Facts, subject: String, handle: String, _ key: TokenDigestKey, now: Int64) {
        // The deny list knows it by its id: access tokens that were made with it name that.
        let id = AccessTokenMinter.randomID()
        var record = TokenRecord(
            id: id, kind: .registration, application: Registration.register, subject: subject, tokenID: id,
            accessExpiresAt: now + Registration.lifetimeSeconds, issuedAt: now)
        record.accessDigest = key.digest(handle)
        record.attributes = facts.json
        self.record = record
        self.facts = facts
    }

    /// The same, marked to be wiped: its handle leads to nothing but that, and its token id is denied by whichever store
    /// puts it in the place of this one.
    var wiped: TokenRecord {
        var (record, facts) = (record, facts)
        facts.isWiped = true
        record.tokenID = ""
        record.attributes = facts.json
        return record
    }
}

extension Registration {
    /// What two registrations of one device have in common.
    private enum Tie: Hashable {
        /// The id of one of them, which is the origin of the other.
        case registration([UInt8])
        case device([UInt8])
        /// The bearer of devices that give nothing away. They cannot be told apart, and a handle too many is better than
        /// one that was overlooked.
        case bearer([UInt8])
    }

    private var ties: [Tie] {
        let ids = [id, facts.origin].filter { !$0.isEmpty }.map { Tie.registration(Array($0.utf8)) }
        let device: Tie =
            facts.device.isEmpty ? .bearer(Array(record.subject.utf8)) : .device(Array(facts.device.utf8))
        return ids + [device]
    }

    /// This one and those of `all` that are of its device, as far as anybody can tell, by one step or several.
    func family(in all: [Registration]) -> [Registration] {
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

extension Registration.Facts {
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("domain", domain)
        writer.member("app", application)
        if !device.isEmpty { writer.member("device", device) }
        if !origin.isEmpty { writer.member("origin", origin) }
        if isWiped { writer.member("wiped", true) }
        if let profile = try? JSONNode.parse(profile.span, maximumDepth: 16) { writer.member("profile", profile) }
        writer.endObject()
        return writer.bytes
    }

    /// Nil for what `json` does not write.
    init?(_ json: [UInt8]) {
        guard let node = try? JSONNode.parse(json.span, maximumDepth: 20), let domain = node["domain"]?.string,
            let application = node["app"]?.string
        else { return nil }
        var writer = JSONWriter()
        writer.value(node["profile"] ?? JSONNode(.object([])))
        self.init(
            domain: domain, application: application, device: node["device"]?.string ?? "", profile: writer.bytes,
            origin: node["origin"]?.string ?? "", isWiped: node["wiped"]?.bool ?? false)
    }
}
