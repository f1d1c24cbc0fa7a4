import Bytes

/// That an upstream is behind a Webgate of its own, whose challenges the gateway answers (CACHE-08): `"oam-challenge"`,
/// or an object where a setting differs.
package struct UpstreamAuthEntry: Sendable {
    private enum Kind: String, CaseIterable {
        case oamChallenge = "oam-challenge"
    }

    /// Names of the Webgates whose challenges are answered; empty for any.
    package var webgates: [String] = []
    /// `User-Agent` of the requests.
    package var userAgent = "OAMMS-Agent"
    /// Longest body that is kept for a second try, in bytes.
    package var maximumReplayBytes = 65_536

    static func read(_ field: Field) -> UpstreamAuthEntry? {
        guard field.node.members != nil else { return field.choice(Kind.self).map { _ in UpstreamAuthEntry() } }
        var object = field.object(
            "\"oam-challenge\", or an object: {\"kind\", \"webgates\", \"userAgent\", \"maxReplayBytes\"}")
        let usual = UpstreamAuthEntry()
        _ = object.required("kind", "\"oam-challenge\"", standIn: .oamChallenge) { $0.choice(Kind.self) }
        let entry = UpstreamAuthEntry(
            webgates: object.value("webgates", default: []) { $0.names() },
            userAgent: object.value("userAgent", default: usual.userAgent, userAgent),
            maximumReplayBytes: object.value("maxReplayBytes", default: usual.maximumReplayBytes) {
                $0.size(in: 0...16 * 1_048_576)
            }
        )
        object.finish()
        return entry
    }

    private static func userAgent(_ field: Field) -> String? {
        let expected = "visible ASCII text, such as \"OAMMS-Agent\""
        guard let text = field.text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), !text.hasPrefix(" "), !text.hasSuffix(" ")
        else {
            field.invalid(expected)
            return nil
        }
        return text
    }
}
