/// An upstream behind a Webgate of its own: it challenges requests without a token that it takes.
final class StubWebgate: Sendable {
    private struct State: Sendable {
        var webgate: String
        var refused: Set<String> = []
        var refusesAll = false
    }

    let upstream: StubUpstream
    private let state: Monitor<State>

    /// - Parameter name: of the Webgate.
    init(_ upstream: StubUpstream, _ paths: String..., name: String = "BackWG") {
        self.upstream = upstream
        let state = Monitor(State(webgate: name))
        self.state = state
        for path in paths {
            upstream.on(path) { request in
                let current = state.current
                let token = request.only("Authorization").flatMap { $0.hasPrefix("OAM-Auth ") ? $0.dropFirst(9) : nil }
                if let token, !current.refusesAll, !current.refused.contains(String(token)) {
                    return [.reply(body: "welcome")]
                }
                let challenge =
                    #"WWW-Authenticate: OAM-Auth realm="\#(current.webgate):2 \#(path)", request-ctx="ctx%2D1""#
                return [.reply("401 Authorization Required", ["\(challenge)"], body: "who are you?")]
            }
        }
    }

    /// From now on these tokens are not taken any more.
    func refuse(_ tokens: [String]) { state.withLock { $0.refused.formUnion(tokens) } }
    func refuseAll(_ refuses: Bool = true) { state.withLock { $0.refusesAll = refuses } }
    func rename(_ name: String) { state.withLock { $0.webgate = name } }

    /// The tokens that came for a path, in order; nil for a request without one.
    func tokens(_ path: String) -> [String?] {
        upstream.requests(path).map { $0.only("Authorization").map { String($0.dropFirst(9)) } }
    }
}
