import Bytes
import Model

extension AssertionIssuer {
    /// Reads one entry of `samlIssuers`. Nil for an unusable entry, which the reader has reported (SAML-09 to SAML-13).
    init?(saml reader: inout AssertionReader, baseURL: String, catalogue: RoleCatalogue) {
        let name = reader.text("issuerName", isRequired: true, "`Issuer` of its assertions, byte by byte.")
        reader.require("issuerName")
        reader.require("certificateSubjectNames")
        let isEnabled = reader.flag("enabled", default: true, "Whether its assertions are exchanged.")
        let others = reader.texts("audience", "Accepted audiences beside the URL of the endpoint.") ?? []
        // The placeholders are never used: without a name or keys the reader is broken.
        self.init(
            name: name ?? "", audiences: [AssertionIssuer.exchangeURL(baseURL)] + others,
            keys: AssertionIssuer.certificates(&reader, isRequired: true) ?? .certificates([]),
            rules: ExternalIdentityRules(saml: &reader, catalogue: catalogue))
        self.isEnabled = isEnabled
        requiresAudience = true
        isSingleUse = AssertionIssuer.singleUse(&reader)
        lifetime = AssertionIssuer.lifetime(&reader)
        allowedClients = AssertionIssuer.allowedClients(&reader)
        saml = SAMLTerms(
            allowsSHA1: reader.flag("allowSha1", default: false, "Whether signatures with SHA-1 are accepted."),
            recipients: AssertionIssuer.recipients(baseURL)
                + (reader.texts(
                    "recipient",
                    "Accepted recipients beside that URL and the one of `\(SingleSignOnEndpoints.redirectPaths[0])`.")
                    ?? []))
        readLevel(&reader)
        reader.finish()
        if reader.isBroken { return nil }
    }

    /// The form of an entry of `samlIssuers`.
    static var samlForm: ObjectForm {
        AssertionReader.form { _ = AssertionIssuer(saml: &$0, baseURL: "", catalogue: RoleCatalogue([])) }
    }

    /// The audience that is always accepted (SAML-05); the operator enters it at the identity provider (SAML-18).
    package static func exchangeURL(_ baseURL: String) -> String { baseURL + SingleSignOnEndpoints.exchangePath }

    /// Accepted recipients: this endpoint, or the conventional address that no endpoint serves (SAML-17).
    private static func recipients(_ baseURL: String) -> [String] {
        [exchangeURL(baseURL)] + SingleSignOnEndpoints.redirectPaths.map { baseURL + $0 }
    }

    /// The verified assertion, by the issuer's valid certificates in the store.
    package func assertion(
        in xml: [UInt8], _ store: CertificateStore, now: Int64
    ) -> Result<SAMLAssertion, SAMLRejection> {
        guard case .certificates(let subjects) = keys, let saml else { return .failure(.unknownKey) }
        do throws(SAMLRejection) {
            let assertion = try SAMLVerifier.assertion(
                in: xml, signedBy: store.certificates(of: subjects, now: now), allowsSHA1: saml.allowsSHA1)
            // Compares the signed issuer, not the one read before verification.
            guard assertion.issuer.isExactly(name) else { return .failure(.wrongReference) }
            return .success(assertion)
        } catch {
            return .failure(error)
        }
    }

    /// Conditions on its assertions.
    package var samlConditions: SAMLConditions {
        SAMLConditions(audiences: audiences, recipients: saml?.recipients ?? [])
    }
}
