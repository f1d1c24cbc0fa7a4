import Bytes
import Endpoints
import JOSE
import Model
import Outbound
import TokenStorage

/// The exchange of a device code for tokens, which the device asks for until its user has decided (RFC 8628 section 3.4).
struct DeviceRedemption: Sendable {
    /// In the audit log.
    static let action = "device_code"

    private let service: TokenService
    private let client: Client
    private let digest: [UInt8]
    private let redemption: CodeRedemption
    private let now: Int64

    /// - Parameter binding: what the tokens are bound to; nil for bearer tokens.
    init(
        _ service: TokenService, _ form: TokenForm, _ client: Client, _ binding: TokenBinding?, now: Int64
    ) throws(TokenFailure) {
        guard client.grants.allowsDevices else {
            // Without such clients the server does not know the grant.
            throw service.settings.hasDevices ? .grantNotAllowed : .unsupportedGrantType
        }
        guard let code = form["device_code"] else { throw .missingParameter }
        self.service = service
        self.client = client
        digest = service.settings.storeKey.digest(code)
        redemption = CodeRedemption(
            service, digest: digest, client, binding, resources: form.resources, action: DeviceRedemption.action,
            now: now)
        self.now = now
    }

    func run() -> Effect<EndpointResponse> {
        service.ask(.find(.refresh(digest)), now: now) { answer in
            // A second exchange ends the tokens of the first, like that of an authorization code.
            guard case .record(let record?) = answer else { return redemption.refuseUsed() }
            guard record.kind == .device, record.application.isExactly(client.id) else {
                return .done(TokenFailure.invalidDeviceCode.response)
            }
            guard record.accessLives(at: now) else { return .done(TokenFailure.expiredDeviceCode.response) }
            if DeviceLogins.isPending(record) { return wait(record) }
            if DeviceLogins.isDenied(record) { return .done(TokenFailure.deviceDenied.response) }
            guard let login = AuthorizationCode(record.attributes) else {
                return .done(TokenFailure.invalidDeviceCode.response)
            }
            return redemption.exchange(login, of: record)
        }
    }

    private func wait(_ record: TokenRecord) -> Effect<EndpointResponse> {
        DeviceLogins(service.settings).isPatient(record, now: now).map { isPatient in
            switch isPatient {
            case true?: TokenFailure.devicePending.response
            case false?: TokenFailure.devicePolledTooSoon.response
            case nil: TokenFailure.storeUnavailable.response
            }
        }
    }
}
