import Endpoints
import Identity
import Outbound
import TokenStorage

extension TokenService {
    /// Performs a store operation. A failing store is answered with 503, since the client's credentials are not at
    /// fault.
    func ask(
        _ operation: StoreOperation, now: Int64, _ next: @escaping @Sendable (StoreAnswer) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        settings.store.ask(operation, now: now) { result in
            switch result {
            case .success(let answer): next(answer)
            case .failure: .done(TokenFailure.storeUnavailable.response)
            }
        }
    }

    /// Revokes the access tokens of removed records: immediately in this process, elsewhere when the deny list is read.
    func end(_ records: [TokenRecord]) {
        for record in records { settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt) }
    }
}
