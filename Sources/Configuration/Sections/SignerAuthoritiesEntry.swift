import Bytes
import Declaration
import Model

/// The authorities of an issuer whose tokens carry the certificates of their keys (`x5c`).
package struct SignerAuthoritiesEntry: Sendable {
    /// Absolute path of a PEM file.
    package var authoritiesFile: String
    /// Absolute path of a file with the revocation lists of these authorities.
    package var revocationListFile: String?
    /// Of which the certificate of a signer must have one; empty for any certificate.
    package var names: [CertificatePattern]

    private static let patterns = Shape<[CertificatePattern]>(
        .list(.pattern("^(subject|dns|email|uri|ip):.+$"), minimum: 1),
        read: { $0.certificatePatterns(orFlag: false) })

    static let shape = Shape<SignerAuthoritiesEntry?>.object("an object: {\"caFile\", \"names\"}") { object in
        let authorities = object.required(
            "caFile", .certificateFile, "a PEM file", placeholder: "",
            "PEM file with the authorities that certify the issuer's keys. The system's are not trusted.")
        let lists = object.optional(
            "crlFile", .readableFile,
            "PEM or DER file with the revocation lists of all these authorities, read again at each reload.")
        let names = object.take(
            "names", SignerAuthoritiesEntry.patterns,
            "Names of the signer, one of which its certificate must have, in the form of `clientCertificate` of routes."
        )
        _ = object.flag(
            "dedicatedCa", default: false,
            "In place of `names`: the authorities certify nothing but keys of this issuer, so that any name counts.")
        object.rules(
            .requires(
                .any([.has("names"), .isOn("dedicatedCa")]), because: "the signer has no names",
                expected: "\"names\", or \"dedicatedCa\": true"),
            .only(
                "names", with: .not(.isOn("dedicatedCa")),
                because: "\"dedicatedCa\" is for authorities without \"names\""))
        guard object.field.node.members != nil else { return nil }
        return SignerAuthoritiesEntry(
            authoritiesFile: authorities, revocationListFile: lists, names: names?.read() ?? [])
    }
}
