import Bytes
import Model

/// How a client presents itself where outside tokens are exchanged (JTX-03 to JTX-06): by its secret, by a token of its
/// own, or by nothing but its name.
package enum ExchangeClient {
    case secret(PresentedSecret)
    /// A token of the `client_credentials` grant, and the `client_id` beside it.
    case token(String, named: String?)
    /// Nothing proves it.
    case name(String)
    /// Its client was named in a field, which is all that the endpoint of single sign-on asks for (SAML-15).
    case client(Client)
    /// No credential, or one of an unknown kind.
    case unrecognised

    /// Refuses malformed requests; `AssertionExchange` authenticates the client.
    init(_ authorization: [String], _ form: TokenForm) throws(TokenFailure) {
        guard form["client_assertion"] == nil, form["client_assertion_type"] == nil else {
            self = try ExchangeClient.token(authorization, form)
            return
        }
        if authorization.isEmpty, form["client_secret"] == nil {
            self = form["client_id"].map(ExchangeClient.name) ?? .unrecognised
            return
        }
        do throws(TokenFailure) {
            // CON-02: at this endpoint the pair is taken behind `Bearer` too, as the documents print it.
            self = .secret(try PresentedSecret(authorization, form, schemes: ["basic ", "bearer "]))
        } catch {
            guard error == .invalidClient else { throw error }
            self = .unrecognised
        }
    }

    private static func token(_ authorization: [String], _ form: TokenForm) throws(TokenFailure) -> ExchangeClient {
        guard authorization.isEmpty, form["client_secret"] == nil else { throw .twoCredentials }
        // X12, X13.
        guard let token = form["client_assertion"], let type = form["client_assertion_type"] else {
            throw .missingParameter
        }
        guard type.isExactly(ClientAssertion.type) else { throw .unknownClientAssertionType }
        return .token(token, named: form["client_id"])
    }
}
