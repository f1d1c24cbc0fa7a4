import Bytes
import Model
import Testing

@testable import HTTP

/// A head over HTTP/2 passes the same checks as one over HTTP/1 (GW-06, RFC 9113 section 8).
@Suite struct H2HeadTests {
    private func pseudo(_ changes: [String: String?]) -> [(String, String)] {
        var fields = H2Frames.pseudo.compactMap { name, value -> (String, String)? in
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        fields += changes.filter { !$0.key.hasPrefix(":") }.compactMap { name, value in value.map { (name, $0) } }
        return fields
    }

    private func outcome(_ fields: [(String, String)], ended: Bool = true, limits: HTTPLimits = HTTPLimits()) -> String
    {
        var h2 = H2Limits()
        h2.head = limits
        let attacked = H2Attacked(h2)
        attacked.receive(H2Frames.head(1, fields, ended: ended))
        guard case .head(let stream)? = attacked.events.first else {
            let reset = H2Frames.parse(H2Wire.take(attacked.session)).contains {
                $0.type == 3 && $0.payload == H2Frames.number(H2Code.protocolError)
            }
            return reset ? "reset" : "nothing"
        }
        switch stream.requestHead(into: attacked.table, limits: limits) {
        case .invalid(let error): return "\(error)"
        case .head(let head):
            let bytes = H2Wire.array(stream.head)
            return text(head.authority, bytes) + " " + text(head.path, bytes)
        }
    }

    @Test(arguments: [
        ([":authority": "example.org:8443"], "example.org:8443 /"),
        ([":authority": nil, "host": "other.org"], "other.org /"),
        (["host": "EXAMPLE.org"], "example.org /"),
        (["host": "other.org"], "malformedHost"),
        ([":authority": nil], "reset"),
        ([":authority": "user@example.org"], "malformedHost"),
        ([":authority": ""], "reset"),
        ([":path": "/a/b"], "example.org /a/b"),
        ([":path": ""], "reset"),
        ([":path": "a"], "reset"),
        ([":path": "https://example.org/"], "reset"),
        ([":path": "*"], "reset"),
        ([":path": "*", ":method": "OPTIONS"], "example.org *"),
        ([":path": "/a#b"], "malformedTarget"),
        ([":path": "/a b"], "reset"),
        ([":path": "/a\u{7f}"], "reset"),
        ([":path": "/ä"], "malformedTarget"),
        ([":scheme": "ftp"], "malformedTarget"),
        ([":scheme": "HTTP"], "example.org /"),
        ([":scheme": nil], "reset"),
        ([":method": "GE T"], "reset"),
        ([":method": String(repeating: "A", count: 33)], "methodTooLong"),
        ([":method": "CONNECT", ":path": nil, ":scheme": nil], "connectUnsupported"),
        (["expect": "100-continue"], "example.org /"),
        (["expect": "something"], "unknownExpectation"),
        (["te": "trailers"], "example.org /"),
        (["te": "gzip"], "reset"),
        (["connection": "close"], "reset"),
        (["transfer-encoding": "chunked"], "reset"),
        (["transfer_encoding": "chunked"], "framingAlias"),
        (["upgrade": "x"], "reset"),
        (["X-Upper": "x"], "reset"),
        (["x y": "x"], "malformedFieldValue"),
        (["x": "a\r\nb: c"], "malformedFieldValue"),
        (["x": "a\u{0}b"], "malformedFieldValue"),
        (["x": " a"], "malformedFieldValue"),
        (["content-length": "0"], "example.org /"),
        (["content-length": "+0"], "reset"),
        (["content-length": "5"], "reset"),
    ])
    func heads(_ changes: [String: String?], _ expected: String) {
        #expect(outcome(pseudo(changes)) == expected)
    }

    @Test func duplicates() {
        #expect(outcome(H2Frames.pseudo + [("host", "example.org"), ("host", "example.org")]) == "reset")
        #expect(outcome(H2Frames.pseudo + [(":path", "/b")]) == "reset")
        #expect(outcome(H2Frames.pseudo + [("x", "1"), (":extra", "b")]) == "reset")
        #expect(outcome(H2Frames.pseudo + [("content-length", "1"), ("content-length", "1")], ended: false) == "reset")
    }

    @Test func limits() {
        var limits = HTTPLimits()
        limits.maximumTargetBytes = 10
        #expect(outcome(pseudo([":path": "/234567890"]), limits: limits) == "example.org /234567890")
        #expect(outcome(pseudo([":path": "/2345678901"]), limits: limits) == "targetTooLong")
        limits = HTTPLimits()
        limits.maximumFields = 3
        let few = (0..<3).map { ("x-\($0)", "") }
        #expect(outcome(H2Frames.pseudo + few, limits: limits) == "example.org /")
        #expect(outcome(H2Frames.pseudo + few + [("y", "")], limits: limits) == "tooManyFields")
        limits.maximumHeadBytes = 300
        #expect(
            outcome(H2Frames.pseudo + [("x", String(repeating: "a", count: 60))], limits: limits) == "example.org /")
        #expect(
            outcome(H2Frames.pseudo + [("x", String(repeating: "a", count: 110))], limits: limits) == "headTooLarge")
    }

    /// RFC 9113 section 8.2.3
    @Test func cookiesAreJoined() throws {
        let attacked = H2Attacked()
        let fields = [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2"), ("cookie", "c=3")]
        attacked.receive(H2Frames.head(1, H2Frames.pseudo + fields))
        #expect(attacked.headError() == nil)
        guard case .head(let stream)? = attacked.events.first else { return }
        #expect(attacked.table.occurrences(.cookie) == 1)
        #expect(text(attacked.table.value(.cookie), H2Wire.array(stream.head)) == "a=1; b=2; c=3")
        // The table can be filled again later.
        attacked.table.removeAll()
        stream.load(into: attacked.table)
        #expect(attacked.table.count == 2)
        #expect(attacked.chunks.inUse == 0)
    }

    /// Fields for the length of a message, or its addressee, have no place in trailers.
    @Test func trailersThatAreNotValid() {
        let attacked = H2Attacked()
        attacked.receive(H2Frames.head(1, ended: false))
        attacked.receive(H2Frames.frame(1, flags: 5, stream: 1, H2Frames.block([("x", "a\nb")])))
        _ = H2Wire.take(attacked.session)
        attacked.receive([])
        #expect(attacked.log.first == "head 1")
        #expect(attacked.log.contains("reset 1 1"))
        #expect(attacked.chunks.inUse == 0)
    }
}
