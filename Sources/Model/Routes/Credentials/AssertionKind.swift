/// A SAML assertion.
package enum AssertionKind: CredentialKind {
    package static let name = "saml"
    package static let meaning: String? = "an assertion"
    package static let takesKeyBeside = true
    package static let issuer: CredentialIssuer? = CredentialIssuer(
        .namesItself, "the only one of `samlIssuers` whose assertions count, all by default")
    package static let header: String? = "a header field for assertions beside `Authorization: SAML`"
}

extension Authenticator.Kind {
    package static var saml: Self { Self(AssertionKind.self) }
}
