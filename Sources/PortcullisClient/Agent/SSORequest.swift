import Bytes
import ClientStore
import HTTP

/// A request to the agent of a circle of trust for a token of a webgate (AGT-04).
///
/// Encoded as a URL, which can be opened or sent as a line:
/// `SCHEME://HOST?ssorequest=true&application=A&serviceDomain=D&gateway=ORIGIN&resource=URL&context=C&state=S`.
public struct SSORequest: Equatable, Sendable {
    /// Maximum length of the URL of a request or response in bytes.
    public static let longest = 16 * 1024
    private static let mark = "ssorequest=true&"
    private static let names = ["application", "serviceDomain", "gateway", "resource", "context", "state"]

    /// Name of the requesting application in the service domain.
    public let application: String
    public let serviceDomain: String
    /// Scheme, host and port of the gateway that the application trusts.
    public let gateway: String
    /// The URL that was challenged.
    public let resource: String
    /// `request-ctx` of the challenge, verbatim.
    public let context: String
    /// Unguessable value that ties the response to the request.
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

    /// The URL of the request.
    ///
    /// - Parameter agent: opens the agent, as `scheme://host`.
    public func url(to agent: String) -> String {
        let values = [application, serviceDomain, gateway, resource, context, state]
        return "\(agent)?\(SSORequest.mark)\(FormText.query(Array(zip(SSORequest.names, values))))"
    }

    /// The unique fields of a URL whose query begins with a marker; nil for another URL.
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

/// Whether a URL is a request to an agent, valid or not: its query begins with `ssorequest=true&`.
public func isSSORequest(_ url: String) -> Bool { SSORequest.isMarked(url) }

/// Reads a request to an agent.
///
/// - Throws: `invalidRequest` if a field is missing, empty, repeated or too long.
public func parseSSORequest(_ url: String) throws(ClientError) -> SSORequest {
    guard let request = SSORequest(url) else {
        throw ClientError(.invalidRequest, "the URL is no request to an agent for single sign-on")
    }
    return request
}
