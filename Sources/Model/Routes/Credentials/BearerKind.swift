/// A token of a trusted issuer, or one of the gateway's own.
package enum BearerKind: CredentialKind {
    package static let name = "bearer"
    package static let isUsual = true
    package static let meaning: String? = "a token of a trusted issuer or of the gateway"
    package static let takesKeyBeside = true
    package static let issuer: CredentialIssuer? = CredentialIssuer(
        .signsTokens, "the only trusted issuer whose tokens count, `local` for the gateway itself; all by default")
    package static let users = CredentialUsers.ofIssuers
}

extension Authenticator.Kind {
    package static var bearer: Self { Self(BearerKind.self) }
}
