import Foundation
import TestSupport
import Testing

/// `portcullis diff` against the gateway itself, with rules by chance.
@Suite struct DifferenceTests {
    /// Pairs of configurations, and requests to each pair; `DIFFERENCE_ROUNDS` sets the first for a longer run.
    private static let rounds =
        ProcessInfo.processInfo.environment["DIFFERENCE_ROUNDS"].flatMap { Int($0) } ?? 12
    private static let requests = 60
    private static let seed =
        ProcessInfo.processInfo.environment["DIFFERENCE_SEED"].flatMap { UInt64($0) } ?? 1

    @Test("each request that two gateways decide differently is in a class, and each class has such a request")
    func classes() throws {
        let upstreams = ["u1": try StubUpstream(), "u2": try StubUpstream()]
        defer { for upstream in upstreams.values { upstream.stop() } }
        let world = RandomRules.World(upstreams: upstreams.mapValues(\.url))
        var random = SeededRandom(seed: Self.seed)
        var (differing, classes, compared, invalid) = (0, 0, 0, 0)
        for round in 0..<Self.rounds {
            let old = RandomRules(world, using: &random)
            var new = old.changed(using: &random)
            if Bool.random(using: &random) { new = new.changed(using: &random) }
            guard let pair = try Pair(old, new) else {
                invalid += 1
                continue
            }
            let found = pair.classes
            for _ in 0..<Self.requests {
                let request = RandomRequest.make(using: &random)
                let before = try pair.outcome(of: request, at: 0, world, upstreams)
                let after = try pair.outcome(of: request, at: 1, world, upstreams)
                compared += 1
                guard before != after else { continue }
                differing += 1
                let isFound = found.contains {
                    $0.has(request, hosts: old.hosts + new.hosts, methods: old.methods + new.methods)
                }
                // That a change is not computed is said.
                let isUndecided =
                    request["headers"]["Origin"].exists && pair.output.contains(#""\"policies\" has changed"#)
                #expect(
                    isFound || isUndecided,
                    "round \(round): \(request.text)\n\(before) -> \(after)\n\(pair.texts)\n\(pair.output)")
            }
            for one in found {
                classes += 1
                // What an endpoint answers is its own.
                let isOfEndpoint = ["before", "after"].contains {
                    one.json[$0].string?.hasPrefix("answered, by") == true
                }
                if isOfEndpoint { continue }
                let witness = one.json["witness"]
                let before = try pair.outcome(of: witness, at: 0, world, upstreams)
                let after = try pair.outcome(of: witness, at: 1, world, upstreams)
                let told = [one.json["before"], one.json["after"]].map { Self.status($0.string ?? "") }
                #expect(
                    [before.status, after.status] == told,
                    "round \(round): \(witness.text)\n\(before) -> \(after), told \(told)\n\(pair.texts)")
                #expect(before != after || told == [401, 401] || told == [403, 403], "\(witness.text)")
            }
        }
        print(
            "differences: \(compared) requests, \(differing) decided differently, \(classes) classes, \(invalid) invalid"
        )
        #expect(differing >= Self.rounds / 2 && classes > Self.rounds)
    }

    /// The status of an outcome such as `refused, 403 role_required`.
    private static func status(_ text: String) -> Int {
        text.split(separator: " ").compactMap { Int($0) }.first ?? 200
    }

    /// Two gateways, and what the command says of their configurations.
    private struct Pair {
        let gateways: [GatewayProcess]
        let classes: [DifferenceClassText]
        let output: String
        let texts: String
        private let tokens = [SentRequest.Tokens(), SentRequest.Tokens()]

        /// Nil where one of the configurations is not valid.
        init?(_ old: RandomRules, _ new: RandomRules) throws {
            let directories = try [old, new].map { try ConfigurationDirectory($0.files) }
            let result = try Program.run(
                GatewayProcess.binary, ["diff", "--json"] + directories.map(\.path), .after(.seconds(300)))
            if result.ending == .exit(3) {
                print(result.errors)
                return nil
            }
            output = result.output
            classes = JSONText(result.output)["classes"].list.map { DifferenceClassText(json: $0) }
            texts = try directories.map { try $0.read("gateway.json") }.joined(separator: "\n")
            gateways = try directories.map { try GatewayProcess($0, listeners: ["public"], arguments: ["--insecure"]) }
        }

        func outcome(
            of request: JSONText, at place: Int, _ world: RandomRules.World, _ upstreams: [String: StubUpstream]
        ) throws -> SentRequest.Outcome {
            try SentRequest(description: request, world: world).outcome(at: gateways[place], upstreams, tokens[place])
        }
    }
}

/// Requests by chance that the rules of the test may tell apart.
private enum RandomRequest {
    static func make(using random: inout SeededRandom) -> JSONText {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        func may(_ odds: Int) -> Bool { Int.random(in: 0..<odds, using: &random) == 0 }
        func some(_ texts: [String]) -> [String] { texts.filter { _ in may(2) } }
        let method = one(["GET", "GET", "POST", "DELETE", "PURGE", "HEAD", "PUT"])
        let path =
            "/" + one(["a", "a/b", "a/x", "a/b/", "a/x/c", "b", "b/x", "b/y/c", "b/y", "c/d", "c/d/e", "z", "a/b/c"])
        var members: [String: Any] = ["request": "\(method) \(path)\(may(6) ? "?q=1" : "")"]
        if may(3) { members["host"] = one(["x.example", "y.example", "gw.example.com"]) }
        var headers: [String: String] = [:]
        if may(5) { headers["X-Kind"] = one(["v", "w"]) }
        if may(6) { headers["Origin"] = one(["https://p.example", "https://q.example", "https://other.test"]) }
        if !headers.isEmpty { members["headers"] = headers }
        if may(6) { members["from"] = "192.0.2.1" }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: break
        case 1: members["caller"] = ["user": one(RandomRules.World.users)]
        case 2: members["caller"] = ["consumer": one(RandomRules.World.consumers)]
        case 3: members["caller"] = ["client": one(RandomRules.World.clients), "scopes": ["u"]]
        case 4:
            members["caller"] = [
                "client": one(RandomRules.World.clients), "user": one(RandomRules.World.users), "scopes": ["u"],
            ]
        default:
            var claims: [String: Any] = ["sub": one(RandomRules.World.users + ["eve"])]
            if may(2) { claims["roles"] = some(RandomRules.World.roles + ["m"]) }
            if may(3) { claims["groups"] = some(["a", "m"]) }
            if may(2) { claims["scope"] = some(["s", "t", "u"]).joined(separator: " ") }
            if may(2) { claims["dept"] = one(["x", "y", "z"]) }
            if may(3) { claims["tags"] = some(["t1", "t2"]) }
            if may(3) { (claims["email"], claims["email_verified"]) = (one(["u@e.example", "u@f.example"]), true) }
            if may(3) { claims["acr"] = one(["gold", "iron"]) }
            if may(3) { claims["auth_time"] = Int(Date().timeIntervalSince1970) - (may(2) ? 10 : 100_000) }
            if may(2) { claims["aud"] = may(2) ? ["api", "other"] : ["other"] }
            members["caller"] = ["issuer": one(RandomRules.World.issuers), "claims": claims]
        }
        let data = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
        return JSONText(String(decoding: data, as: UTF8.self))
    }
}
