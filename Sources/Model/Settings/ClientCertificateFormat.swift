/// The forms in which proxies tell the certificate of a client in a header field.
package enum ClientCertificateFormat: String, Sendable, CaseIterable {
    /// `X-Forwarded-Client-Cert` of Envoy: elements of `Hash=`, `Cert=`, `Chain=` and others.
    case xfcc
    /// `X-SSL-Client-Cert` with PEM in URL encoding, as nginx writes `$ssl_client_escaped_cert`.
    case pem = "x-ssl-client-cert"
    /// `Client-Cert` and `Client-Cert-Chain` of RFC 9440.
    case standard = "client-cert"

    /// The name of the field with the certificate.
    package var fieldName: StaticString {
        switch self {
        case .xfcc: "X-Forwarded-Client-Cert"
        case .pem: "X-SSL-Client-Cert"
        case .standard: "Client-Cert"
        }
    }

    /// The name of the field with its issuers, if the form has one.
    package var chainName: StaticString? { self == .standard ? "Client-Cert-Chain" : nil }
}

/// The fields that an upstream gets about the client's certificate.
package enum CertificateForwarding: String, Sendable, CaseIterable {
    /// Subject, names and digest, in fields of the gateway's own.
    case summary
    /// The certificate in `X-Forwarded-Client-Cert`.
    case xfcc
    /// The certificate in `Client-Cert` of RFC 9440.
    case standard = "client-cert"
}
