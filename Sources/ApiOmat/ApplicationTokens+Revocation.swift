import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound
import TokenStorage

/// Revocation by the holder of a token (AOM-21, AOM-22).
extension ApplicationTokens {
    /// The pair of the presented token, or everything that its holder has in the application. A token without `write`
    /// ends itself, and not the others. Nobody is locked out: logging in gives new tokens (AOM-24).
    package func revoke(_ request: EndpointRequest, everything: Bool, now: Int64) -> Effect<EndpointResponse> {
        // CON-12: ApiOmat's clients use both.
        guard request.method == .get || request.method == .post else {
            return .done(.methodNotAllowed("GET, POST"))
        }
        return bearer(request, now: now) { [self] record, application in
            guard !everything || ApplicationScope(recorded: record.scope).canWrite else {
                return .refuse(.insufficientScope)
            }
            let selector: TokenSelector =
                everything ? .subject(application: application.name, subject: record.subject) : .id(record.id)
            return ask(.revoke(selector), now: now) { answer in
                guard case .success = answer else { return .refuse(.storeUnavailable) }
                var response = EndpointResponse.personal(Array("{}".utf8), reason: .revoked)
                response.audit = AuditEntry(
                    action: everything ? "revoke.all" : "revoke", outcome: .changed, subject: record.subject,
                    client: application.name, tokenID: everything ? "" : record.tokenID)
                return .done(response)
            }
        }
    }

    /// The living record of the request's bearer token, with its application, whose key the request has (AOM-16).
    func bearer(
        _ request: EndpointRequest, now: Int64,
        _ next: @escaping @Sendable (TokenRecord, Application) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        guard request.authorization.count == 1, let token = ApplicationTokens.bearerToken(request.authorization[0])
        else { return .refuse(.missingCredential) }
        guard let key = request.field("x-apiomat-apikey") else { return .refuse(.missingKey) }
        return ask(.find(.access(settings.key.digest(token.span))), now: now) { [self] answer in
            guard case .success(.record(let found)) = answer else { return .refuse(.storeUnavailable) }
            guard let record = found, record.kind == .pair, record.accessLives(at: now),
                let application = settings.applications.application(named: record.application),
                isStillWelcome(record, application)
            else { return .refuse(.invalidToken) }
            guard application.hasKey(Array(key.utf8).span) else { return .refuse(.mismatch) }
            return next(record, application)
        }
    }

    /// What follows `Bearer `.
    static func bearerToken(_ field: String) -> [UInt8]? {
        let field = Array(field.utf8)
        guard let (name, rest) = Credentials.split(field.span), !rest.isEmpty,
            field[name.range].map(ASCII.lowercased) == Array("bearer".utf8)
        else { return nil }
        return Array(field[rest.range])
    }
}
