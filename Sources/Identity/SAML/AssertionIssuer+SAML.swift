import Bytes
import Model

extension AssertionIssuer {
    /// Reads one entry of `samlIssuers`; nil where it cannot work, and the reader has said why (SAML-09 to SAML-13).
    init?(saml reader: inout AssertionReader, baseURL: String, catalogue: RoleCatalogue) {
        let name = reader.text("issuerName")
        if reader.node["issuerName"] == nil { reader.fail(nil, "required member \"issuerName\" is missing") }
        if reader.node["certificateSubjectNames"] == nil {
            reader.fail(nil, "required member \"certificateSubjectNames\" is missing")
        }
        let others = reader.texts("audience") ?? []
        // The stand-ins are never used: without a name or keys the reader is broken.
        self.init(
            name: name ?? "", audiences: [AssertionIssuer.exchangeURL(baseURL)] + others,
            keys: AssertionIssuer.certificates(&reader) ?? .certificates([]),
            rules: ExternalIdentityRules(saml: &reader, catalogue: catalogue))
        isEnabled = reader.flag("enabled", default: true)
        requiresAudience = true
        isSingleUse = reader.flag("singleUseAssertions", default: false)
        lifetime = AssertionIssuer.lifetime(&reader)
        allowedBackends = AssertionIssuer.allowedBackends(&reader)
        saml = SAMLTerms(
            allowsSHA1: reader.flag("allowSha1", default: false),
            recipients: AssertionIssuer.recipients(baseURL) + (reader.texts("recipient") ?? []))
        readLevel(&reader)
        reader.finish()
        if reader.isBroken { return nil }
    }

    /// The one audience that an assertion for the gateway always may have (SAML-05); it is what an operator enters at the
    /// identity provider (SAML-18).
    package static func exchangeURL(_ baseURL: String) -> String { baseURL + SingleSignOnEndpoints.exchangePath }

    /// Where the identity provider may have meant a browser to bring the assertion: here, or to the address that nobody
    /// serves (SAML-17).
    private static func recipients(_ baseURL: String) -> [String] {
        [exchangeURL(baseURL)] + SingleSignOnEndpoints.redirectPaths.map { baseURL + $0 }
    }

    /// What it has signed, judged by the certificates of the store that are its own and valid.
    package func assertion(
        in xml: [UInt8], _ store: CertificateStore, now: Int64
    ) -> Result<SAMLAssertion, SAMLRejection> {
        guard case .certificates(let subjects) = keys, let saml else { return .failure(.unknownKey) }
        do throws(SAMLRejection) {
            let assertion = try SAMLVerifier.assertion(
                in: xml, signedBy: store.certificates(of: subjects, now: now), allowsSHA1: saml.allowsSHA1)
            // What is signed, and not what was read of it before.
            guard assertion.issuer.utf8.elementsEqual(name.utf8) else { return .failure(.wrongReference) }
            return .success(assertion)
        } catch {
            return .failure(error)
        }
    }

    /// What must hold of its assertions.
    package var samlConditions: SAMLConditions {
        SAMLConditions(audiences: audiences, recipients: saml?.recipients ?? [])
    }
}
