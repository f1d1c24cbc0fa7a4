/// How an upstream is called that is itself behind a Webgate (CACHE-08): its challenges are answered here, and the client
/// does not see them.
package struct UpstreamChallengeRule: Equatable, Sendable {
    /// `User-Agent` of the requests: that of a client which the Webgate challenges (CHAL-04).
    package let userAgent: [UInt8]
    /// Longest body that is kept so that the request can be repeated with a token, in bytes. Longer ones are not.
    package let maximumKeptBody: Int

    package init(userAgent: String = "OAMMS-Agent", maximumKeptBody: Int = 65_536) {
        self.userAgent = Array(userAgent.utf8)
        self.maximumKeptBody = maximumKeptBody
    }
}
