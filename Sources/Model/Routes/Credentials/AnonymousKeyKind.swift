/// The anonymous key of a mobile backend, with or without a social token beside it.
package enum AnonymousKeyKind: CredentialKind {
    package static let name = "anonymousKey"
    package static let isUsual = true
    package static let meaning: String? = "of a mobile backend, with or without a social token"
}

extension Authenticator.Kind {
    package static var anonymousKey: Self { Self(AnonymousKeyKind.self) }
}
