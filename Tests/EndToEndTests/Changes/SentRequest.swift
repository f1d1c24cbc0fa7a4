import Bytes
import Foundation
import JOSE
import Testing

/// A request as `expectations.json` describes it, sent to a gateway with a real credential.
struct SentRequest {
    let description: JSONText
    let world: RandomRules.World

    /// What became of it.
    struct Outcome: Equatable {
        var status: Int
        /// What the upstream got about the caller; nil where none was reached.
        var forwarded: [String]?
    }

    /// - Parameter tokens: access tokens by client and user, kept for further requests.
    func outcome(at gateway: GatewayProcess, _ upstreams: [String: StubUpstream], _ tokens: Tokens) throws -> Outcome {
        let parts = (description["request"].string ?? "").split(separator: " ").map(String.init)
        var fields = [Field(name: "Host", value: description["host"].string ?? "gw.example.com")]
        for name in description["headers"].names {
            fields.append(Field(name: name, value: description["headers"][name].string ?? ""))
        }
        // The test is a trusted proxy.
        if let address = description["from"].string { fields.append(Field(name: "X-Forwarded-For", value: address)) }
        if let credential = try credential(at: gateway, tokens) { fields.append(credential) }
        let before = upstreams.mapValues(\.requests.count)
        let response = try gateway.request(parts[0], parts[1], fields)
        let reached = upstreams.first { $1.requests.count > before[$0] ?? 0 }
        let forwarded = reached.flatMap { name, upstream in
            upstream.requests.last.map { request in
                ["upstream \(name)"]
                    + ["X-Gateway-User", "X-Gateway-Issuer", "X-Gateway-Roles", "X-Gateway-Client", "X-Dept"].map {
                        "\($0) \(request.values($0))"
                    }
            }
        }
        return Outcome(status: response.status, forwarded: forwarded)
    }

    /// Tokens that a gateway has made.
    final class Tokens {
        var known: [String: String] = [:]
    }

    private func credential(at gateway: GatewayProcess, _ tokens: Tokens) throws -> Field? {
        let caller = description["caller"]
        if let issuer = caller["issuer"].string { return .bearer(token(of: issuer, caller["claims"], gateway)) }
        if let consumer = caller["consumer"].string { return .bearer(world.keys[consumer] ?? "") }
        guard let client = caller["client"].string else {
            return caller["user"].string.map { .basic("\($0):pw-\($0)") }
        }
        let (user, scopes) = (caller["user"].string, caller["scopes"].strings)
        let key = "\(client) \(user ?? "") \(scopes)"
        if let token = tokens.known[key] { return .bearer(token) }
        var form =
            user.map { "grant_type=password&username=\($0)&password=pw-\($0)" } ?? "grant_type=client_credentials"
        if !scopes.isEmpty { form += "&scope=\(scopes.joined(separator: "+"))" }
        let response = try gateway.request(
            "POST", "/oauth2/token",
            [.basic("\(client):secret-\(client)"), "Content-Type: application/x-www-form-urlencoded"],
            body: form)
        let token = JSONText(response.text)["access_token"].string ?? "none"
        tokens.known[key] = token
        return .bearer(token)
    }

    /// A token with these claims and those that each usable one has.
    private func token(of issuer: String, _ claims: JSONText, _ gateway: GatewayProcess) -> String {
        var members: [String: Any] = ["iss": "https://\(issuer).example", "iat": Int(Date().timeIntervalSince1970)]
        members["exp"] = Int(Date().timeIntervalSince1970) + 600
        members["aud"] = "api"
        for name in claims.names { members[name] = claims[name].any }
        let data = (try? JSONSerialization.data(withJSONObject: members)) ?? Data()
        return String(decoding: world.signers[issuer]?.sign(claims: Array(data)) ?? [], as: UTF8.self)
    }
}

/// Whether a class of `portcullis diff --json` has a request, as its members say it.
struct DifferenceClassText {
    let json: JSONText

    func has(_ request: JSONText, hosts: [String], methods: [String]) -> Bool {
        hasPlace(request, hosts: hosts, named: methods) && hasCaller(request["caller"])
            && json["properties"].list.allSatisfy { property in
                let name = property["property"].string ?? ""
                return property["oneOf"].list.contains { holds($0, name, request) }
            }
    }

    // MARK: The place

    private func hasPlace(_ request: JSONText, hosts: [String], named: [String]) -> Bool {
        let parts = (request["request"].string ?? "").split(separator: " ").map(String.init)
        let path = String(parts[1].prefix { $0 != "?" })
        let query = parts[1].contains("?") ? String(parts[1].drop { $0 != "?" }.dropFirst()) : nil
        let host = request["host"].string ?? "gw.example.com"
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        return json["requests"].list.contains { cell in
            let methods = cell["methods"].strings
            let hasMethod =
                methods.contains(parts[0]) || methods.contains("OTHER") && !(Self.known + named).contains(parts[0])
            let hasHost = cell["host"].string.map { Self.fits(host, $0) } ?? !hosts.contains { Self.fits(host, $0) }
            return hasMethod && hasHost && Self.fits(segments, cell)
                && cell["conditions"].list.allSatisfy { Self.holds($0, request, query) }
        }
    }

