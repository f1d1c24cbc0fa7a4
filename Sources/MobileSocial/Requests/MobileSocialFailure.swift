import Bytes
import Endpoints
import HTTP
import Identity
import Model
import Outbound

/// Why a call of Mobile & Social is refused. Clients see `message` and `oicErrorCode` (oam-wire 3.9), and `code` where
/// that tells them what to do; none of it says which part of a credential was wrong.
package enum MobileSocialFailure: EndpointFailure, CaseIterable {
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
        package let message: String
        package let errorCode: String
        /// Stable code for the log, and `code` of the reply but for a 401.
        package let reason: Reason

        init(_ message: String, _ errorCode: String, _ reason: Reason) {
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
        case .methodNotAllowed: Definition("Method not allowed", other, .methodNotAllowed)
        case .unknownService: Definition("No such service", Self.noService, .oicUnknownService)
        case .unknownApplication: Definition("No such application", Self.noService, .oicUnknownApplication)
        case .wrongContentType: Definition("Use application/json", badJSON, .oicWrongContentType)
        case .malformedBody: Definition("Invalid JSON payload", badJSON, .oicMalformedBody)
        case .malformedQuery: Definition("Malformed query", other, .oicMalformedQuery)
        case .credentialInQuery:
            Definition("Credentials belong into the body", other, .oicCredentialInQuery)
        case .unknownVersion: Definition("Unknown version", other, .oicUnknownVersion)
        case .malformedAttribute: Definition("Invalid attribute", other, .oicMalformedAttribute)
        case .conflictingAttribute: Definition("Ambiguous attribute", other, .oicConflictingAttribute)
        case .missingAttribute: Definition("Missing attribute", other, .oicMissingAttribute)
        case .unsupportedTokenType: Definition("Unsupported token type", other, .oicUnsupportedTokenType)
        case .deviceProfileTooLong:
            Definition("Device profile is too long", other, .oicDeviceProfileTooLong)
        case .missingClientProof: Definition("Authentication failed", failed, .oicClientProofMissing)
        case .invalidClientProof: Definition("Authentication failed", failed, .oicClientProofInvalid)
        case .clientThrottled: Definition("Too many attempts", other, .clientThrottled)
        case .wrongPassword: Definition("Authentication failed", failed, .oicWrongPassword)
        case .loginThrottled: Definition("Too many attempts", other, .loginThrottled)
        case .loginForbidden: Definition("Login not allowed", other, .loginForbidden)
        case .loginServerDown: Definition("Try again later", other, .loginServerUnavailable)
        case .loginServerAnswer: Definition("Try again later", other, .loginServerInvalidAnswer)
        case .loginServerRefused: Definition("Try again later", other, .loginServerMisconfigured)
        case .loginServerSpared: Definition("Try again later", other, .loginServerNotAsked)
        case .attemptsExceeded: Definition("Too many login attempts", other, .loginAttemptsExceeded)
        case .invalidUserToken: Definition("Token validation failed", failed, .oicUserTokenInvalid)
        // oam-wire 3.9: a token that is not acceptable is a 401; CHAL-10 has 403 for its own names.
        case .levelTooLow: Definition("Token validation failed", failed, .oicLevelTooLow)
        case .wrongScheme: Definition("Token validation failed", failed, .oicSchemeWrong)
        case .invalidContext: Definition("Invalid application context", other, .oicContextInvalid)
        case .resourceMismatch:
            Definition("Resource does not match the context", other, .oicResourceMismatch)
        case .foreignResource:
            Definition("Resource is not at a name of this gateway", other, .oicResourceForeign)
        case .deviceDenied: Definition("Device not allowed", other, .deviceDenied)
        case .deviceWiped: Definition("Device is to be wiped", other, .deviceWipe)
        case .useAgent: Definition("Use the single sign-on agent", other, .useSSOAgent)
        case .notInCircle: Definition("Application is not registered", other, .notInCircleOfTrust)
        case .useProvider: Definition("Log in at the identity provider", other, .useIdentityProvider)
        case .invalidCode: Definition("Invalid code", other, .oicCodeInvalid)
        case .wrongAnswer: Definition("Authentication failed", failed, .oicWrongAnswer)
        case .secondStepMissing:
            Definition("No second step is set up for the user", other, .secondStepMissing)
        case .storeUnavailable: Definition("Try again later", other, .storeUnavailable)
        }
    }

    package var reason: Reason { definition.reason }
    package var detail: String { definition.message }

    /// Never with a challenge, which would send clients into a loop.
    package var shape: EndpointResponse { shape(status: status) }

    /// - Parameter more: writes further members.
    /// - Parameter retryAfter: seconds, where they are known better than by the reason.
    func response(
        status: Int? = nil, retryAfter: Int? = nil, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> EndpointResponse {
        completed(shape(status: status ?? self.status, more), retryAfter: retryAfter)
    }

    private func shape(status: Int, _ more: (inout JSONWriter) -> Void = { _ in }) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("message", detail)
        writer.member("oicErrorCode", definition.errorCode)
        if status != 401 { writer.member("code", reason.code) }
        if self == .deviceWiped { writer.member("action", "wipe") }
        more(&writer)
        writer.endObject()
        return .mobile(status: status, writer.bytes, reason: reason)
    }
}

extension EndpointResponse {
    /// A reply of Mobile & Social. Nobody keeps it (oam-wire 8.1, rule 8).
    static func mobile(status: Int = 200, _ body: [UInt8], reason: Reason) -> EndpointResponse {
        var response = personal(body, reason: reason)
        response.status = status
        return response
    }
}

extension Effect where Value == EndpointResponse {
    /// The answer of a refusal.
    static func deny(_ failure: MobileSocialFailure) -> Effect { .done(failure.response) }
}
