import Bytes
import Declaration
import Model

extension UpstreamChallengeRule {
    private enum Kind: String, CaseIterable {
        case webgate = "oam-challenge"

        static let quoted = "\"\(webgate.rawValue)\""
    }

    /// The kind alone, or an object with other settings.
    static let shape = Shape(
        .either([Shape<Kind>.choice.form(), members.form()]),
        read: { field in
            field.node.members == nil
                ? field.choice(Kind.self).map { _ in UpstreamChallengeRule() } : members.read(field)
        })

    private static let members = Shape.object(
        "\(Kind.quoted), or an object: {\"kind\", \"webgates\", \"userAgent\", \"maxReplayBytes\"}"
    ) { object in
        var rule = UpstreamChallengeRule()
        _ = object.required(
            "kind", .choice, Kind.quoted, placeholder: Kind.webgate, "How the upstream asks.")
        object.read(
            "webgates", .names, into: &rule.webgates,
            "Names of the Webgates whose challenges are answered; an empty list means any.")
        object.read(
            "userAgent",
            Shape(
                .pattern("^[!-~]([ -~]*[!-~])?$"), write: { .text(String(decoding: $0, as: UTF8.self)) },
                read: userAgent),
            into: &rule.userAgent, "`User-Agent` of the requests: one that the Webgate challenges.")
        object.read(
            "maxReplayBytes", .size(in: 0...16 * 1_048_576), into: &rule.maximumKeptBody,
            "Largest body that is kept so that the request can be repeated.")
        return rule
    }

    private static func userAgent(_ field: Field) -> [UInt8]? {
        let expected = "visible ASCII text, such as \"\(usualAgent)\""
        guard let text = field.text(expected) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }), !text.hasPrefix(" "), !text.hasSuffix(" ")
        else { return field.invalid(expected) }
        return Array(text.utf8)
    }
}