    private static let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    private static func fits(_ host: String, _ pattern: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return host == pattern }
        return host.split(separator: ".").dropFirst().joined(separator: ".") == pattern.dropFirst(2)
    }

    private static func fits(_ segments: [String], _ cell: JSONText) -> Bool {
        let expected = cell["segments"].list
        guard cell["deep"].bool == true ? segments.count >= expected.count : segments.count == expected.count else {
            return false
        }
        return zip(segments, expected).allSatisfy { segment, one in
            one.string.map { $0 == segment } ?? !one["otherThan"].strings.contains(segment)
        }
    }

    private static func holds(_ condition: JSONText, _ request: JSONText, _ query: String?) -> Bool {
        var value: String?
        if let name = condition["header"].string {
            value = request["headers"][name].string ?? request["headers"][name.capitalized].string
        }
        if let name = condition["query"].string {
            value = query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
                String($0.dropFirst(name.count + 1))
            }
        }
        return fits(value, condition["value"])
    }

    private static func fits(_ value: String?, _ condition: JSONText) -> Bool {
        guard let value else { return condition["absent"].bool == true }
        if let text = condition["is"].string { return text == value }
        return condition["otherThan"].exists && !condition["otherThan"].strings.contains(value)
    }

    // MARK: The caller

    private func hasCaller(_ caller: JSONText) -> Bool {
        let kind: String
        switch true {
        case caller["issuer"].exists: kind = "token"
        case caller["consumer"].exists: kind = "consumer"
        case caller["client"].exists: kind = caller["user"].exists ? "clientUser" : "client"
        case caller["user"].exists: kind = "user"
        default: kind = "anonymous"
        }
        return json["caller"]["kind"].string == kind && json["caller"]["issuer"].string == caller["issuer"].string
    }

    private func holds(_ condition: JSONText, _ name: String, _ request: JSONText) -> Bool {
        let caller = request["caller"]
        switch name {
        case "address":
            return condition[request["from"].exists ? "notIn" : "in"].strings.contains("127.0.0.0/8")
        case "origin":
            guard let origin = request["headers"]["Origin"].string else { return condition["absent"].bool == true }
            return condition["absent"].bool != true && isLike(origin, condition["such as"].string ?? "")
        case "user", "consumer", "client":
            guard caller["issuer"].exists else { return condition["in"].strings.contains(caller[name].string ?? "") }
        case "scope" where !caller["issuer"].exists:
            return Self.holds(condition, caller["scopes"].exists ? .texts(caller["scopes"].strings) : .missing)
        default: break
        }
        let claim = caller["claims"][name]
        return Self.holds(condition, name == "aud" && !claim.exists ? .texts(["api"]) : Self.value(claim, name))
    }

    /// Origins that the policies of the test do not tell apart.
    private func isLike(_ origin: String, _ other: String) -> Bool {
        let kinds = [origin, other].map { $0 == "https://p.example" ? 1 : $0.hasSuffix(".example") ? 2 : 3 }
        return kinds[0] == kinds[1] || Set(kinds) == [1, 2]
    }

    private enum Value {
        case missing
        case texts([String])
        case scalar(JSONText)
    }

    private static func value(_ claim: JSONText, _ name: String) -> Value {
        if !claim.exists { return .missing }
        if name == "scope" { return .texts((claim.string ?? "").split(separator: " ").map(String.init)) }
        if claim.string == nil, claim.integer == nil, claim.bool == nil { return .texts(claim.strings) }
        return .scalar(claim)
    }

    private static func holds(_ condition: JSONText, _ value: Value) -> Bool {
        let texts: [String]
        switch value {
        case .missing:
            if condition["absent"].bool == true { return true }
            texts = []
        case .texts(let list): texts = list
        case .scalar(let claim):
            if let text = condition["is"].string { return claim.string == text }
            if let number = condition["is"].integer {
                // The time of a login: intervals, of which a class names one value.
                guard let time = claim.integer else { return false }
                return (number - 300 < time) == (time > Int(Date().timeIntervalSince1970) - 600)
            }
            if let flag = condition["is"].bool { return claim.bool == flag }
            if condition["in"].exists { return condition["in"].strings.contains(claim.string ?? "") }
            if condition["notIn"].exists { return !condition["notIn"].strings.contains(claim.string ?? "") }
            if condition["otherThan"].exists { return !condition["otherThan"].strings.contains(claim.string ?? "") }
            texts = [claim.string ?? ""]
        }
        if condition["otherThan"].exists, case .texts = value {
            return Set(condition["otherThan"].strings).isDisjoint(with: texts)
        }
        guard condition["groups"].exists else { return false }
        return condition["groups"].list.allSatisfy { group in
            let of = group["of"].strings
            let count = of.count { texts.contains($0) }
            return group["held"].string == (count == 0 ? "none" : count < of.count ? "some" : "all")
        }
    }
}
