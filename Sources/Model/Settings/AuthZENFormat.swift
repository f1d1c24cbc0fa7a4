/// The Authorization API 1.0 of OpenID AuthZEN: subject, action, resource and context, answered by a `decision`.
package enum AuthZENFormat: PolicyFormat {
    package static let name = "authzen"
    package static let meaning = "`authzen` sends subject, action, resource and context and reads `decision`"
    package static let hasClaims = true
    package static let hasEvaluations = true
    package static let ownFields: [String] = []
}
