/// The Data API of Open Policy Agent: a document `input`, answered by a `result`.
package enum OPAFormat: PolicyFormat {
    package static let name = "opa"
    package static let meaning = "`opa` sends a document `input` and reads `result`"
    package static let hasClaims = true
    package static let ownFields: [String] = []
}
