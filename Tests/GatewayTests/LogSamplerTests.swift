import Identity
import Model
import Policy
import Testing

@testable import Gateway

/// The share of the requests that the access log has.
@Suite struct LogSamplerTests {
    private func logged(_ sample: AccessLogSample, _ status: Int, _ reason: Reason, of count: Int = 20_000) -> Int {
        var sampler = LogSampler(seed: 7)
        var response = ExchangeResponse()
        response.status = status
        response.reason = reason
        return (0..<count).count { _ in sampler.takes(response, sample) }
    }

    @Test func aShareOfTheSuccessesIsLogged() {
        let sample = AccessLogSample(successes: 100, failures: 1)
        #expect((120...280).contains(logged(sample, 200, .allowed)))
        #expect((120...280).contains(logged(sample, 302, .redirected)))
        #expect((120...280).contains(logged(sample, 101, .allowed)))
    }

    @Test(arguments: [
        (401, Reason.missingCredential), (404, .allowed), (502, .upstreamConnectionLost), (499, .clientClosed),
        (503, .responded), (200, .eventStreamExpired), (101, .tunnelRevoked),
    ]) func allElseIsLogged(_ status: Int, _ reason: Reason) {
        #expect(logged(AccessLogSample(successes: 1_000_000, failures: 1), status, reason, of: 100) == 100)
        #expect((120...280).contains(logged(AccessLogSample(successes: 1, failures: 100), status, reason)))
    }

    @Test func whatARuleOnTrialWouldHaveRefusedIsLogged() {
        var sampler = LogSampler(seed: 7)
        var response = ExchangeResponse()
        response.status = 200
        response.trialDenial = .roleRequired
        let sample = AccessLogSample(successes: 1_000_000, failures: 1)
        #expect((0..<100).allSatisfy { _ in sampler.takes(response, sample) })
    }

    @Test func withoutAShareNothingIsChosen() {
        #expect(AccessLogSample.all.isAll && !AccessLogSample(successes: 2, failures: 1).isAll)
        #expect(logged(.all, 200, .allowed, of: 1000) == 1000)
    }
}
