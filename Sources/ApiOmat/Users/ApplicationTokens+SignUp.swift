import Crypto
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Users that a client makes, where the application allows it (AOM-26).
extension ApplicationTokens {
    /// `POST` to the class.
    func signUp(_ request: EndpointRequest, _ application: Application) -> Effect<EndpointResponse> {
        guard request.method == .post else { return .done(.methodNotAllowed("POST")) }
        guard application.allowSignUp, let registry = settings.registry else {
            return .refuse(.signUpDisabled)
        }
        guard request.hasJSONBody else { return .refuse(.unsupportedMediaType) }
        let wanted: NewUser
        do throws(UserObjectChange.Refusal) {
            wanted = try NewUser(request.body, application.userClass)
        } catch {
            return .done(.invalidObject(error.expected))
        }
        guard !application.isAdministrator(wanted.name),
            settings.users.user(named: wanted.name, realm: application.realm) == nil
        else { return .refuse(.nameTaken) }
        let (hasher, origin) = (settings.hasher, request.origin(application))
        return .hash { [self] in
            guard let hash = try? hasher.make(Array(wanted.password.utf8).span) else {
                return .done(.invalidObject("\"password\" cannot be stored"))
            }
            let user = User(username: wanted.name, realm: application.realm, passwordHash: hash)
            return .answer(of: { registry.perform(.add(user), from: origin, then: $0) }) { [self] outcome in
                .done(outcome.failure?.response ?? created(user, application))
            }
        }
    }

    private func created(_ user: User, _ application: Application) -> EndpointResponse {
        var response = EndpointResponse.personal(json(of: user, application), reason: .userCreated)
        response.status = 201
        let path =
            "\(ApplicationEndpoints.userObjectsPath)\(application.name)/models/\(application.userClass.module)/"
            + "\(application.userClass.name)/\(PathSegment.encode(user.username))"
        response.headers.append((name: "Location", value: path))
        response.audit = AuditEntry(
            action: "user.create", outcome: .changed, subject: user.username, client: application.name)
        return response
    }
}
