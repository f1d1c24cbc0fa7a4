/// Cross-origin requests, beside the policy `Security_AllowOrigin` (CORS-06, CORS-07).
package struct CORSSection: Sendable {
    package var allowCredentials = false
    /// How long browsers may keep the answer to a preflight.
    package var maximumAge = Duration.seconds(600)
    /// Request fields allowed beyond the built-in list.
    package var allowHeaders: [String] = []
    /// Response fields that scripts may read.
    package var exposeHeaders: [String] = []

    static func read(_ field: Field) -> CORSSection? {
        var object = field.object("an object")
        let section = CORSSection(
            allowCredentials: object.flag("allowCredentials", default: false),
            maximumAge: object.duration("maxAge", default: .seconds(600)),
            allowHeaders: object.value("allowHeaders", default: []) { $0.headerNames() },
            exposeHeaders: object.value("exposeHeaders", default: []) { $0.headerNames() }
        )
        object.finish()
        return section
    }
}
