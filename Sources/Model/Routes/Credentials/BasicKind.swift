/// Name and password of a user.
package enum BasicKind: CredentialKind {
    package static let name = "basic"
    package static let isUsual = true
    package static let meaning: String? = "name and password"
    package static let takesKeyBeside = true
    package static let issuer: CredentialIssuer? = CredentialIssuer(
        .verifiesPasswords,
        "the [issuer](guides/remote-users.md) whose server verifies the password, in place of `users.json`")
    package static let users = CredentialUsers.own
}

extension Authenticator.Kind {
    package static var basic: Self { Self(BasicKind.self) }
}
