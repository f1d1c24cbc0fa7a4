import Bytes
import Endpoints
import HTTP
import Identity
import Model
import OAuthServer

/// A browser's request for one of the gateway's pages, reduced to what the pages need.
package struct BrowserRequest: Sendable {
    package let request: EndpointRequest
    package let query: FormFields
    /// The browser's half of forms.
    package let nonce: String?
    /// The browser's pending logins at providers that answer by form post, sealed.
    let logins: [String]
    /// Seconds since 1970.
    package let now: Int64

    /// Nil for a malformed query.
    package init?(_ request: EndpointRequest, now: Int64) {
        guard let query = try? FormFields.parse(request.query.span), query.repeatedName == nil else { return nil }
        self.init(request, query: query, now: now)
    }

    /// - Parameter query: of the request.
    package init(_ request: EndpointRequest, query: FormFields, now: Int64) {
        self.request = request
        self.query = query
        self.now = now
        nonce = BrowserRequest.cookie(.login, request)
        logins = BrowserRequest.values(of: .allUnderWay, request)
    }

    /// The value of one of the gateway's cookies; nil if absent. Another host of the domain may have set one of several.
    static func cookie(_ cookie: BrowserCookie, _ request: EndpointRequest) -> String? {
        let values = values(of: cookie, request)
        return values.count == 1 ? values[0] : nil
    }

    package static func values(of cookie: BrowserCookie, _ request: EndpointRequest) -> [String] {
        // A proxy may forward the separate fields of HTTP/2 unjoined (RFC 9113 section 8.2.3).
        let fields = request.fields.filter { $0.name.isExactly("cookie") }.map(\.value)
        return Cookies.values(of: cookie.name(secure: request.secure), in: fields.joined(separator: "; "))
    }

    /// The browser's session, as sealed. Of several sessions none counts.
    /// - Parameter ofDomain: whether that of a service domain.
    package func session(_ seals: BrowserSeals, ofDomain: Bool = false) -> Session? {
        let sessions = sessions(seals, ofDomain: ofDomain)
        return sessions.count == 1 ? sessions[0] : nil
    }

    /// The sessions of all its cookies of that name. What is none is passed over.
    package func sessions(_ seals: BrowserSeals, ofDomain: Bool = false) -> [Session] {
        let values = Set(BrowserRequest.values(of: ofDomain ? .domainSession : seals.sessionCookie, request)).sorted()
        return values.compactMap { try? seals.session(Array($0.utf8).span, ofDomain: ofDomain, now: now) }
    }

    /// The page of this host that the browser comes from, for the way back; the start page where it is not known.
    package var previousPage: ReturnTarget {
        let own = try? WebOrigin("\(request.secure ? "https" : "http")://\(request.authority)")
        guard let text = request.field("referer"), let page = try? WebURL(text), page.origin == own,
            !page.target.prefix(while: { $0 != "?" }).utf8.elementsEqual(request.path.utf8)
        else { return .root }
        return ReturnTarget(ofRequest: page.target)
    }

    package var isReading: Bool { request.method == .get || request.method == .head }

    /// The fields of a form, each at most once; nil for other bodies.
    package var form: FormFields? {
        guard BrowserRequest.isForm(request), let form = try? FormFields.parse(request.body.span),
            form.repeatedName == nil
        else { return nil }
        return form
    }

    package static func isForm(_ request: EndpointRequest) -> Bool { TokenForm.isForm(request.contentType) }

    /// Whether the browser sent the cookie of a session at a service domain, unverified.
    package static func hasDomainSession(_ request: EndpointRequest) -> Bool { cookie(.domainSession, request) != nil }
}
