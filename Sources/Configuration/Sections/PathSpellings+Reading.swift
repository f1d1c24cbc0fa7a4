import Bytes
import Declaration
import Model

extension PathSpellings {
    private enum Slashes: String, CaseIterable, Sendable { case refuse, keep }

    /// The escapes beside `%2F` that a route may keep.
    private enum Escape: String, CaseIterable, Sendable {
        case backslash = "%5C"
        case percent = "%25"

        static let shape = Shape<Escape>.choice.list("an array of escapes").reading { field in
            field.names("an array of escapes", read)?.compactMap(Escape.init)
        }

        private static func read(_ field: Field) -> String? {
            if field.node.string?.uppercased() == "%2F" {
                return field.error("it has a setting of its own", expected: "\"encodedSlashes\": \"keep\"")
            }
            return field.choice(Escape.self)?.rawValue
        }
    }

    /// Members that are about forwarded paths.
    static let members = ["encodedSlashes", "encodedCharacters", "mergeSlashes"]

    /// Reads `encodedSlashes`, `encodedCharacters` and `mergeSlashes` of a route.
    static func read(_ object: inout ObjectReader, on path: PathPattern) -> PathSpellings {
        var kept: PathSpellings = []
        let slashes = object.value(
            "encodedSlashes", Shape<Slashes>.choice, default: .refuse,
            """
            Whether paths with [`%2F`](guides/encoded-paths.md) are refused, or kept: matched as part of their segment and \
            forwarded as received.
            """)
        let escapes = object.value(
            "encodedCharacters", Escape.shape, default: [],
            """
            Other escapes that are [kept](guides/encoded-paths.md): `%5C`, and `%25` before the digits of a separator, a \
            dot or a percent sign (`%252F`).
            """)
        let merges = object.flag(
            "mergeSlashes", default: true, "Whether `//` in paths is one slash, or [kept](guides/encoded-paths.md).")
        if slashes == .keep { kept.insert(.encodedSlash) }
        if escapes.contains(.backslash) { kept.insert(.encodedBackslash) }
        if escapes.contains(.percent) { kept.insert(.encodedPercent) }
        if !merges { kept.insert(.emptySegments) }
        guard !path.isDeep, path != .nothing else { return kept }
        for (name, field) in object.entries where members.contains(name) {
            let separates = name == "encodedCharacters" ? escapes.contains(.backslash) : kept.contains(of(name))
            guard separates else { continue }
            field.warning(
                "such paths are refused here: decoded, they have other segments than \"\(path.text)\"",
                expected: "a \"path\" that ends in \"**\"")
        }
        return kept
    }

    private static func of(_ member: String) -> PathSpellings {
        member == "mergeSlashes" ? .emptySegments : .encodedSlash
    }
}
