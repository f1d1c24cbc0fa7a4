import Bytes
import Endpoints
import HTTP
import Identity
import OAuthServer

/// A request of a browser for one of the gateway's pages, as far as these look at it.
package struct BrowserRequest: Sendable {
    package let request: EndpointRequest
    package let query: FormFields
    /// The browser's half of forms.
    package let nonce: String?
    /// The cookie of an earlier login, whatever it is worth.
    package let session: String?
    /// The same of single sign-on.
    package let signOn: String?
    /// The logins that it has under way at providers whose answers are posted, sealed.
    let logins: String?
    /// Seconds since 1970.
    package let now: Int64

    /// Nil for a query that cannot be read.
    package init?(_ request: EndpointRequest, now: Int64) {
        guard let query = try? FormFields.parse(request.query.span), query.repeatedName == nil else { return nil }
        self.init(request, query: query, now: now)
    }

    /// - Parameter query: that of the request.
    package init(_ request: EndpointRequest, query: FormFields, now: Int64) {
        self.request = request
        self.query = query
        self.now = now
        nonce = BrowserRequest.cookie(.login, request)
        session = BrowserRequest.cookie(.session, request)
        signOn = BrowserRequest.cookie(.signOn, request)
        logins = BrowserRequest.cookie(.logins, request)
    }

    /// The value of a cookie of ours; nil where it did not come.
    static func cookie(_ cookie: BrowserCookie, _ request: EndpointRequest) -> String? {
        // A proxy may have passed the pieces of HTTP/2 on as they came (RFC 9113 section 8.2.3).
        let fields = request.fields.filter { $0.name.utf8.elementsEqual("cookie".utf8) }.map(\.value)
        return Cookies.value(of: cookie.name(secure: request.secure), in: fields.joined(separator: "; "))
    }

    package var isReading: Bool { request.method == .get || request.method == .head }

    /// The fields of a form, each once; nil for anything else.
    package var form: FormFields? {
        guard BrowserRequest.isForm(request), let form = try? FormFields.parse(request.body.span),
            form.repeatedName == nil
        else { return nil }
        return form
    }

    package static func isForm(_ request: EndpointRequest) -> Bool { TokenForm.isForm(request.contentType) }

    /// Whether the browser has a cookie of ours at all.
    package static func hasSession(_ request: EndpointRequest) -> Bool { cookie(.session, request) != nil }
}
