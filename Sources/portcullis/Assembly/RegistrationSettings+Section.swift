import Configuration
import Crypto
import Identity
import Model
import OAuthServer

extension RegistrationSettings {
    init(_ section: RegistrationSection, sponsorID: String, _ throttle: LoginThrottle) {
        self.init(section.rules, sponsorID: sponsorID)
        tokenDigests = section.initialAccessTokens.map {
            DigestAlgorithm.sha256.digest(Array($0.value.utf8).span)
        }
        self.throttle = throttle
    }
}
