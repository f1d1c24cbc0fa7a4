import Bytes
import Crypto

/// The claims of a client about its device: free-form, passed through, and unverified (OMS-15).
struct DeviceProfile: Sendable, Equatable {
    /// Largest accepted profile.
    static let maximumBytes = 8192
    static let claimPrefix = "oracle:idm:claims:client:"

    /// The text without white space.
    let json: [UInt8]
    private let node: JSONNode

    /// The empty profile of clients that send none.
    static let none = DeviceProfile(JSONNode(.object([])))

    /// - Returns: nil if it is no object or too large.
    static func read(_ node: JSONNode) -> DeviceProfile? {
        guard node.members != nil else { return nil }
        let profile = DeviceProfile(node)
        return profile.json.count <= maximumBytes ? profile : nil
    }

    private init(_ node: JSONNode) {
        json = node.serialized
        self.node = node
    }

    /// The claim of this name, with or without the prefix.
    func claim(_ name: String) -> JSONNode? {
        node[name] ?? node[DeviceProfile.claimPrefix + name]
    }

    /// Digest of hardware ids and fingerprint, which identifies the device; empty if there are none. Devices send
    /// `UNKNOWN` for undisclosed ids.
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

/// Refuses device profiles with all of these claims, such as `{"jailbroken": true}` (OMS-15).
package struct DeviceRule: Sendable, Equatable {
    private let claims: [JSONMember]

    /// - Parameter claims: at least one; names with or without `oracle:idm:claims:client:`.
    package init(denying claims: [JSONMember]) { self.claims = claims }

    func denies(_ profile: DeviceProfile) -> Bool {
        claims.allSatisfy { wanted in profile.claim(wanted.name)?.value == wanted.node.value }
    }
}
