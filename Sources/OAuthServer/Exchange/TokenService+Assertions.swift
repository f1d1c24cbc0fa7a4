import Bytes
import Endpoints
import HTTP
import Identity
import JOSE
import Model
import Outbound

extension TokenService {
    /// `POST /mobile/platform/auth/token` (JTX-01 to JTX-12). Errors of the request are reported before any lookup.
    func exchangeAssertion(_ request: EndpointRequest, now: Int64) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request, types: [TokenForm.mediaType, TokenForm.misspeltMediaType])
        guard let grantType = form["grant_type"] else { throw .missingGrantType }
        guard grantType.isExactly(GrantType.jwtBearer.rawValue) else { throw .unsupportedGrantType }
        guard let assertion = form["assertion"] else { throw .missingParameter }
        let client = try ExchangeClient(request.authorization, form)
        guard let sources = settings.assertions else { return .done(AssertionRejection.unknownIssuer.response) }
        let token = Array(assertion.utf8)
        do throws(TokenRejection) {
            let received = try ReceivedToken(token.span)
            return AssertionExchange(
                service: self, sources: sources, client: client, origin: ClientOrigin(request, now: now),
                received: received, token: token, now: now
            ).run()
        } catch {
            let rejection = AssertionRejection(error)
            var response = rejection.response
            response.evidence = sources.currentPolicy.evidence(on: token, for: rejection, nil, now: now)
            return .done(response)
        }
    }

    /// Issuers and users of the exchange, for the command line.
    package var assertions: AssertionSources? { settings.assertions }
    package var users: UserStore { settings.users }
}
