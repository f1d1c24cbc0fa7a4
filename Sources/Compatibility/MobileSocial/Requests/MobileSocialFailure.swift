import Bytes
import Endpoints
import HTTP
import Identity
import LoginPages
import Model
import OAuthServer

/// Refusals of Mobile & Social. Clients see `message` and `oicErrorCode` (oam-wire 3.9) and, except for a 401, `code`.
/// None of them reveals which part of a credential was wrong.
package enum MobileSocialFailure: EndpointFailure, CaseIterable {
    /// The method is not one of those that `fields` name.
    case notGET, notPOST, neitherGETNorPOST
    case unknownService, unknownApplication
    case wrongContentType, malformedBody, malformedQuery, credentialInQuery, unknownVersion
    case malformedAttribute, conflictingAttribute, missingAttribute, unsupportedTokenType
    case deviceProfileTooLong
    /// The client presented no handle, or an invalid one.
    case missingClientProof, invalidClientProof
    /// Too many secrets of the application, or from the address, were wrong.
    case clientThrottled
    case wrongPassword, loginThrottled
    /// The server that verifies passwords refuses the user.
    case loginForbidden
    /// That server is down, answers incorrectly, does not accept the gateway, or must not be asked (OMS-12).
    case loginServerDown, loginServerAnswer, loginServerRefused, loginServerSpared
    /// OMS-10.
    case attemptsExceeded
    case invalidUserToken
    /// CHAL-06, CHAL-10: the context requires a higher level than the session's.
    case levelTooLow
    /// CACHE-11: the scheme of the Webgate does not accept the login class.
    case wrongScheme
    case invalidContext, resourceMismatch
    /// The resource is not at an origin of the gateway.
    case foreignResource
    case deviceDenied, deviceWiped
    /// AGT-02.
    case useAgent, notInCircle
    /// RP-01: the domain's users log in at an identity provider.
    case useProvider
    /// RP-02: the one-time code was used before, has expired, or is for another application.
    case invalidCode
    /// OMS-14.
    case wrongAnswer, secondStepMissing
    /// AGT-06: the user token came in the clear, or from a page.
    case insecure, foreignPage
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

    /// Failed authentication, as existing clients know it.
    private static let authentication = "IDAAS-62001"
    private static let noService = "IDAAS-00006"
    private static let badJSON = "IDAAS-00009"
    /// Below the range of Oracle's codes, which are not known for these cases.
    private static let other = "IDAAS-00000"

    private var definition: (message: String, errorCode: String, reason: Reason) {
        let (failed, badJSON, other) = (Self.authentication, Self.badJSON, Self.other)
        return switch self {
        case .notGET, .notPOST, .neitherGETNorPOST: ("Method not allowed", other, .methodNotAllowed)
        case .unknownService: ("No such service", Self.noService, .oicUnknownService)
        case .unknownApplication: ("No such application", Self.noService, .oicUnknownApplication)
        case .wrongContentType: ("Use application/json", badJSON, .oicWrongContentType)
        case .malformedBody: ("Invalid JSON payload", badJSON, .oicMalformedBody)
        case .malformedQuery: ("Malformed query", other, .oicMalformedQuery)
        case .credentialInQuery: ("Credentials belong into the body", other, .oicCredentialInQuery)
        case .unknownVersion: ("Unknown version", other, .oicUnknownVersion)
        case .malformedAttribute: ("Invalid attribute", other, .oicMalformedAttribute)
        case .conflictingAttribute: ("Ambiguous attribute", other, .oicConflictingAttribute)
        case .missingAttribute: ("Missing attribute", other, .oicMissingAttribute)
        case .unsupportedTokenType: ("Unsupported token type", other, .oicUnsupportedTokenType)
        case .deviceProfileTooLong: ("Device profile is too long", other, .oicDeviceProfileTooLong)
        case .missingClientProof: ("Authentication failed", failed, .oicClientProofMissing)
        case .invalidClientProof: ("Authentication failed", failed, .oicClientProofInvalid)
        case .clientThrottled: ("Too many attempts", other, .clientThrottled)
        case .wrongPassword: ("Authentication failed", failed, .oicWrongPassword)
        case .loginThrottled: ("Too many attempts", other, .loginThrottled)
        case .loginForbidden: ("Login not allowed", other, .loginForbidden)
        case .loginServerDown: ("Try again later", other, .loginServerUnavailable)
        case .loginServerAnswer: ("Try again later", other, .loginServerInvalidAnswer)
        case .loginServerRefused: ("Try again later", other, .loginServerMisconfigured)
        case .loginServerSpared: ("Try again later", other, .loginServerNotAsked)
        case .attemptsExceeded: ("Too many login attempts", other, .loginAttemptsExceeded)
        case .invalidUserToken: ("Token validation failed", failed, .oicUserTokenInvalid)
        // oam-wire 3.9: 401 for an unacceptable token; CHAL-10 has 403 for the short names.
        case .levelTooLow: ("Token validation failed", failed, .oicLevelTooLow)
        case .wrongScheme: ("Token validation failed", failed, .oicSchemeWrong)
        case .invalidContext: ("Invalid application context", other, .oicContextInvalid)
        case .resourceMismatch: ("Resource does not match the context", other, .oicResourceMismatch)
        case .foreignResource: ("Resource is not at a name of this gateway", other, .oicResourceForeign)
        case .deviceDenied: ("Device not allowed", other, .deviceDenied)
        case .deviceWiped: ("Device is to be wiped", other, .deviceWipe)
        case .useAgent: ("Use the single sign-on agent", other, .useSSOAgent)
        case .notInCircle: ("Application is not registered", other, .notInCircleOfTrust)
        case .useProvider: ("Log in at the identity provider", other, .useIdentityProvider)
        case .invalidCode: ("Invalid code", other, .oicCodeInvalid)
        case .wrongAnswer: ("Authentication failed", failed, .oicWrongAnswer)
        case .secondStepMissing: ("No second step is set up for the user", other, .secondStepMissing)
        case .insecure: ("Use https", other, .tlsRequired)
        case .foreignPage: ("Not from a page", other, .crossSiteRequest)
        case .storeUnavailable: ("Try again later", other, .storeUnavailable)
        }
    }

    package var reason: Reason { definition.reason }
    package var detail: String { definition.message }

    package var fields: [(name: String, value: String)] {
        switch self {
        case .notGET: [(name: "Allow", value: "GET, HEAD")]
        case .notPOST: [(name: "Allow", value: "POST")]
        case .neitherGETNorPOST: [(name: "Allow", value: "GET, POST")]
        default: []
        }
    }

    /// Without a challenge, which would send clients into a loop.
    package var shape: EndpointResponse { shape(status: status) }

    /// - Parameters:
    ///   - retryAfter: seconds; nil for the default of the reason.
    ///   - more: writes further members.
    func response(
        status: Int? = nil, retryAfter: Int? = nil, _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> EndpointResponse {
        completed(shape(status: status ?? self.status, more), retryAfter: retryAfter)
    }

    /// A refusal with its audit entry.
    /// - Parameters:
    ///   - action: after `oic.` in the log.
    ///   - client: name of the application.
    func refusal(
        _ action: StaticString, _ client: String, subject: String = "", retryAfter: Int? = nil
    ) -> EndpointResponse {
        response(retryAfter: retryAfter).audited("oic.\(action)", .refused, subject: subject, client: client)
    }

    private func shape(status: Int, _ more: (inout JSONWriter) -> Void = { _ in }) -> EndpointResponse {
        .mobile(status: status, reason: reason) { writer in
            writer.member("message", detail)
            writer.member("oicErrorCode", definition.errorCode)
            if status != 401 { writer.member("code", reason.code) }
            if self == .deviceWiped { writer.member("action", "wipe") }
            more(&writer)
        }
    }
}
