/// Cross-origin requests, beside the lists of allowed origins (CORS-06, CORS-07).
package struct CORSSettings: Sendable {
    package var allowCredentials = false
    package var maxAgeSeconds = 600
    /// Request fields that pages may set beside those of CORS-06.
    package var allowHeaders: [String] = []
    /// Response fields that pages may read beside `WWW-Authenticate`.
    package var exposeHeaders: [String] = []

    package init() {}
}
