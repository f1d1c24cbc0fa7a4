import Bytes
import HTTP

/// What an agent has got for an application: an access token for the webgate that has challenged it.
public struct SSOGrant: Equatable, Sendable {
    public let token: String
    /// The authentication level of the agent's login; nil where the gateway did not say.
    public let level: Int?
    /// How long the token lives, in seconds; nil where the gateway did not say.
    public let seconds: Int64?

    public init(token: String, level: Int? = nil, seconds: Int64? = nil) {
        self.token = token
        self.level = level
        self.seconds = seconds
    }
}

/// Why an agent has nothing for an application.
public enum SSORefusal: String, Error, Sendable, CaseIterable {
    /// It is no request.
    case malformedRequest = "malformed_request"
    /// The agent does not serve the application.
    case unknownApplication = "unknown_application"
    /// The application trusts another gateway or belongs to another service domain than the agent, or what was challenged
    /// is on a host of which the agent does not know.
    case wrongGateway = "wrong_gateway"
    /// Nobody is logged in at the agent, or not any more.
    case loginRequired = "login_required"
    /// The gateway gives the application no token: it is not in the circle of trust, or the level is too low.
    case refused
    /// The gateway cannot be reached, or has failed.
    case unavailable

    var text: String {
        switch self {
        case .malformedRequest: "the agent cannot read the request"
        case .unknownApplication: "the agent does not serve this application"
        case .wrongGateway: "the agent is for another gateway or service domain"
        case .loginRequired: "nobody is logged in at the agent"
        case .refused: "the gateway gives this application no token"
        case .unavailable: "the agent cannot reach the gateway"
        }
    }

    /// What the application gets to know.
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

/// The URL that brings the answer of an agent to the application that has asked (AGT-04). It holds a token: it goes to
/// that application alone, and into no log.
///
/// - Parameters:
///   - state: that of the request; empty where it could not be read.
///   - callback: what the application is opened by, as `scheme://host`. The agent has it from whoever has set it up, and
///     never from the request: anybody could ask in another's name.
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

/// Takes the answer of an agent.
///
/// - Parameter request: what was asked.
/// - Throws: why the agent has nothing; `malformedResponse` for what is no answer to the request.
public func parseSSOResponse(_ url: String, to request: SSORequest) throws(ClientError) -> SSOGrant {
    guard let fields = SSORequest.fields(of: url, behind: mark) else {
        throw ClientError(.malformedResponse, "the agent's answer is none")
    }
    let isAnswer = fields.first("state")?.utf8.elementsEqual(request.state.utf8) ?? false
    let foreign = ClientError(.malformedResponse, "the agent's answer is to another request")
    if let error = fields.first("error") {
        let refusal = SSORefusal(rawValue: error) ?? .refused
        // What could not be read has no state that could be told.
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
