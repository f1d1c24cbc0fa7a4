/// The request as forwarding fields, answered by the status.
package enum FieldsFormat: PolicyFormat {
    package static let name = "http"
    package static let meaning = "`http` sends the request as forwarding fields and reads the status"
    package static let hasClaims = false
    package static let ownFields = ["user-agent", "accept-encoding"]
}
