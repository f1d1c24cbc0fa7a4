import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// The device authorization endpoint (RFC 8628 section 3.1).
struct DeviceAuthorization: Sendable {
    let service: TokenService

    private var settings: TokenServiceSettings { service.settings }

    func begin(
        _ request: EndpointRequest, _ clients: ClientAuthentication, now: Int64
    ) throws(TokenFailure) -> Effect<EndpointResponse> {
        guard request.method == .post else { throw .methodNotAllowed }
        let form = try TokenForm(request)
        let proof = try clients.authenticate(request, form, allowsPublic: true, now: now)
        let client = proof.client
        guard client.grants.allowsDevices else { throw .grantNotAllowed }
        // Any program can get a secret by registering, so it does not exempt from the limit.
        if client.grants.isPublic || client.isRegistered {
            let network = request.address?.subscriberBytes ?? []
            guard settings.deviceBeginThrottle.count(network: network, now: now) == nil else { throw .loginThrottled }
        }
        let scope = try deviceScope(form, client)
        let resources = try settings.resources.known(form.resources, to: client)
        return service.admitted(proof, now: now) { () throws(TokenFailure) in
            DeviceLogins(settings).begin(for: client, scope: scope, resources, now: now).map { codes in
                guard let codes else { return TokenFailure.storeUnavailable.response }
                return reply(codes).audited("device", .granted, client: client.reference)
            }
        }
    }

    /// The scopes that the user is asked about.
    private func deviceScope(_ form: TokenForm, _ client: Client) throws(TokenFailure) -> String {
        guard let requested = form["scope"] else { return "" }
        guard requested.utf8.count <= 1024 else { throw .invalidScope }
        return try GrantedScope.grantable(requested, settings.scopes(of: client)).joined(separator: " ")
    }

    /// Section 3.2.
    private func reply(_ codes: DeviceLogins.Codes) -> EndpointResponse {
        let address = settings.baseURL + settings.paths[.device]
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("device_code", codes.device)
        writer.member("user_code", codes.user.shown)
        writer.member("verification_uri", address)
        writer.member("verification_uri_complete", "\(address)?user_code=\(codes.user.shown)")
        writer.member("expires_in", DeviceLogins.lifetimeSeconds)
        writer.member("interval", DeviceLogins.intervalSeconds)
        writer.endObject()
        return .token(status: 200, body: writer.bytes, reason: .deviceCodesIssued)
    }
}
