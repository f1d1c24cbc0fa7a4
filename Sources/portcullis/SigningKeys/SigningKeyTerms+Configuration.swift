import Bytes
import Configuration
import Identity
import JOSE
import Model

extension SigningKeyTerms {
    /// How long other gateways with the same files may take to sign with another key.
    private static let adoptionSeconds: Int64 = 60

    init(_ configuration: GatewayConfiguration) {
        let service = configuration.tokenService
        let grants = configuration.clients.map(\.client.grants)
        let lifetimes =
            [service.terms.clientSeconds, service.terms.userSeconds]
            + [TokenLifetime.ofTokenEndpoint, TokenLifetime.ofSSOEndpoint]
            + grants.compactMap(\.accessTokenSeconds)
            + configuration.tokenLifetimes
            + SigningKeyTerms.exchangeLifetimes(configuration.policies)
        self.init(
            rotateSeconds: service.rotateEvery.map(SigningKeyTerms.seconds),
            publishSeconds: SigningKeyTerms.seconds(service.publishKeysFor),
            acceptSeconds: (lifetimes.max() ?? 0) + SigningKeyTerms.seconds(service.terms.clockSkew)
                + SigningKeyTerms.adoptionSeconds)
    }

    /// The lifetimes of tokens that are exchanged for those of others.
    private static func exchangeLifetimes(_ policies: PoliciesSection) -> [Int64] {
        let issuers = ["issuers", "samlIssuers"].flatMap { policies.authTokenConfiguration?[$0]?.array ?? [] }
        return [policies.tokenExchangeTimeoutSeconds].compactMap { $0.map(Int64.init) }
            + issuers.compactMap { $0["tokenTimeoutSeconds"]?.integer }.map { min($0, TokenLifetime.longest) }
    }

    private static func seconds(_ duration: Duration) -> Int64 { Int64((duration.milliseconds + 999) / 1000) }
}
