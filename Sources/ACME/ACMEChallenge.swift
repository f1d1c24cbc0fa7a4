import Bytes
import Crypto
import Endpoints
import JOSE
import Model
import Outbound

/// Answers to the challenge http-01 (RFC 8555 section 8.3).
///
/// Each token is answered with the thumbprint of the account's key, at any time. An answer is of use in orders of that account only,
/// so that none has to be remembered, and any gateway of a fleet answers for the others.
package enum ACMEChallenge {
    /// Where authorities look.
    package static let path = "/.well-known/acme-challenge/"

    package static let endpoint = EndpointDescriptor(
        "acme_challenge", at: path, "GET, HEAD", needs: .acme, .precedesRedirect, cost: .document)

    private static let shortestToken = 22
    private static let longestToken = 256

    /// Whether a text is a token of at least 128 bits in base64url (RFC 8555 section 8.3), which is safe in a path.
    static func isToken(_ text: String) -> Bool {
        (shortestToken...longestToken).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == 0x2d || $0 == 0x5f }
    }

    /// The handler.
    /// - Parameter accountKey: that of the account; nil before there is one.
    package static func handlers(_ accountKey: SigningKey?) -> [EndpointDescriptor: EndpointHandler] {
        let thumbprint = accountKey.flatMap { JSONWebKey($0, kid: nil).thumbprint }
        return [
            endpoint: { request, _ in
                .done(
                    request.read {
                        let token = String(request.path.dropFirst(path.utf8.count))
                        guard let thumbprint, isToken(token) else {
                            return .problem(.notFound, "there is no such challenge")
                        }
                        return EndpointResponse(
                            status: 200,
                            headers: [
                                (name: "Content-Type", value: "application/octet-stream"),
                                (name: "Cache-Control", value: "no-store"),
                            ],
                            body: Array("\(token).\(thumbprint)".utf8), reason: .acmeChallenge)
                    })
            }
        ]
    }
}
