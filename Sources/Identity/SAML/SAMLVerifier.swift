import Crypto

/// Signatures of SAML documents (SAML-04). It takes milliseconds of a processor, so it is called on the blocking pool.
///
/// It judges signatures alone: times, audience and the like are for `SAMLConditions`.
package enum SAMLVerifier {
    /// Whether this program can verify at all: whether it is built with the trait `SAML`.
    package static var isAvailable: Bool {
        #if SAML
            true
        #else
            false
        #endif
    }

    /// The issuer that a document names, not verified: for finding the certificates that must have signed it.
    /// - Parameter xml: an `Assertion`, or a `Response` with one, in UTF-8.
    package static func claimedIssuer(in xml: [UInt8]) throws(SAMLRejection) -> String {
        throw .notBuilt
    }

    /// A document whose root is an `Assertion` with an enveloped signature of its own.
    /// - Parameters:
    ///   - certificates: of the issuer, those that are valid now; any one of them may have signed.
    ///   - allowsSHA1: whether signatures and digests with SHA-1 are believed.
    package static func assertion(
        in xml: [UInt8], signedBy certificates: [SignerCertificate], allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLAssertion {
        throw .notBuilt
    }

    /// A document whose root is a `Response` with exactly one `Assertion`, of which either is signed; where both are,
    /// both signatures are checked.
    /// - Parameters: as of `assertion(in:signedBy:allowsSHA1:)`.
    package static func response(
        in xml: [UInt8], signedBy certificates: [SignerCertificate], allowsSHA1: Bool
    ) throws(SAMLRejection) -> SAMLResponse {
        throw .notBuilt
    }
}
