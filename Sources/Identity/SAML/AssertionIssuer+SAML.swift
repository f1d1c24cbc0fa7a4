import Bytes
import Declaration
import Model

extension AssertionIssuer {
    /// An entry of `samlIssuers` (SAML-09 to SAML-13).
    static func samlShape(_ baseURL: String, _ catalogue: RoleCatalogue) -> Shape<AssertionIssuer> {
        .object("an issuer object") { object in
            object.ignoreOthers()
            var issuer = AssertionIssuer(
                name: object.required(
                    "issuerName", .name, "`Issuer` of its assertions", placeholder: "",
                    "`Issuer` of its assertions, byte by byte."),
                audiences: [exchangeURL(baseURL)], keys: .certificates([]))
            var saml = SAMLTerms(recipients: recipients(baseURL))
            object.read("enabled", .flag, into: &issuer.isEnabled, "Whether its assertions are exchanged.")
            issuer.audiences +=
                object.optional("audience", .textList, "Accepted audiences beside the URL of the endpoint.") ?? []
            issuer.requiresAudience = true
            issuer.keys = .certificates(
                object.required(
                    "certificateSubjectNames", .subjects, "subjects of certificates", placeholder: [],
                    subjectsMeaning))
            issuer.rules = ExternalIdentityRules(saml: &object, catalogue: catalogue)
            issuer.readExchange(&object)
            issuer.lifetime = TokenLifetime(&object)
            object.read("allowedMbes", AllowedClient.list, into: &issuer.allowedClients, AllowedClient.meaning)
            object.read(
                "allowSha1", .flag, into: &saml.allowsSHA1, "Whether signatures with SHA-1 are accepted.")
            saml.recipients +=
                object.optional(
                    "recipient", .textList,
                    "Accepted recipients beside that URL and the one of `\(ExchangePaths.redirects[0])`.")
                ?? []
            issuer.saml = saml
            issuer.readLevel(&object)
            return issuer
        }
    }

    /// The audience that is always accepted (SAML-05); the operator enters it at the identity provider (SAML-18).
    package static func exchangeURL(_ baseURL: String) -> String { baseURL + ExchangePaths.browsers }

    /// Accepted recipients: this endpoint, or the conventional address that no endpoint serves (SAML-17).
    private static func recipients(_ baseURL: String) -> [String] {
        [exchangeURL(baseURL)] + ExchangePaths.redirects.map { baseURL + $0 }
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
