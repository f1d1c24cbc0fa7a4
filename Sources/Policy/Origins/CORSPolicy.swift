import Bytes
import HTTP
import Model

/// Allowed origins, CORS settings and fields. Shared by all routes without settings of their own.
package final class CORSPolicy: Sendable {
    /// Request fields that pages may always set (CORS-06).
    private static let standardHeaders =
        ["Authorization", "Content-Type"] + CallerFields.claims + CallerFields.secrets

    /// The gateway's own base URLs, which are not cross-site (CORS-07, AMB-31).
    private let ownOrigins: [URLPattern]
    /// `Security_AllowOrigin`, or the route's own list.
    let allowed: AllowOriginPolicy
    /// The list on trial; nil for none.
    private let trialOrigin: AllowOriginPolicy?
    let allowHeaders: [[UInt8]]
    /// Methods for pages of other origins; nil for those of the route.
    let methods: MethodSet?
    let allowsPrivateNetwork: Bool
    /// Lines after the value of `Access-Control-Allow-Origin`, beginning with its line end.
    let afterOrigin: [UInt8]
    /// The same on a 401, whose challenge scripts may read (CHAL-09).
    let afterOriginOfChallenge: [UInt8]
    /// The same on a preflight, up to the value of `Access-Control-Allow-Methods`.
    let afterOriginOfPreflight: [UInt8]
    /// Last lines of a preflight.
    let maxAge: [UInt8]

    init(_ settings: CORSSettings, allowed: AllowOriginPolicy, ownOrigins: [WebOrigin]) {
        self.allowed = allowed
        self.ownOrigins = ownOrigins.compactMap { try? URLPattern(Array($0.description.utf8)) }
        trialOrigin = settings.trialOrigin
        allowHeaders = (CORSPolicy.standardHeaders + (settings.allowHeaders ?? [])).map { Array($0.utf8) }
        // CORS-07: never with a wildcard, and only if configured.
        let credentials = settings.allowCredentials == true ? "Access-Control-Allow-Credentials: true\r\n" : ""
        func tail(_ exposed: [String]) -> [UInt8] {
            let line = exposed.isEmpty ? "" : "Access-Control-Expose-Headers: \(exposed.joined(separator: ", "))\r\n"
            return Array("\r\n\(credentials)\(line)".utf8)
        }
        let exposed = settings.exposeHeaders ?? []
        afterOrigin = tail(exposed)
        afterOriginOfChallenge = tail(["WWW-Authenticate"] + exposed.filter { $0 != "WWW-Authenticate" })
        afterOriginOfPreflight = Array("\r\n\(credentials)Access-Control-Allow-Methods: ".utf8)
        methods = settings.allowMethods.map { MethodSet($0) }
        allowsPrivateNetwork = settings.allowPrivateNetwork ?? false
        maxAge = Array("Access-Control-Max-Age: \(max(0, settings.maxAgeSeconds ?? 600))\r\n".utf8)
    }

    /// Whether the request is a preflight (CORS-06).
    static func isPreflight(_ head: RequestHead, _ headers: HeaderTable) -> Bool {
        head.method == .options && headers.occurrences(.origin) > 0
            && headers.occurrences(.accessControlRequestMethod) > 0
    }

    /// The verdict on a request. Allocates nothing.
    ///
    /// The gateway's own origins are treated like allowed ones: a page of one base URL that calls another is cross-site
    /// for its browser, which requires the fields.
    ///
    /// - Parameter bytes: the buffer of `head` and `headers`.
    func screen(bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable) -> OriginVerdict {
        guard let field = headers.value(.origin) else { return .notCrossSite }
        guard headers.occurrences(.origin) == 1 else { return .malformed }
        let isPreflight = CORSPolicy.isPreflight(head, headers)
        if isPreflight,
            headers.occurrences(.accessControlRequestMethod) > 1
                || headers.value(.accessControlRequestMethod)?.isEmpty == true
        {
            return .malformed
        }
        let origin = bytes.slice(field)
        guard allows(origin, by: allowed) else { return .refused }
        if isPreflight { return .preflight }
        // Browsers ask before they use most methods, but not before all.
        if let methods, !methods.contains(head.method, bytes.slice(head.methodText)), !isOwn(origin) { return .refused }
        return .allowed
    }

    /// Whether pages of this origin may call.
    private func allows(_ origin: Span<UInt8>, by list: AllowOriginPolicy) -> Bool {
        guard let parts = try? SerializedOrigin(origin) else { return false }
        return isOwn(parts, of: origin) || list.allows(parts, of: origin)
    }

    /// Whether the list on trial would refuse pages of the origin of an allowed request.
    func refusesOnTrial(_ headers: HeaderTable, _ bytes: Span<UInt8>) -> Bool {
        guard let trialOrigin, let field = headers.value(.origin) else { return false }
        return !allows(bytes.slice(field), by: trialOrigin)
    }

    /// Whether this origin is one of the gateway's.
    func isOwn(_ origin: Span<UInt8>) -> Bool {
        guard let parts = try? SerializedOrigin(origin) else { return false }
        return isOwn(parts, of: origin)
    }

    private func isOwn(_ origin: SerializedOrigin, of text: Span<UInt8>) -> Bool {
        for i in ownOrigins.indices where ownOrigins[i].matches(origin, of: text) { return true }
        return false
    }
}
