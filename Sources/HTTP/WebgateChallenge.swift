import Bytes

/// An upstream Webgate's challenge `OAM-Auth realm="WEBGATE:LEVEL /path", request-ctx="..."` (CHAL-01).
package struct WebgateChallenge: Equatable, Sendable {
    /// Name of the Webgate, which requires a token of its own.
    package var webgate: String
    /// Required authentication level, 0 to 99.
    package var level: Int
    /// Path of the protected resource, if the challenge names one.
    package var url: String?
    /// The request context, which is passed on verbatim.
    package var context: String

    /// The first well-formed one of a `WWW-Authenticate` value.
    package static func parse(_ value: Span<UInt8>) -> WebgateChallenge? {
        let challenges = ChallengeList.parse(value) ?? []
        for challenge in challenges where challenge.scheme.lowercased() == "oam-auth" {
            guard let realm = challenge.parameter("realm"), let context = challenge.parameter("request-ctx"),
                !context.isEmpty
            else { continue }
            if let result = parse(realm: Array(realm.utf8), context: context) { return result }
        }
        return nil
    }

    /// Splits `WEBGATE:LEVEL[ ]/path` at the first colon that is followed by one or two digits and the path or nothing,
    /// since name and path may contain colons. The blank is optional (DEC-04).
    private static func parse(realm: [UInt8], context: String) -> WebgateChallenge? {
        for colon in realm.indices.dropFirst() where realm[colon] == ASCII.colon {
            let digits = realm[(colon + 1)...].prefix { ASCII.isDigit($0) }
            guard !digits.isEmpty, digits.count <= 2 else { continue }
            let rest = realm[digits.endIndex...].drop { FieldSyntax.isBlank($0) }
            guard rest.isEmpty || rest.first == ASCII.slash else { continue }
            let level = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
            return WebgateChallenge(
                webgate: String(decoding: realm[..<colon], as: UTF8.self),
                level: level,
                url: rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self),
                context: context
            )
        }
        return nil
    }
}
