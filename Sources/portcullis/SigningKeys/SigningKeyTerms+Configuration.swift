import Configuration
import Identity
import JOSE
import Model

extension SigningKeyTerms {
    /// How long other gateways with the same files may take to sign with another key.
    private static let adoptionSeconds: Int64 = 60

    init(_ configuration: GatewayConfiguration) {
        let service = configuration.tokenService
        let grants = configuration.backends.map(\.grants)
        let lifetimes =
            [Int64(service.clientTokenSeconds), Int64(service.userTokenSeconds)]
            + [TokenLifetime.ofTokenEndpoint, TokenLifetime.ofSSOEndpoint]
            + grants.compactMap(\.accessTokenSeconds)
            + configuration.serviceDomains.flatMap(\.applications).map { Int64($0.accessTokenSeconds) }
        self.init(
            rotateSeconds: service.rotateEvery.map(SigningKeyTerms.seconds),
            publishSeconds: SigningKeyTerms.seconds(service.publishKeysFor),
            acceptSeconds: (lifetimes.max() ?? 0) + SigningKeyTerms.seconds(service.clockSkew)
                + SigningKeyTerms.adoptionSeconds)
    }

    private static func seconds(_ duration: Duration) -> Int64 { Int64((duration.milliseconds + 999) / 1000) }
}
