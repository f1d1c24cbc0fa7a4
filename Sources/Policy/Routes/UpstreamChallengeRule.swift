/// How an upstream is called that is itself behind a Webgate (CACHE-08): its challenges are answered here, and the client
/// does not see them.
package struct UpstreamChallengeRule: Equatable, Sendable {
    /// `User-Agent` of the requests: that of a client which the Webgate challenges (CHAL-04).
    package let userAgent: [UInt8]
    /// Longest body that is kept so that the request can be repeated with a token, in bytes. Longer ones are not.
    package let maximumKeptBody: Int

    /// Names of the Webgates whose challenges are answered; empty for any. An upstream that is not trusted with the tokens
    /// of others could pass on what another one has asked it for.
    private let webgates: [String]

    package init(userAgent: String = "OAMMS-Agent", maximumKeptBody: Int = 65_536, webgates: [String] = []) {
        self.webgates = webgates
        self.userAgent = Array(userAgent.utf8)
        self.maximumKeptBody = maximumKeptBody
    }

    /// Whether the challenge of a Webgate of this name is answered.
    package func answers(webgate name: String) -> Bool {
        webgates.isEmpty || webgates.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
