import Bytes
import Identity
import JOSE

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
        var record = TokenRecord(
            id: AccessTokenMinter.randomID(), kind: .registration, application: Registration.register,
            subject: subject, tokenID: "", accessExpiresAt: now + Registration.lifetimeSeconds, issuedAt: now)
        record.accessDigest = key.digest(handle)
        record.attributes = facts.json
        self.record = record
        self.facts = facts
    }

    /// The same, marked to be wiped: its handle leads to nothing but that.
    var wiped: TokenRecord {
        var (record, facts) = (record, facts)
        facts.isWiped = true
        record.attributes = facts.json
        return record
    }
}

extension Registration.Facts {
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("domain", domain)
        writer.member("app", application)
        if !device.isEmpty { writer.member("device", device) }
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
            isWiped: node["wiped"]?.bool ?? false)
    }
}
