/// Cross-origin requests, beside the policy `Security_AllowOrigin` (CORS-06, CORS-07).
package struct CORSSection: Sendable {
    package var allowCredentials: Bool
    /// How long browsers may keep the answer to a preflight.
    package var maximumAge: Duration
    /// Request fields allowed beyond the built-in list.
    package var allowHeaders: [String]
    /// Response fields that scripts may read.
    package var exposeHeaders: [String]

    static func read(_ object: inout ObjectReader) -> CORSSection {
        let headers = Shape.headerName.list("an array of header field names", isUnique: false)
        return CORSSection(
            allowCredentials: object.flag(
                "allowCredentials", default: false,
                "Whether browsers may send cookies and logins (`Access-Control-Allow-Credentials`)."),
            maximumAge: object.value(
                "maxAge", .duration, default: .seconds(600), "How long browsers may keep the answer to a preflight."),
            allowHeaders: object.value(
                "allowHeaders", headers, default: [], "Request fields that are allowed beyond the built-in list."),
            exposeHeaders: object.value(
                "exposeHeaders", headers, default: [],
                "Response fields that scripts may read beyond the built-in list."))
    }
}
