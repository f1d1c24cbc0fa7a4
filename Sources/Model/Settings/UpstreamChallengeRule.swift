import Bytes

/// How an upstream behind a Webgate of its own is called: the gateway answers its challenges (CACHE-08).
package struct UpstreamChallengeRule: Equatable, Sendable {
    /// The scheme of challenges of Webgates, and of the credentials that answer them.
    package static let scheme = "OAM-Auth"
    /// `userAgent` by default.
    package static let usualAgent = "OAMMS-Agent"

    /// `User-Agent` of the requests: one that the Webgate challenges (CHAL-04).
    package var userAgent = Array(usualAgent.utf8)
    /// Longest body that is kept for a retry with a token, in bytes.
    package var maximumKeptBody = 65_536
    /// Names of the Webgates whose challenges are answered; empty for any. An upstream that must not get the tokens of
    /// others could pass on a challenge of another Webgate.
    package var webgates: [String] = []

    package init() {}

    /// Whether the challenge of a Webgate of this name is answered.
    package func answers(webgate name: String) -> Bool {
        webgates.isEmpty || webgates.contains { $0.isExactly(name) }
    }
}
