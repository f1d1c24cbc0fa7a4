import Bytes
import HTTP
import Identity
import Model

/// A request for one of the gateway's own endpoints, with its body whole.
package struct EndpointRequest: Sendable {
    package var method: Method
    /// The canonical path.
    package var path: String
    /// What follows the question mark; empty for none.
    package var query: [UInt8]
    /// The value of `Content-Type`; nil for none.
    package var contentType: String?
    /// The values of all `Authorization` fields, in order.
    package var authorization: [String]
    /// At most `EndpointDescriptor.largestBody`; a longer one is answered with 413 before it is read.
    package var body: [UInt8]
    /// Whether it came over TLS.
    package var secure: Bool
    /// Host and port that the client has asked, in its own words; empty for none.
    package var authority = ""
    /// SHA-256 digest of the certificate on the client's own connection, which has neither expired nor been revoked; nil for
    /// none, and where a proxy is the peer.
    package var certificateDigest: [UInt8]?
    /// The verified caller, on endpoints that are authenticated like routes.
    package var principal: Principal?
    /// The client's address, the one behind trusted proxies; nil where it has none (a Unix socket).
    package var address: IPAddress?
    /// Its id in the logs.
    package var requestID: String
    /// The other fields, in order, names in lower case.
    package var fields: [(name: String, value: String)]

    package init(
        method: Method, path: String, query: [UInt8] = [], contentType: String? = nil, authorization: [String] = [],
        body: [UInt8] = [], secure: Bool = false, principal: Principal? = nil, address: IPAddress? = nil,
        requestID: String = "", fields: [(name: String, value: String)] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.contentType = contentType
        self.authorization = authorization
        self.body = body
        self.secure = secure
        self.principal = principal
        self.address = address
        self.requestID = requestID
        self.fields = fields
    }

    /// The author of a change that this request makes.
    package func origin(_ application: Application, caller: String = "") -> ChangeOrigin {
        ChangeOrigin(
            address: address?.description ?? "", requestID: requestID, application: application.name, caller: caller)
    }

    /// The response to GET and HEAD; other methods don't apply to documents.
    package func read(_ document: () -> EndpointResponse) -> EndpointResponse {
        method == .get || method == .head ? document() : .onlyReading("GET, HEAD")
    }

    /// Whether its content type is `application/json`, with any parameters.
    package var hasJSONBody: Bool {
        let mediaType = (contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        return mediaType.filter { $0 != ASCII.space && $0 != ASCII.tab }.map(ASCII.lowercased)
            .elementsEqual("application/json".utf8)
    }

    /// The credentials of the only `Authorization` field, if it has one of these schemes.
    /// - Parameter schemes: in lower case.
    package func credentials(_ schemes: [String] = ["bearer"]) -> [UInt8]? {
        guard authorization.count == 1 else { return nil }
        let field = Array(authorization[0].utf8)
        guard let (scheme, rest) = Credentials.split(field.span), !rest.isEmpty,
            schemes.contains(where: { field[scheme.range].map(ASCII.lowercased).elementsEqual($0.utf8) })
        else { return nil }
        return Array(field[rest.range])
    }

    /// The value of the one field of this name, in lower case; nil where there is none, or more than one.
    package func field(_ name: String) -> String? {
        var found: String?
        for field in fields where field.name.isExactly(name) {
            if found != nil { return nil }
            found = field.value
        }
        return found
    }
}

/// What an endpoint answers. The data plane adds framing, date, CORS and the request id, and leaves the body out for
/// HEAD.
package struct EndpointResponse: Sendable {
    package var status: Int
    /// Fields without framing, in order.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Stable code of the decision for log and metric.
    package var reason: Reason
    /// What the audit log is to say of it; the data plane adds request id and address.
    package var audit: AuditEntry?
    /// What was compared when the request was refused. Not part of what is sent.
    package var evidence = Evidence.none
    /// The page that `body` is, in English; nil for other bodies.
    package var page: (any BrowserPage)?

    package init(status: Int, headers: [(name: String, value: String)], body: [UInt8], reason: Reason) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reason = reason
    }
}
