/// The sealed `request-ctx` of challenges (CHAL-03).
package struct ChallengeSection: Sendable {
    /// 32 bytes; nil where the key is in `keyFile`.
    package var key: [UInt8]?
    /// File with the key, made with mode 0600 when it is missing.
    package var keyFile: String
    package var lifetime: Duration

    static func read(_ field: Field?, _ findings: Findings) -> ChallengeSection {
        let keyFile = findings.path(of: "state/challenge.key")
        guard let field else { return ChallengeSection(key: nil, keyFile: keyFile, lifetime: .seconds(300)) }
        var object = field.object("an object")
        let keyField = object.take("key")
        let fileField = object.take("keyFile")
        if keyField != nil, let fileField {
            fileField.error("both \"key\" and \"keyFile\" are given", expected: "one of the two")
        }
        let section = ChallengeSection(
            key: keyField.flatMap { $0.key(lengths: [32]) },
            keyFile: fileField.flatMap { $0.path() } ?? keyFile,
            lifetime: object.duration("lifetime", default: .seconds(300))
        )
        object.finish()
        return section
    }
}
