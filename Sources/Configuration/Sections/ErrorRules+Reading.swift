import Declaration
import Model

extension ErrorRules {
    /// Declares and reads `errors` and `errorFormat` of a route or of `gateway.json`.
    ///
    /// - Parameter scope: of the rules, for the documentation.
    static func read(_ object: inout ObjectReader, of scope: String) -> ErrorRules {
        ErrorRules(
            format: object.optional(
                "errorFormat", Shape<Format>.choice,
                """
                Form of \(scope): `default`, or `problem` for [RFC 9457](guides/errors.md). Browsers get a page in \
                both.
                """),
            answers: object.value(
                "errors", answers, default: [],
                "[Answers](guides/errors.md) to \(scope), by status or reason; the first that fits counts."))
    }

    private static let answers = ErrorAnswer.shape.list("an array of answers to errors", isUnique: false)
        .map({ $0.compactMap(\.self) }, back: { $0.isEmpty ? [] : nil })
}
