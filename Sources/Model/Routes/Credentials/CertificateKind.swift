/// The certificate of the connection.
package enum CertificateKind: CredentialKind {
    package static let name = "certificate"
    package static let isUsual = true
    package static let takesKeyBeside = true
}

extension Authenticator.Kind {
    package static var certificate: Self { Self(CertificateKind.self) }
}
