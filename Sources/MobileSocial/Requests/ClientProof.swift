import Bytes

/// How a client says which application it is, and by what: `X-Idaas-Rest-Authorization: UIDPASSWORD cred="..."`, the
/// Base64 of `clientId:secret` (oam-wire 3.3), or the members `appName` and `registrationHandle`.
struct ClientProof: Sendable, Equatable {
    /// Name of the application.
    let application: String
    /// A registration handle, a client token, or the application's shared secret.
    let secret: String

    private static let scheme = Array("uidpassword".utf8)
    private static let opening = Array("cred=\"".utf8)

    init(application: String, secret: String) {
        self.application = application
        self.secret = secret
    }

    /// - Parameter field: the value of the field. Nil for anything else than the form above, to the letter but for the
    ///   case of the scheme.
    init?(_ field: String) {
        let text = Array(field.utf8)
        guard text.count > ClientProof.scheme.count,
            text.prefix(ClientProof.scheme.count).map(ASCII.lowercased) == ClientProof.scheme,
            text[ClientProof.scheme.count] == ASCII.space
        else { return nil }
        let rest = Array(text[ClientProof.scheme.count...].drop { $0 == ASCII.space })
        guard rest.starts(with: ClientProof.opening), rest.count > ClientProof.opening.count, rest.last == ASCII.quote
        else { return nil }
        let encoded = Array(rest[ClientProof.opening.count..<(rest.count - 1)])
        // Applications have no colon in their names: the first one ends it.
        guard let pair = Base64.decode(encoded.span), let colon = pair.firstIndex(of: ASCII.colon),
            let application = String(streamSafe: pair[..<colon]), !application.isEmpty,
            let secret = String(streamSafe: pair[(colon + 1)...]), !secret.isEmpty
        else { return nil }
        self.init(application: application, secret: secret)
    }
}
