import Bytes

/// What clients carry for the gateway sealed: the `request-ctx` of challenges (CHAL-03), and the cookies and forms of
/// logins.
package struct ChallengeSection: Sendable {
    /// Keys of 32 bytes, of which the first seals and all open (DEC-12); empty where they are in `keyFile`.
    package var keys: [[UInt8]]
    /// File with the keys, one a line, made with one and mode 0600 when it is missing.
    package var keyFile: String
    package var lifetime: Duration

    static func read(_ field: Field?, _ findings: Findings) -> ChallengeSection {
        let keyFile = findings.path(of: "state/challenge.key")
        guard let field else { return ChallengeSection(keys: [], keyFile: keyFile, lifetime: .seconds(300)) }
        var object = field.object("an object")
        let keyField = object.take("key")
        let fileField = object.take("keyFile")
        if keyField != nil, let fileField {
            fileField.error("both \"key\" and \"keyFile\" are given", expected: "one of the two")
        }
        let section = ChallengeSection(
            keys: keyField.map(keys) ?? [],
            keyFile: fileField.flatMap { $0.path() } ?? keyFile,
            lifetime: object.duration("lifetime", default: .seconds(300))
        )
        object.finish()
        return section
    }

    private static func keys(_ field: Field) -> [[UInt8]] {
        guard field.node.array != nil else { return field.key(lengths: [32]).map { [$0] } ?? [] }
        let elements = field.elements("a key, or a list of keys") ?? []
        if elements.isEmpty { field.invalid("at least one key") }
        return elements.compactMap { $0.key(lengths: [32]) }
    }
}
