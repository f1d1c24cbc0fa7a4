import Bytes
import Endpoints
import Foundation
import HTTP
import Identity
import Testing
import TokenStorage

/// A case of `apiomat.json`: steps at times, each with what it gives.
struct LifeCycle: Sendable, CustomTestStringConvertible {
    let id: String
    let steps: [JSONNode]

    var testDescription: String { id }

    static let all: [LifeCycle] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        guard let contents = try? Data(contentsOf: root.appending(path: "Fixtures/apiomat/apiomat.json")),
            let file = try? JSONNode.parse(Array(contents).span)
        else { fatalError("Tests/Fixtures/apiomat/apiomat.json can't be read") }
        return (file["cases"]?.array ?? []).map {
            LifeCycle(id: $0["id"]?.string ?? "?", steps: $0["steps"]?.array ?? [])
        }
    }()
}

/// Vectors Y01 to Y14 (AOM-01 to AOM-23).
@Suite struct LifeCycleVectors {
    @Test("all vectors are present")
    func all() { #expect(LifeCycle.all.map(\.id) == (1...14).map { ($0 < 10 ? "Y0" : "Y") + "\($0)" }) }

    @Test("each life cycle is answered as specified", arguments: LifeCycle.all)
    func lifeCycle(_ cycle: LifeCycle) throws {
        let player = Player()
        for step in cycle.steps { try player.play(step) }
        #expect(player.played == cycle.steps.count)
    }
}

/// Plays steps, and knows the tokens by the names that the vectors give them.
private final class Player {
    private let apps = Apps()
    private var tokens: [String: String] = [:]
    private(set) var played = 0

    func play(_ step: JSONNode) throws {
        let now = try #require(step["t"]?.integer)
        let words = try #require(step["do"]?.string)
        let (verb, rest) = Player.split(words)
        let response: EndpointResponse? =
            switch verb {
            case "REQ": apps.post(Apps.wish(Player.form(rest)), at: now)
            case "REF": apps.post(Apps.refreshing(try token(rest)), at: now)
            case "REVOKE": apps.revoke(try token(rest), at: now)
            case "REVOKEALL": apps.revoke(try token(rest), everything: true, at: now)
            case "PUT": try put(rest, at: now)
            case "GET": apps.object(.get, Apps.user, "", Apps.administrator, at: now)
            case "CALL":
                try call(rest, step, at: now)
            case "CLEAN":
                clean(step, at: now)
            default: throw Unknown(words: words)
            }
        if let response { try check(response, step, words) }
        played += 1
    }

    private struct Unknown: Error { let words: String }

    private func check(_ response: EndpointResponse, _ step: JSONNode, _ words: String) throws {
        #expect(response.status == Int(step["status"]?.integer ?? 200), "\(words)")
        if let error = step["error"]?.string { #expect(response.error == error) }
        if let seconds = step["expires_in"]?.integer { #expect(response.expiresIn == seconds) }
        if let scope = step["scope"]?.string { #expect(response.scope == scope) }
        if let empty = step["sessionToken"] { #expect(response.json?["sessionToken"]?.value == empty.value) }
        guard let names = step["gives"]?.string?.split(separator: "/").map(String.init) else { return }
        try remember(names[0], response.access)
        try remember(names[1], response.renewal)
    }

    /// The same name stands for the same token, another name for another.
    private func remember(_ name: String, _ token: String) throws {
        if let known = tokens[name] {
            #expect(token == known)
        } else {
            #expect(!token.isEmpty && !tokens.values.contains(token))
            tokens[name] = token
        }
    }

    private func token(_ name: String) throws -> String { try #require(tokens[name]) }

    private func put(_ words: String, at now: Int64) throws -> EndpointResponse {
        let (_, change) = Player.split(words)
        let (assignment, who) = Player.split(change)
        let pair = assignment.split(separator: "=").map(String.init)
        tokens[pair[1]] = pair[1]
        let authorization =
            who.hasPrefix("with Bearer ") ? "Bearer \(try token(String(who.dropFirst(12))))" : Apps.administrator
        return apps.object(
            .put, Apps.user, #"{"@type":"Basics$User","\#(pair[0])":"\#(pair[1])"}"#, authorization, at: now)
    }

    /// A request with a token as a bearer, on a route; GET where no method is named.
    private func call(_ words: String, _ step: JSONNode, at now: Int64) throws -> EndpointResponse? {
        let (first, second) = Player.split(words)
        let (method, name) = second.isEmpty ? ("GET", first) : (first, second)
        let status: Int64 =
            switch apps.present(try token(name), at: now) {
            case .failure: 401
            case .success(let principal): principal.isReadOnly && method != "GET" ? 403 : 200
            }
        #expect(status == step["status"]?.integer, "\(words)")
        return nil
    }

    private func clean(_ step: JSONNode, at now: Int64) -> EndpointResponse? {
        #expect(apps.perform(.clean(limit: 100), at: now) == .cleaned(Int(step["deleted"]?.integer ?? -1)))
        return nil
    }

    private static func split(_ words: String) -> (String, String) {
        let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
        return (parts[0], parts.count == 2 ? parts[1] : "")
    }

    /// `scope='read write'` as a form has it.
    private static func form(_ words: String) -> String {
        words.replacingOccurrences(of: "'", with: "").replacingOccurrences(of: " ", with: "+")
    }
}
