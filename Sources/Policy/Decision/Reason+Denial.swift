import HTTP
import Identity
import Model

/// What a client sees of a denial by policy.
extension Reason {
    /// The `title` member of the body: the standard reason phrase, also where HTTP/1 says otherwise (CON-26).
    package var title: String { "\(StatusReason.text(status))" }

    /// The `detail` member of the body.
    package var detail: String { Reason.details[self] ?? "invalid or missing token" }

    private static let details: [Reason: String] = [
        .noRoute: "no such resource",
        .methodNotAllowed: "the resource does not have this method",
        .ambiguousPath: "the path is ambiguous",
        .corsDenied: "cross-site requests from this origin are not allowed",
        .corsMalformed: "malformed cross-site request",
        .tlsRequired: "this endpoint wants TLS",
        .clientCertificateRequired: "a client certificate is required",
        .clientCertificateNotAllowed: "the client certificate is not for this resource",
        .clientCertificateRevoked: "the client certificate is revoked",
        .clientCertificateInvalid: "the client certificate is not valid",
        .clientCertificateMalformed: "the field with the client certificate is malformed",
        .duplicateCredential: "more than one credential",
        .keyBesideCredential: "an API key beside another credential, which this resource does not take together",
        .backendMismatch: "the backend id does not belong to the credential",
        .clientNotAllowed: "the credential is not for this resource",
        .applicationMismatch: "token or API key are not for this resource",
        .crossSiteRequest: "the request does not come from a page of this site",
        .insufficientScope: "the token is for reading only",
        .loginThrottled: "too many attempts",
        .keysUnavailable: "the issuer of the token does not answer",
        .roleRequired: "a required role is missing",
        .addressNotAllowed: "requests from this address are not allowed",
        .scopeRequired: "a required scope is missing",
        .claimRequired: "a required claim is missing",
        .policyDenied: "the request is not allowed",
        .policyHidden: "no such resource",
        .toolNotAllowed: "no rule allows it",
        .messageInvalid: "the body is no JSON-RPC message",
        .messageFieldsDiffer: "Mcp-Method or Mcp-Name differ from the body",
        .policyInputInvalid: "the request can be read in two ways",
        .forwardAuthMalformed: "a field imitates one that the upstream gets",
        .forwardAuthUnsupported: "only the gateway itself can serve this request",
        .identityProviderUnavailable: "try again later",
        .storeUnavailable: "try again later",
        .introspectionUnavailable: "try again later",
        .policyUnavailable: "try again later",
    ]

    /// The `error_description` where the token is good, and one of a stronger or newer login is needed (RFC 9470
    /// section 3); nil for other reasons.
    var neededLogin: StaticString? {
        switch self {
        case .authenticationTooWeak: "another way to log in is required"
        case .authenticationTooOld: "a more recent login is required"
        default: nil
        }
    }

    /// The JSON body in UTF-8. Those of usual refusals are rendered once for the whole run.
    package var body: [UInt8] { status == 401 ? Reason.unauthorized : Reason.bodies[self] ?? rendered }

    private static let unauthorized = Reason.missingCredential.rendered
    private static let bodies = Dictionary(uniqueKeysWithValues: details.keys.map { ($0, $0.rendered) })

    private var rendered: [UInt8] {
        Array(#"{"status":\#(status),"title":"\#(title)","detail":"\#(detail)","code":"\#(publicCode)"}"#.utf8)
    }
}
