import Bytes
import ClientStore
import HTTP

/// The access token that an agent has got for an application and a webgate.
public struct SSOGrant: Equatable, Sendable {
    public let token: String
    /// The authentication level of the agent's login, if the gateway sends it.
    public let level: Int?
    /// The lifetime of the token in seconds, if the gateway sends it.
    public let seconds: Int64?

    public init(token: String, level: Int? = nil, seconds: Int64? = nil) {
        self.token = token
        self.level = level
        self.seconds = seconds
    }
}

/// Why an agent refuses a request.
public enum SSORefusal: String, Error, Sendable, CaseIterable {
    /// The request is invalid.
    case malformedRequest = "malformed_request"
    /// The agent does not serve the application.
    case unknownApplication = "unknown_application"
    /// The application has another gateway or service domain than the agent, or the resource is on a host that the
    /// agent does not know.
    case wrongGateway = "wrong_gateway"
    /// The agent has no valid login.
    case loginRequired = "login_required"
    /// The gateway refuses a token: the application is not in the circle of trust, or the level is too low.
    case refused
    /// The gateway is unreachable or has failed.
    case unavailable

    var text: String {
        switch self {
        case .malformedRequest: "the agent cannot read the request"
        case .unknownApplication: "the agent does not serve this application"
        case .wrongGateway: "the agent is for another gateway or service domain"
        case .loginRequired: "the agent has no login"
        case .refused: "the gateway gives this application no token"
        case .unavailable: "the agent cannot reach the gateway"
        }
    }

    /// The message for the application.
    var error: ClientError {
        let code: ClientError.Code =
            switch self {
            case .loginRequired: .loginRequired
            case .unavailable: .unavailable
            case .malformedRequest, .unknownApplication, .wrongGateway, .refused: .refused
            }
        return ClientError(code, text)
    }
}

private let mark = "ssoresponse=true&"

/// The URL with the response of an agent to an application (AGT-04). It contains a token: it must only be sent to that
/// application and never be logged.
///
/// - Parameters:
///   - state: the state of the request; empty for an invalid request.
///   - callback: opens the application, as `scheme://host`. It is configured, never taken from the request, which could
///     be forged.
public func completeSSORequest(
    state: String, with outcome: Result<SSOGrant, SSORefusal>, callback: String
) -> String {
    var fields = [(name: "state", value: state)]
    switch outcome {
    case .success(let grant):
        fields.append(("token", grant.token))
        if let level = grant.level { fields.append(("level", "\(level)")) }
        if let seconds = grant.seconds { fields.append(("expires_in", "\(seconds)")) }
    case .failure(let refusal): fields.append(("error", refusal.rawValue))
    }
    return "\(callback)?\(mark)\(FormText.query(fields))"
}

/// Reads the response of an agent.
///
/// - Parameter request: the request.
/// - Throws: the agent's refusal, or `malformedResponse` for a response that does not belong to the request.
public func parseSSOResponse(_ url: String, to request: SSORequest) throws(ClientError) -> SSOGrant {
    guard let fields = SSORequest.fields(of: url, behind: mark) else {
        throw ClientError(.malformedResponse, "the agent's answer is malformed")
    }
    let isAnswer = fields.first("state")?.isExactly(request.state) ?? false
    let foreign = ClientError(.malformedResponse, "the agent's answer is to another request")
    if let error = fields.first("error") {
        let refusal = SSORefusal(rawValue: error) ?? .refused
        // An invalid request has no state to return.
        guard isAnswer || refusal == .malformedRequest else { throw foreign }
        throw refusal.error
    }
    guard isAnswer else { throw foreign }
    guard let token = fields.first("token"), !token.isEmpty else {
        throw ClientError(.malformedResponse, "the agent's answer has no token")
    }
    return SSOGrant(
        token: token, level: fields.first("level").flatMap { Decimal.parse(Array($0.utf8).span) },
        seconds: fields.first("expires_in").flatMap { Decimal.parse(Array($0.utf8).span) }.map(Int64.init))
}
