import Identity
import Issuers
import Outbound
import Testing

@testable import Gateway

/// CACHE-08: the Webgates that an upstream was found to be behind.
@Suite struct UpstreamWebgatesTests {
    private final class NoIssuer: TokenIssuer {
        let kind = "none"
        let configurationID = "none:1"

        func issue(_ request: IssueRequest, now: Int64) -> Effect<Result<IssuedToken, IssueFailure>> {
            .done(.failure(.unavailable(retryAfter: 1)))
        }
    }

    private let webgates = UpstreamWebgates(upstream: "stub", issuer: NoIssuer())

    @Test("one that is known keeps its place, and the one that asked last is the last one")
    func known() {
        #expect(webgates.last == nil)
        let first = webgates.target(of: "A").target
        let second = webgates.target(of: "B").target
        #expect(webgates.last === second && !first.isSamePlace(as: second))
        #expect(webgates.target(of: "A").target === first)
        #expect(webgates.last === first)
    }

    @Test("an upstream that invents names pushes out the one that has not asked for the longest time, and no other")
    func bound() {
        let limit = UpstreamWebgates.limit
        let (own, second) = (webgates.target(of: "Own").target, webgates.target(of: "1").target)
        for number in 2..<limit { #expect(!webgates.target(of: "\(number)").hasEvicted) }
        #expect(webgates.target(of: "Own").target === own)
        let invented = webgates.target(of: "Invented")
        #expect(invented.hasEvicted && webgates.last === invented.target)
        #expect(webgates.target(of: "Own").target === own)
        // It comes back as another object for the same tokens.
        let again = webgates.target(of: "1")
        #expect(again.hasEvicted && again.target !== second && again.target.isSamePlace(as: second))
        for number in 0..<(10 * limit) { #expect(webgates.target(of: "x\(number)").hasEvicted) }
        #expect(webgates.target(of: "Own").target !== own)
    }

    @Test("names are distinguished by their bytes")
    func bytes() {
        let composed = webgates.target(of: "caf\u{e9}").target
        #expect(webgates.target(of: "cafe\u{301}").target !== composed)
    }
}
