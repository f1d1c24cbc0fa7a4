import Bytes
import HTTP

/// What an application asks the agent of its circle of trust for: a token for the webgate that has challenged it (AGT-04).
///
/// It travels as a URL, over whatever opens URLs or carries lines:
/// `SCHEME://HOST?ssorequest=true&application=A&serviceDomain=D&gateway=ORIGIN&resource=URL&context=C&state=S`.
public struct SSORequest: Equatable, Sendable {
    /// Longest URL of a request or response that is looked at, in bytes.
    public static let longest = 16 * 1024
    private static let mark = "ssorequest=true&"
    private static let names = ["application", "serviceDomain", "gateway", "resource", "context", "state"]

    /// Name of the application that asks, as the service domain has it.
    public let application: String
    public let serviceDomain: String
    /// Scheme, host and port of the gateway that the application trusts.
    public let gateway: String
    /// The URL that was challenged.
    public let resource: String
    /// `request-ctx` of the challenge, to the letter.
    public let context: String
    /// Ties the response to the request: nobody can guess it.
    public let state: String

    init(
        application: String, serviceDomain: String, gateway: String, resource: String, context: String, state: String
    ) {
        self.application = application
        self.serviceDomain = serviceDomain
        self.gateway = gateway
        self.resource = resource
        self.context = context
        self.state = state
    }

    /// The URL that brings the request to an agent.
    ///
    /// - Parameter agent: what the agent is opened by, as `scheme://host`.
    public func url(to agent: String) -> String {
        let values = [application, serviceDomain, gateway, resource, context, state]
        return "\(agent)?\(SSORequest.mark)\(FormText.query(Array(zip(SSORequest.names, values))))"
    }

    /// The fields of a URL whose query begins with a mark to the letter, each once; nil for another one.
    static func fields(of url: String, behind mark: String) -> FormFields? {
        guard url.utf8.count <= longest, !url.utf8.contains(where: { $0 <= ASCII.space || $0 >= 127 }) else {
            return nil
        }
        let bytes = Array(url.utf8)
        guard let start = bytes.firstIndex(of: UInt8(ascii: "?")), bytes[(start + 1)...].starts(with: mark.utf8),
            !bytes.contains(UInt8(ascii: "#")),
            let fields = try? FormFields.parse(bytes.span.extracting((start + 1)...)), fields.repeatedName == nil
        else { return nil }
        return fields
    }

    fileprivate init?(_ url: String) {
        guard let fields = SSORequest.fields(of: url, behind: SSORequest.mark) else { return nil }
        let values = SSORequest.names.compactMap { fields.first($0) }.filter { !$0.isEmpty }
        guard values.count == SSORequest.names.count else { return nil }
        self.init(
            application: values[0], serviceDomain: values[1], gateway: values[2], resource: values[3],
            context: values[4], state: values[5])
    }

    fileprivate static func isMarked(_ url: String) -> Bool {
        guard let start = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return url.utf8[start...].dropFirst().starts(with: mark.utf8)
    }
}

/// Whether a URL that an application was opened with is a request to an agent: its query begins with `ssorequest=true&`
/// to the letter. It may be a malformed one.
public func isSSORequest(_ url: String) -> Bool { SSORequest.isMarked(url) }

/// Reads a request to an agent.
///
/// - Throws: `invalidRequest` where something is missing, empty, there twice, or too long.
public func parseSSORequest(_ url: String) throws(ClientError) -> SSORequest {
    guard let request = SSORequest(url) else {
        throw ClientError(.invalidRequest, "the URL is no request to an agent for single sign-on")
    }
    return request
}
