/// The key of a consumer, which may also be required beside other kinds.
package enum APIKeyKind: CredentialKind {
    package static let name = "apiKey"
    package static let isUsual = true
}

extension Authenticator.Kind {
    package static var apiKey: Self { Self(APIKeyKind.self) }
}
