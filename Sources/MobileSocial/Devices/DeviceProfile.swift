import Bytes
import Crypto

/// What a client tells of the device that it runs on: free-form, passed through, and no proof of anything (OMS-15).
struct DeviceProfile: Sendable, Equatable {
    /// Bytes of the longest profile that is taken.
    static let maximumBytes = 8192
    static let claimPrefix = "oracle:idm:claims:client:"

    /// As it came, without blanks.
    let json: [UInt8]
    private let node: JSONNode

    /// An empty profile, as it is for clients that send none.
    static let none = DeviceProfile(JSONNode(.object([])))

    /// - Parameter node: an object; nil for anything else and for one that is too long.
    static func read(_ node: JSONNode) -> DeviceProfile? {
        guard node.members != nil else { return nil }
        let profile = DeviceProfile(node)
        return profile.json.count <= maximumBytes ? profile : nil
    }

    private init(_ node: JSONNode) {
        var writer = JSONWriter()
        writer.value(node)
        json = writer.bytes
        self.node = node
    }

    /// The claim of this name, with the prefix of all claims or without it.
    func claim(_ name: String) -> JSONNode? {
        node[name] ?? node[DeviceProfile.claimPrefix + name]
    }

    /// What tells the device from others: a digest of its hardware ids and its fingerprint. Empty where it gives none
    /// away; `UNKNOWN` is what devices say that keep one to themselves.
    var identity: String {
        var lines: [[UInt8]] = []
        for member in (node["hardwareIds"]?.members ?? []) + [fingerprint].compactMap(\.self) {
            guard let text = member.node.string, !text.isEmpty, !text.isExactly("UNKNOWN") else { continue }
            var writer = JSONWriter()
            writer.value([member.name, text])
            lines.append(writer.bytes)
        }
        if lines.isEmpty { return "" }
        let text = Array(lines.sorted { $0.lexicographicallyPrecedes($1) }.joined())
        let digest = DigestAlgorithm.sha256.digest(text.span)
        return String(decoding: Base64.encode(digest.span, .url), as: UTF8.self)
    }

    private var fingerprint: JSONMember? {
        claim("fingerprint").map { JSONMember(name: "fingerprint", node: $0) }
    }
}

/// Claims of a device profile that are not let in: all of them together, such as `{"jailbroken": true}` (OMS-15).
package struct DeviceRule: Sendable, Equatable {
    private let claims: [JSONMember]

    /// - Parameter claims: at least one; names with or without `oracle:idm:claims:client:`.
    package init(denying claims: [JSONMember]) { self.claims = claims }

    func denies(_ profile: DeviceProfile) -> Bool {
        claims.allSatisfy { wanted in profile.claim(wanted.name)?.value == wanted.node.value }
    }
}
