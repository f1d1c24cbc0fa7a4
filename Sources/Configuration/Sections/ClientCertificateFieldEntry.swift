import Bytes
import Declaration
import Model

/// The field in which trusted proxies tell a listener the certificates of their clients.
package struct ClientCertificateFieldEntry: Sendable {
    package var format: ClientCertificateFormat
    /// Number of proxies that add an element to the field.
    package var hops = 1
    /// Authorities of the certificates; nil for those of the listener's own clients.
    package var authoritiesFile: String?
    /// Revocation lists of these authorities.
    package var revocationListFile: String?
    /// Users that the certificates stand for, where the authorities are not those of the listener's own clients.
    package var users: [CertificateUserRule] = []

    init(_ format: ClientCertificateFormat) { self.format = format }

    /// The name of a format, or an object.
    static let shape = Shape(
        .either([formats.form(), members.form()]),
        read: { field in
            if field.node.string != nil { return formats.read(field).map(ClientCertificateFieldEntry.init) }
            return members.read(field) ?? nil
        })

    private static let formats = Shape<ClientCertificateFormat>.choice

    private static let expected =
        "\"xfcc\", \"x-ssl-client-cert\", \"client-cert\" or an object: {\"format\", \"hops\", \"caFile\", \"crlFile\", \"users\"}"

    private static let members = Shape<ClientCertificateFieldEntry?>.object(expected) { object in
        let format = object.required(
            "format", formats, "\"xfcc\", \"x-ssl-client-cert\" or \"client-cert\"", placeholder: .xfcc,
            """
            `xfcc`: `X-Forwarded-Client-Cert` of Envoy with `Cert` or `Chain`. `x-ssl-client-cert`: `X-SSL-Client-Cert` with \
            nginx's `$ssl_client_escaped_cert`. `client-cert`: `Client-Cert` and `Client-Cert-Chain` of RFC 9440.
            """)
        var entry = ClientCertificateFieldEntry(format)
        let hops = object.take(
            "hops", .integer(1...8), default: 1,
            "How many proxies add an element to `X-Forwarded-Client-Cert`; the first element is about the client.")
        entry.hops = hops?.read() ?? 1
        let authorities = object.take(
            "caFile", .certificateFile,
            "PEM file with the authorities that issue the clients' certificates; by default those of `tls.clientCaFile`."
        )
        let lists = object.take(
            "crlFile", .readableFile, "PEM or DER file with the revocation lists of all authorities of `caFile`.")
        let users = object.take(
            "users", CertificateUserRule.list, default: [],
            "With `caFile`: users that the certificates stand for, as in `tls.clientUsers`.")
        object.rules(
            .only(
                "crlFile", "users", with: .has("caFile"), because: "without \"caFile\" the settings of \"tls\" apply",
                expected: "a \"caFile\" beside it, or the key in \"tls\""))
        if let hops, entry.hops > 1, format != .xfcc {
            hops.field.error("this form has one element", expected: "\"hops\" with \"format\": \"xfcc\" only")
        }
        entry.authoritiesFile = authorities?.read()
        entry.revocationListFile = lists?.read()
        entry.users = users?.read() ?? []
        return entry
    }
}

extension CertificateForwarding {
    /// `true`, or the name of a field; nil for `false`.
    static let shape = Shape<CertificateForwarding?>(
        .either([.flag, .choice([xfcc, standard].map(\.rawValue))]), write: { $0 == nil ? .flag(false) : nil },
        read: { field in
            if let flag = field.node.bool { return .some(flag ? .summary : nil) }
            guard let text = field.node.string else { return field.wrongType("true, \"xfcc\" or \"client-cert\"") }
            guard let form = CertificateForwarding(rawValue: text), form != .summary else {
                return field.invalid("true, \"xfcc\" or \"client-cert\"")
            }
            return form
        })
}
