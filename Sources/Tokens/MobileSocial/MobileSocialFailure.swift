import Bytes
import HTTP
import Identity

/// Why a call of Mobile & Social is refused. Clients see `message` and `oicErrorCode` (oam-wire 3.9), and `code` where
/// that tells them what to do; none of it says which part of a credential was wrong.
package enum MobileSocialFailure: Error, Sendable, CaseIterable {
    case methodNotAllowed
    case unknownService, unknownApplication
    case wrongContentType, malformedBody, malformedQuery, credentialInQuery, unknownVersion
    case malformedAttribute, conflictingAttribute, missingAttribute, unsupportedTokenType
    case deviceProfileTooLong
    /// The client showed no handle, or one that is not its own.
    case missingClientProof, invalidClientProof
    /// Too many proofs of the application, or from the address, were wrong.
    case clientThrottled
    case wrongPassword, loginThrottled
    /// The server that verifies passwords does not let the user in.
    case loginForbidden
    /// That server is down, says nothing that makes sense, does not accept the gateway, or is not to be asked (OMS-12).
    case loginServerDown, loginServerAnswer, loginServerRefused, loginServerSpared
    /// OMS-10.
    case attemptsExceeded
    case invalidUserToken
    /// CHAL-06, CHAL-10: the session was opened at a lower level than the context asks for.
    case levelTooLow
    /// CACHE-11: the user has not logged in by one of the ways that the scheme of the Webgate offers.
    case wrongScheme
    case invalidContext, resourceMismatch
    /// The resource is at none of the gateway's names.
    case foreignResource
    case deviceDenied, deviceWiped
    /// AGT-02.
    case useAgent, notInCircle
    /// RP-01: the domain's users log in at an identity provider.
    case useProvider
    /// RP-02: the one-time code was used before, has ended, or is another application's.
    case invalidCode
    /// OMS-14.
    case wrongAnswer, secondStepMissing
    case storeUnavailable

    init(_ refusal: PasswordLogin.Refusal) {
        switch refusal {
        case .wrongPassword: self = .wrongPassword
        case .throttled: self = .loginThrottled
        }
    }

    init(_ outage: PasswordOutage) {
        switch outage.reason {
        case .unavailable: self = .loginServerDown
        case .invalidAnswer: self = .loginServerAnswer
        case .misconfigured: self = .loginServerRefused
        }
    }

    package struct Definition: Sendable {
        package let status: Int
        package let message: String
        package let errorCode: String
        /// Stable code for the log, and `code` of the reply but for a 401.
        package let reason: StaticString

        init(_ status: Int, _ message: String, _ errorCode: String, _ reason: StaticString) {
            self.status = status
            self.message = message
            self.errorCode = errorCode
            self.reason = reason
        }
    }

    /// Failed authentication, as the clients in the field know it.
    private static let authentication = "IDAAS-62001"
    private static let noService = "IDAAS-00006"
    private static let badJSON = "IDAAS-00009"
    /// Below the range of Oracle's codes, which begins at 00001: theirs for these cases are not known.
    private static let other = "IDAAS-00000"

    package var definition: Definition {
        let (failed, badJSON, other) = (Self.authentication, Self.badJSON, Self.other)
        return switch self {
        case .methodNotAllowed: Definition(405, "Method not allowed", other, "method_not_allowed")
        case .unknownService: Definition(404, "No such service", Self.noService, "oic_unknown_service")
        case .unknownApplication: Definition(404, "No such application", Self.noService, "oic_unknown_application")
        case .wrongContentType: Definition(415, "Use application/json", badJSON, "oic_wrong_content_type")
        case .malformedBody: Definition(400, "Invalid JSON payload", badJSON, "oic_malformed_body")
        case .malformedQuery: Definition(400, "Malformed query", other, "oic_malformed_query")
        case .credentialInQuery:
            Definition(400, "Credentials belong into the body", other, "oic_credential_in_query")
        case .unknownVersion: Definition(400, "Unknown version", other, "oic_unknown_version")
        case .malformedAttribute: Definition(400, "Invalid attribute", other, "oic_malformed_attribute")
        case .conflictingAttribute: Definition(400, "Ambiguous attribute", other, "oic_conflicting_attribute")
        case .missingAttribute: Definition(400, "Missing attribute", other, "oic_missing_attribute")
        case .unsupportedTokenType: Definition(400, "Unsupported token type", other, "oic_unsupported_token_type")
        case .deviceProfileTooLong:
            Definition(400, "Device profile is too long", other, "oic_device_profile_too_long")
        case .missingClientProof: Definition(401, "Authentication failed", failed, "oic_client_proof_missing")
        case .invalidClientProof: Definition(401, "Authentication failed", failed, "oic_client_proof_invalid")
        case .clientThrottled: Definition(429, "Too many attempts", other, "client_throttled")
        case .wrongPassword: Definition(401, "Authentication failed", failed, "oic_wrong_password")
        case .loginThrottled: Definition(429, "Too many attempts", other, "login_throttled")
        case .loginForbidden: Definition(403, "Login not allowed", other, "login_forbidden")
        case .loginServerDown: Definition(503, "Try again later", other, "login_server_unavailable")
        case .loginServerAnswer: Definition(502, "Try again later", other, "login_server_invalid_answer")
        case .loginServerRefused: Definition(502, "Try again later", other, "login_server_misconfigured")
        case .loginServerSpared: Definition(503, "Try again later", other, "login_server_not_asked")
        case .attemptsExceeded: Definition(403, "Too many login attempts", other, "login_attempts_exceeded")
        case .invalidUserToken: Definition(401, "Token validation failed", failed, "oic_user_token_invalid")
        // oam-wire 3.9: a token that is not acceptable is a 401; CHAL-10 has 403 for its own names.
        case .levelTooLow: Definition(401, "Token validation failed", failed, "oic_level_too_low")
        case .wrongScheme: Definition(401, "Token validation failed", failed, "oic_scheme_wrong")
        case .invalidContext: Definition(400, "Invalid application context", other, "oic_context_invalid")
        case .resourceMismatch:
            Definition(400, "Resource does not match the context", other, "oic_resource_mismatch")
        case .foreignResource:
            Definition(400, "Resource is not at a name of this gateway", other, "oic_resource_foreign")
        case .deviceDenied: Definition(403, "Device not allowed", other, "device_denied")
        case .deviceWiped: Definition(403, "Device is to be wiped", other, "device_wipe")
        case .useAgent: Definition(403, "Use the single sign-on agent", other, "use_sso_agent")
        case .notInCircle: Definition(403, "Application is not registered", other, "not_in_circle_of_trust")
        case .useProvider: Definition(403, "Log in at the identity provider", other, "use_identity_provider")
        case .invalidCode: Definition(400, "Invalid code", other, "oic_code_invalid")
        case .wrongAnswer: Definition(401, "Authentication failed", failed, "oic_wrong_answer")
        case .secondStepMissing:
            Definition(403, "No second step is set up for the user", other, "second_step_missing")
        case .storeUnavailable: Definition(503, "Try again later", other, "store_unavailable")
        }
    }

    /// The reply; never with a challenge, which would send clients into a loop (oam-wire 8.1, rule 7).
    package var response: EndpointResponse { response() }

    /// - Parameter more: writes further members.
    /// - Parameter retryAfter: seconds, where they are known better than here.
    func response(
        status: Int? = nil, retryAfter: Int? = nil, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> EndpointResponse {
        let definition = definition
        let status = status ?? definition.status
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", definition.message)
        writer.member("oicErrorCode", definition.errorCode)
        if status != 401 { writer.member("code", "\(definition.reason)") }
        if self == .deviceWiped { writer.member("action", "wipe") }  // OMS-16
        more(&writer)
        writer.endObject()
        var response = EndpointResponse.mobile(status: status, writer.bytes, reason: definition.reason)
        if let seconds = retryAfter ?? retryAfterSeconds {
            response.headers.append((name: "Retry-After", value: String(seconds)))
        }
        return response
    }

    private var retryAfterSeconds: Int? {
        switch self {
        case .loginThrottled, .clientThrottled: 30
        case .storeUnavailable, .loginServerDown, .loginServerAnswer: 1
        case .loginServerSpared: 60
        default: nil
        }
    }
}

extension EndpointResponse {
    /// A reply of Mobile & Social. Nobody keeps it (oam-wire 8.1, rule 8).
    static func mobile(status: Int = 200, _ body: [UInt8], reason: StaticString) -> EndpointResponse {
        var response = personal(body, reason: reason)
        response.status = status
        return response
    }
}

extension Effect where Value == EndpointResponse {
    /// The answer of a refusal.
    static func deny(_ failure: MobileSocialFailure) -> Effect { .done(failure.response) }
}
