import Testing
import TokenStorage

@Suite struct ClockCorrectionTests {
    /// A question and its answer, by the clock of the machine: how long it took, and when in it the server looked.
    private struct Exchange {
        var at: Int64
        var took: Int64
        var readAfter: Int64
    }

    private func learn(_ correction: inout ClockCorrection, ahead: Int64, _ exchange: Exchange) -> Bool {
        correction.learn(
            exchange.at + exchange.readAfter + ahead, between: exchange.at, and: exchange.at + exchange.took)
    }

    @Test(arguments: [0, 1, -1, 40, -40, 4000, -4000, 59_000, -59_000] as [Int64])
    func aQuickAnswerTellsTheDifference(_ ahead: Int64) {
        var correction = ClockCorrection()
        let isNews = learn(&correction, ahead: ahead, Exchange(at: 1_000_000, took: 1, readAfter: 0))
        #expect(isNews == (abs(ahead) >= 1000))
        #expect(abs(correction.milliseconds - ahead) <= 1 && !correction.isRefused)
    }

    @Test func aSlowAnswerDisturbsNothing() {
        var correction = ClockCorrection()
        _ = learn(&correction, ahead: 4000, Exchange(at: 1_000_000, took: 0, readAfter: 0))
        let known = correction
        for readAfter in [0, 100, 900] as [Int64] {
            let isNews1 = learn(&correction, ahead: 4000, Exchange(at: 2_000_000, took: 900, readAfter: readAfter))
            #expect(!isNews1)
            #expect(correction == known)
        }
    }

    @Test func ofASlowAnswerAloneAsMuchIsTakenAsItShows() {
        var correction = ClockCorrection()
        // Between 3500 and 4501.
        _ = learn(&correction, ahead: 4000, Exchange(at: 1_000_000, took: 1000, readAfter: 500))
        #expect(correction.milliseconds == 3500)
        _ = learn(&correction, ahead: 4000, Exchange(at: 1_001_000, took: 10, readAfter: 5))
        #expect(correction.milliseconds == 3995)
    }

    @Test func aServerWithAnotherClockIsFollowed() {
        var correction = ClockCorrection()
        _ = learn(&correction, ahead: 4000, Exchange(at: 1_000_000, took: 0, readAfter: 0))
        let isNews2 = learn(&correction, ahead: -2000, Exchange(at: 1_000_250, took: 0, readAfter: 0))
        #expect(isNews2)
        #expect(abs(correction.milliseconds + 2000) <= 1)
    }

    @Test(arguments: [61_000, -61_002, 3_600_000, .max / 4, .min / 4] as [Int64])
    func moreThanAMinuteIsRefused(_ ahead: Int64) {
        var correction = ClockCorrection()
        _ = learn(&correction, ahead: 3000, Exchange(at: 1_000_000, took: 0, readAfter: 0))
        let isNews3 = learn(&correction, ahead: ahead, Exchange(at: 1_001_000, took: 0, readAfter: 0))
        #expect(isNews3)
        #expect(correction.milliseconds == 0 && correction.isRefused)
        let isNews4 = learn(&correction, ahead: ahead, Exchange(at: 1_002_000, took: 0, readAfter: 0))
        #expect(!isNews4)
        let isNews5 = learn(&correction, ahead: 0, Exchange(at: 1_003_000, took: 0, readAfter: 0))
        #expect(isNews5)
        #expect(!correction.isRefused)
    }

    @Test func atTheBoundTheCorrectionDoesNotComeAndGo() {
        var correction = ClockCorrection()
        var changes = 0
        for i in 0..<100 as Range<Int64> {
            let exchange = Exchange(at: 1_000_000 + 250 * i, took: i % 20, readAfter: i * 7 % (i % 20 + 1))
            if learn(&correction, ahead: 60_004, exchange) { changes += 1 }
        }
        #expect(changes <= 2)
    }

    @Test func aClockThatWasSetBetweenQuestionAndAnswerSaysNothing() {
        var correction = ClockCorrection()
        let isNews6 = correction.learn(5_000_000, between: 2_000_000, and: 1_000_000)
        #expect(!isNews6)
        #expect(correction == ClockCorrection())
    }
}
