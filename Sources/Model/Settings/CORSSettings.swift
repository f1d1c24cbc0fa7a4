/// Settings of cross-origin requests (CORS-06, CORS-07). What is nil has the value of the gateway, or the default.
package struct CORSSettings: Sendable {
    /// Origins of a route, in place of `allowOrigin`.
    package var allowOrigin: AllowOriginPolicy?
    /// Origins on trial: pages of others are counted and logged, and refused only by the list in force; nil for none.
    package var trialOrigin: AllowOriginPolicy?
    /// Methods of a route that pages of other origins may use; nil for all.
    package var allowMethods: [String]?
    /// Request fields that pages may set in addition to those of CORS-06.
    package var allowHeaders: [String]?
    /// Response fields that pages may read in addition to `WWW-Authenticate`.
    package var exposeHeaders: [String]?
    package var allowCredentials: Bool?
    /// Whether public pages may call a gateway in a private network (Private Network Access).
    package var allowPrivateNetwork: Bool?
    package var maxAgeSeconds: Int?

    package init() {}

    /// These settings with those of `other` where they name none.
    package func completed(by other: CORSSettings) -> CORSSettings {
        var result = self
        result.allowHeaders = allowHeaders ?? other.allowHeaders
        result.exposeHeaders = exposeHeaders ?? other.exposeHeaders
        result.allowCredentials = allowCredentials ?? other.allowCredentials
        result.allowPrivateNetwork = allowPrivateNetwork ?? other.allowPrivateNetwork
        result.maxAgeSeconds = maxAgeSeconds ?? other.maxAgeSeconds
        return result
    }
}
