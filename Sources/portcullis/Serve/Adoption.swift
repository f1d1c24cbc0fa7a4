import Endpoints
import Model
import TokenStorage

/// A configuration that every worker uses since a reload.
struct Adoption: Sendable {
    /// Why the store lacks its revocations.
    let failure: StoreFailure?
    /// Keys whose values wait for the next start.
    let waiting: [String]
    /// The second since 1970 from which new tokens count: a revocation covers whole seconds.
    let since: Int64

    /// The answer to who asked for the reload.
    var response: EndpointResponse {
        if let failure { return AdminFailure.untold(failure).response }
        let fields = waiting.isEmpty ? [] : [(name: AdminClient.restartField, value: waiting.joined(separator: ", "))]
        return EndpointResponse(status: 204, headers: fields, body: [], reason: .reloaded)
    }
}
