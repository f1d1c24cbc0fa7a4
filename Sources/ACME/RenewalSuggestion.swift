import Bytes
import Crypto
import Model
import Outbound

/// When an authority suggests to renew a certificate (RFC 9773), such as early, before it revokes many.
package struct RenewalSuggestion: Sendable, Equatable {
    /// Seconds since 1970: a random second of the suggested window.
    package let renewal: Int64
    /// Seconds since 1970 when to ask again.
    package let nextQuestion: Int64

    package init(renewal: Int64, nextQuestion: Int64) {
        self.renewal = renewal
        self.nextQuestion = nextQuestion
    }

    /// Seconds between questions: as the authority asks, within these bounds.
    private static let pauses: ClosedRange<Int64> = 3600...86_400
    /// Where it does not say it, or has not answered.
    package static let usualPause: Int64 = 6 * 3600

    /// Asks an authority; nil for one without suggestions.
    package static func ask(
        about certificate: ObtainedCertificate, _ settings: ACMESettings, by surroundings: ACMESurroundings
    ) throws(ACMEFailure) -> RenewalSuggestion? {
        guard let id = certificate.tls.renewalID,
            let place = try surroundings.read(settings.directory).text("renewalInfo")
        else { return nil }
        let url = try ACMESession.url("\(place)/\(id)", "renewalInfo")
        let answer = try surroundings.read(url)
        let window = answer.body?["suggestedWindow"]
        guard let start = window?["start"]?.string.flatMap(InternetDate.seconds),
            let end = window?["end"]?.string.flatMap(InternetDate.seconds), start <= end, start > 0
        else { throw ACMEFailure("the authority suggests no time for a renewal") }
        let pause = min(max(answer.retryAfter ?? usualPause, pauses.lowerBound), pauses.upperBound)
        return RenewalSuggestion(
            renewal: Int64.random(in: start...end), nextQuestion: surroundings.wallSeconds() + pause)
    }
}
