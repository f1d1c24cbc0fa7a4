/// Settings of cross-origin requests, besides the allowed origins (CORS-06, CORS-07).
package struct CORSSettings: Sendable {
    package var allowCredentials = false
    package var maxAgeSeconds = 600
    /// Request fields that pages may set in addition to those of CORS-06.
    package var allowHeaders: [String] = []
    /// Response fields that pages may read in addition to `WWW-Authenticate`.
    package var exposeHeaders: [String] = []

    package init() {}
}
