import Bytes

/// An upstream Webgate's challenge `OAM-Auth realm="WEBGATE:LEVEL /path", request-ctx="..."` (CHAL-01).
package struct OAMChallenge: Equatable, Sendable {
    /// Name of the Webgate that wants a token of its own.
    package var webgate: String
    /// Authentication level it asks for, 0 to 99.
    package var level: Int
    /// Path of the protected resource; nil where the challenge names none.
    package var url: String?
    /// The request context, to be handed on verbatim.
    package var context: String

    /// The first OAM-Auth challenge of a `WWW-Authenticate` value; nil if there is none that is well formed.
    package static func parse(_ value: Span<UInt8>) -> OAMChallenge? {
        let challenges = ChallengeList.parse(value) ?? []
        for challenge in challenges where challenge.scheme.lowercased() == "oam-auth" {
            guard let realm = challenge.parameter("realm"), let context = challenge.parameter("request-ctx"),
                !context.isEmpty
            else { continue }
            if let result = parse(realm: Array(realm.utf8), context: context) { return result }
        }
        return nil
    }

    /// Splits `WEBGATE:LEVEL[ ]/path`. A name may hold colons itself, and so may the path: the first colon counts that
    /// is followed by one or two digits and then by the path or nothing. The blank may be missing (DEC-04).
    private static func parse(realm: [UInt8], context: String) -> OAMChallenge? {
        for colon in realm.indices.dropFirst() where realm[colon] == ASCII.colon {
            let digits = realm[(colon + 1)...].prefix { ASCII.isDigit($0) }
            guard !digits.isEmpty, digits.count <= 2 else { continue }
            let rest = realm[digits.endIndex...].drop { FieldSyntax.isBlank($0) }
            guard rest.isEmpty || rest.first == ASCII.slash else { continue }
            let level = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
            return OAMChallenge(
                webgate: String(decoding: realm[..<colon], as: UTF8.self),
                level: level,
                url: rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self),
                context: context
            )
        }
        return nil
    }
}
