import Bytes
import Model

extension HeaderToken {
    /// The usual spelling of the name; empty for `.other`.
    package var name: StaticString {
        switch self {
        case .other: ""
        case .host: "Host"
        case .connection: "Connection"
        case .keepAlive: "Keep-Alive"
        case .proxyConnection: "Proxy-Connection"
        case .te: "TE"
        case .trailer: "Trailer"
        case .transferEncoding: "Transfer-Encoding"
        case .contentLength: "Content-Length"
        case .upgrade: "Upgrade"
        case .expect: "Expect"
        case .authorization: "Authorization"
        case .dpop: "DPoP"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .cookie: "Cookie"
        case .setCookie: "Set-Cookie"
        case .clearSiteData: "Clear-Site-Data"
        case .origin: "Origin"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .accessControlRequestHeaders: "Access-Control-Request-Headers"
        case .accessControlRequestPrivateNetwork: "Access-Control-Request-Private-Network"
        case .accessControlAllowOrigin: "Access-Control-Allow-Origin"
        case .accessControlAllowMethods: "Access-Control-Allow-Methods"
        case .accessControlAllowHeaders: "Access-Control-Allow-Headers"
        case .accessControlAllowCredentials: "Access-Control-Allow-Credentials"
        case .accessControlExposeHeaders: "Access-Control-Expose-Headers"
        case .accessControlMaxAge: "Access-Control-Max-Age"
        case .accessControlAllowPrivateNetwork: "Access-Control-Allow-Private-Network"
        case .vary: "Vary"
        case .date: "Date"
        case .server: "Server"
        case .via: "Via"
        case .location: "Location"
        case .contentType: "Content-Type"
        case .accept: "Accept"
        case .userAgent: "User-Agent"
        case .retryAfter: "Retry-After"
        case .cacheControl: "Cache-Control"
        case .secFetchMode: "Sec-Fetch-Mode"
        case .secFetchSite: "Sec-Fetch-Site"
        case .forwarded: "Forwarded"
        case .xForwardedFor: "X-Forwarded-For"
        case .xForwardedHost: "X-Forwarded-Host"
        case .xForwardedProto: "X-Forwarded-Proto"
        case .xForwardedPort: "X-Forwarded-Port"
        case .xForwardedPrefix: "X-Forwarded-Prefix"
        case .xRealIP: "X-Real-IP"
        case .xRequestID: "X-Request-ID"
        case .traceparent: "Traceparent"
        case .backendID: CallerFields.backendID
        case .socialProvider: CallerFields.socialProvider
        case .socialToken: CallerFields.socialToken
        case .applicationKey: CallerFields.applicationKey
        case .xGatewayUser: "X-Gateway-User"
        case .xGatewayRoles: "X-Gateway-Roles"
        case .xGatewayBackend: "X-Gateway-Backend"
        case .xHTTPMethodOverride: "X-HTTP-Method-Override"
        case .xMethodOverride: "X-Method-Override"
        case .xHTTPMethod: "X-HTTP-Method"
        case .xOriginalURL: "X-Original-URL"
        case .xRewriteURL: "X-Rewrite-URL"
        case .xOriginalMethod: "X-Original-Method"
        }
    }
}
