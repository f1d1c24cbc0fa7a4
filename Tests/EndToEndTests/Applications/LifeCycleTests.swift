import Foundation
import Testing

/// Cases of `apiomat.json` against the running binary. What only time shows (Y03, Y07, Y08, Y13) has tests with short
/// lifetimes in `TokenMapTests` and `UserObjectTests`; the others don't depend on the times that they name.
@Suite struct LifeCycleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let index: Int
        var testDescription: String { id }

        var steps: [JSONText] { Vectors.json("apiomat/apiomat.json")["cases"][index]["steps"].list }
    }

    private static let timed = ["Y03", "Y07", "Y08", "Y13"]

    static let cases = Vectors.json("apiomat/apiomat.json")["cases"].list.enumerated().map {
        Case(id: $1["id"].string ?? "?", index: $0)
    }.filter { !timed.contains($0.id) }

    @Test("all ten vectors are present")
    func count() { #expect(Self.cases.count == 10) }

    @Test("each vector is answered as specified", arguments: cases)
    func play(_ vector: Case) throws {
        let app = try AppFixture()
        var tokens: [String: String] = [:]
        for step in vector.steps {
            let words = try #require(step["do"].string).split(separator: " ").map(String.init)
            let response = try answer(words, app, &tokens)
            #expect(response.status == step["status"].integer ?? 200, "\(words): \(response.text)")
            let json = JSONText(response.text)
            if let error = step["error"].string { #expect(json["error"].string == error) }
            if let scope = step["scope"].string { #expect(json["scope"].string == scope) }
            if words == ["GET", "user"] { #expect(json["sessionToken"].string == nil) }
            guard let names = step["gives"].string?.split(separator: "/").map(String.init) else { continue }
            let map = try TokenMap(response)
            for (name, token) in zip(names, [map.access, map.refresh]) {
                if let known = tokens[name] {
                    #expect(known == token)
                } else {
                    #expect(!tokens.values.contains(token))
                    tokens[name] = token
                }
            }
        }
    }

    private func answer(_ words: [String], _ app: AppFixture, _ tokens: inout [String: String]) throws -> Response {
        switch words[0] {
        case "REQ":
            let more = words.dropFirst().joined(separator: "+").replacing("'", with: "")
            let form = AppFixture.form(more)
            return try app.post(more.contains("scope=") ? form.replacing("&scope=read%20write", with: "") : form)
        case "REF": return try app.refresh(try #require(tokens[words[1]]))
        case "REVOKE": return try app.revoke(try #require(tokens[words[1]]))
        case "REVOKEALL": return try app.revoke(try #require(tokens[words[1]]), everything: true)
        case "CALL":
            let method = words.count == 3 ? words[1] : "GET"
            return try app.call(
                try #require(tokens[words[words.count - 1]]), method, body: method == "GET" ? nil : "{}")
        case "GET": return try app.object("GET", AppFixture.administrator)
        case "PUT":
            let (name, value) = try #require(pair(words[2]))
            tokens[value] = value
            let bearer = words.count == 6 ? tokens[words[5]] : nil
            return try app.object(
                "PUT", bearer.map { .bearer($0) } ?? AppFixture.administrator,
                #"{"@type":"Basics$User","\#(name)":"\#(value)"}"#)
        default: throw Unknown(words: words)
        }
    }

    private struct Unknown: Error { let words: [String] }

    private func pair(_ text: String) -> (String, String)? {
        let parts = text.split(separator: "=").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
