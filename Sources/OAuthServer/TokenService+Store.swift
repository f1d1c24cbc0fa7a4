import Endpoints
import Identity
import Outbound
import TokenStorage

extension TokenService {
    /// Asks the store. Where it does not answer, nobody's credentials are to blame: 503.
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

    /// Ends the access tokens of records that the store holds no more: here at once, elsewhere as soon as the store's
    /// deny list has got there.
    func end(_ records: [TokenRecord]) {
        for record in records { settings.revocations.revoke(tokenID: record.tokenID, until: record.accessExpiresAt) }
    }
}
