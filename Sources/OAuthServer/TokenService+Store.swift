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

    /// Continues once a client assertion is known to be used for the first time.
    func admitted(
        _ proof: ClientAuthentication.Proof, now: Int64,
        _ next: @escaping @Sendable () throws(TokenFailure) -> Effect<EndpointResponse>
    ) -> Effect<EndpointResponse> {
        let answer = { @Sendable () -> Effect<EndpointResponse> in
            do throws(TokenFailure) { return try next() } catch { return .done(error.response) }
        }
        guard let singleUse = proof.singleUse else { return answer() }
        return ask(.remember(key: singleUse.key, until: singleUse.until), now: now) {
            $0 == .fresh(true) ? answer() : .done(TokenFailure.replayedClientAssertion.response)
        }
    }
}
