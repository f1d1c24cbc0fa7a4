/// The cookie of a browser login.
package enum SessionKind: CredentialKind {
    package static let name = "session"
    package static let isUsual = true
    package static let meaning: String? = "of a browser login"
    package static let users = CredentialUsers.own
}

extension Authenticator.Kind {
    package static var session: Self { Self(SessionKind.self) }
}
