/// The list of kinds of credentials.
package enum CredentialKinds {
    package static let all: [any CredentialKind.Type] = [
        BearerKind.self, BasicKind.self, AnonymousKeyKind.self, APIKeyKind.self, CertificateKind.self, SessionKind.self,
        AssertionKind.self,
    ]
}
