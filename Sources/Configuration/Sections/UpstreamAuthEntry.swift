import Bytes

/// An upstream behind a Webgate of its own, whose challenges the gateway answers (CACHE-08): `"oam-challenge"`, or an
/// object with other settings.
package struct UpstreamAuthEntry: Sendable {
    private enum Kind: String, CaseIterable {
        case oamChallenge = "oam-challenge"
    }

    /// Names of the Webgates whose challenges are answered; empty for any.
    package var webgates: [String] = []
    /// `User-Agent` of the requests.
    package var userAgent = "OAMMS-Agent"
    /// Longest body that is kept for a retry, in bytes.
    package var maximumReplayBytes = 65_536

    static let shape = Shape(
        .either([Shape<Kind>.choice.form(), members.form()]),
        read: { field in
            field.node.members == nil
                ? field.choice(Kind.self).map { _ in UpstreamAuthEntry() } : members.read(field)
        })

    private static let members = Shape.object(
        "\"oam-challenge\", or an object: {\"kind\", \"webgates\", \"userAgent\", \"maxReplayBytes\"}"
    ) { object in
        let usual = UpstreamAuthEntry()
        _ = object.required(
            "kind", .choice, "\"oam-challenge\"", placeholder: Kind.oamChallenge, "How the upstream asks.")
        return UpstreamAuthEntry(
            webgates: object.value(
                "webgates", .names, default: [],
                "Names of the Webgates whose challenges are answered; an empty list means any."),
            userAgent: object.value(
                "userAgent", .text(.pattern("^[!-~]([ -~]*[!-~])?$"), userAgent), default: usual.userAgent,
                "`User-Agent` of the requests: one that the Webgate challenges."),
            maximumReplayBytes: object.value(
                "maxReplayBytes", .size(in: 0...16 * 1_048_576), default: usual.maximumReplayBytes,
                "Largest body that is kept so that the request can be repeated.")
        )
    }

    private static func userAgent(_ field: Field) -> String? {
        let expected = "visible ASCII text, such as \"OAMMS-Agent\""
        guard let text = field.text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), !text.hasPrefix(" "), !text.hasSuffix(" ")
        else { return field.invalid(expected) }
        return text
    }
}
