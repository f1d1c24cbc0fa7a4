import Foundation
import Testing

/// Corpora of requests that are made to be read differently by two readers, sent through the gateway to upstreams that
/// overlook different things: each sees as many requests as were forwarded, and the same ones (GW-07).
@Suite struct SmugglingJudgeTests {
    /// Raw bytes of one connection.
    struct Case: Sendable {
        var name: String
        var bytes: [UInt8]
        var isSevere = false
    }

    /// What stands behind a body that ends where the one reader thinks and not where the other does.
    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

    static let cases: [Case] = guardian + mutations + llhttp

    private static var guardian: [Case] {
        Vectors.lines("aws-desync-guardian/cases.jsonl").flatMap { test -> [Case] in
            let head = withHost(raw(test))
            let name = test["name"].string ?? "?"
            let isSevere = test["expect"].string == "Severe"
            return ["", "0\r\n\r\n" + hidden].map { tail in
                Case(name: "\(name), tail of \(tail.utf8.count)", bytes: head + Array(tail.utf8), isSevere: isSevere)
            }
        }
    }

    private static var mutations: [Case] {
        let size = String(hidden.utf8.count, radix: 16)
        return Vectors.lines("smuggler-te-mutations/cases.jsonl").flatMap { test -> [Case] in
            // CL.TE: the length covers a body that ends early in chunks. TE.CL: chunks cover a body that ends early by
            // its length.
            [
                ("CL.TE", "0\r\n\r\n" + hidden, "0\r\n\r\n\(hidden)".utf8.count),
                ("TE.CL", "\(size)\r\n\(hidden)\r\n0\r\n\r\n", size.utf8.count + 2),
            ].map { kind, body, length in
                let marks = [
                    "__METHOD__": "POST", "__ENDPOINT__": "/a", "__RANDOM__": "1", "__HOST__": "a",
                    "__REPLACE_CL__": String(length),
                ]
                var head = raw(test)
                for (mark, text) in marks {
                    while let range = head.firstRange(of: Array(mark.utf8)) {
                        head.replaceSubrange(range, with: Array(text.utf8))
                    }
                }
                return Case(name: "\(test["name"].string ?? "?") \(kind)", bytes: head + Array("\r\n\(body)".utf8))
            }
        }
    }

    private static var llhttp: [Case] {
        Vectors.lines("llhttp/cases.jsonl").filter { $0["direction"].string == "request" }.flatMap { test in
            ["", "\r\n", "\r\n" + hidden].map { tail in
                let name = "\(test["name"].string ?? "?"), tail of \(tail.utf8.count)"
                return Case(name: name, bytes: withHost(raw(test)) + Array(tail.utf8))
            }
        }
    }

    private static func raw(_ test: JSONText) -> [UInt8] {
        Array(Data(base64Encoded: test["raw_b64"].string ?? "") ?? Data())
    }

    /// With a Host behind the first line where there is none: for want of it alone all would be refused.
    private static func withHost(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        let first = bytes.drop { $0 == 13 || $0 == 10 }
        guard !text.contains("\nhost"), let end = first.firstIndex(of: 10) else { return bytes }
        return Array(bytes[...end] + Array("Host: a\r\n".utf8) + bytes[(end + 1)...])
    }

    /// The address that a case comes from, by which its requests are known at the upstream and in the log.
    private func source(_ index: Int) -> (number: UInt32, text: String) {
        (0x7F01_0000 + UInt32(index), "127.1.\(index >> 8).\(index & 255)")
    }

    /// Sends the cases, a few hundred at a time, and waits until the gateway has closed every connection.
    private func send(_ cases: [Case], to gateway: GatewayProcess) throws {
        let port = try gateway.port()
        for start in stride(from: 0, to: cases.count, by: 200) {
            let connections = try (start..<min(start + 200, cases.count)).map { index in
                let connection = RawConnection(try TCPSocket.connect(port: port, source: source(index).number))
                // The gateway may refuse while the rest is on its way.
                try? connection.send(cases[index].bytes)
                return connection
            }
            for (offset, connection) in connections.enumerated() {
                do {
                    _ = try connection.receiveToEnd()
                } catch SocketError.reset {
                    // A refusal whose rest was not read.
                } catch {
                    Issue.record("\(cases[start + offset].name): \(error)")
                }
            }
        }
    }

    @Test("GW-07: no upstream parses a different number of requests than were forwarded", arguments: UpstreamReader.all)
    func judged(_ reader: UpstreamReader) throws {
        let upstream = try JudgedUpstream(reader)
        let settings = """
            {
              "baseUrl": "http://gw.example.com", "workers": 1,
              "listeners": [{"name": "public", "address": "127.0.0.1", "port": 0}],
              "admin": {"address": "127.0.0.1", "port": 0},
              "limits": {"headerTimeout": "500ms", "bodyTimeout": "500ms", "idleTimeout": "500ms"},
              "upstreams": {"judge": {"url": "\(upstream.url)", "responseTimeout": "2s"}},
              "routes": [{"path": "/**", "upstream": "judge", "public": true}]
            }
            """
        let gateway = try GatewayProcess(["gateway.json": settings])
        let cases = Self.cases
        #expect(cases.count > 2000)
        try send(cases, to: gateway)

        // The log of the one worker is complete when this request stands in it.
        #expect(try gateway.request("GET", "/last").status == 204)
        try #require(gateway.waitForAccess { $0["path"].string == "/last" } != nil)
        var forwarded: [String: Int] = [:]
        var answered: [String: Int] = [:]
        for line in gateway.program.lines(.output).map({ JSONText($0) }) where line["decision"].string == "allowed" {
            let client = line["client_ip"].string ?? "?"
            forwarded[client, default: 0] += 1
            if line["status"].integer == 204 { answered[client, default: 0] += 1 }
        }
        let requests = upstream.readings.flatMap(\.requests)
        let seen = requests.reduce(into: [:]) { $0[$1.source, default: 0] += 1 }
        for (index, test) in cases.enumerated() {
            let address = source(index).text
            let count = seen[address] ?? 0
            #expect(count <= forwarded[address] ?? 0, "\(test.name)")
            #expect(count >= answered[address] ?? 0, "\(test.name)")
            if test.isSevere { #expect(forwarded[address] == nil, "\(test.name)") }
        }
        #expect(
            seen.keys.allSatisfy { forwarded[$0] != nil },
            "requests of nobody: \(requests.filter { forwarded[$0.source] == nil })")
        #expect(seen.count > 50, "hardly anything was forwarded")
        #expect(try gateway.metrics().sum("portcullis_upstream_retries_total") == 0)
        #expect(gateway.program.isRunning)

        // What the others would have made of the same bytes.
        for bytes in upstream.received {
            let strict = UpstreamReader.strict.read(bytes)
            #expect(!strict.isRefused, "\(String(decoding: bytes[strict.end...].prefix(300), as: UTF8.self))")
            for other in UpstreamReader.all {
                #expect(
                    other.read(bytes) == strict, "\(other.name): \(String(decoding: bytes.suffix(300), as: UTF8.self))")
            }
        }
    }

    @Test("the reference parsers do disagree on an ambiguous request")
    func readersDiffer() {
        func counts(_ text: String) -> [Int] { UpstreamReader.all.map { $0.read(Array(text.utf8)).requests.count } }
        let both =
            "POST /a HTTP/1.1\r\nContent-Length: \(5 + Self.hidden.utf8.count)\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(counts(both + "0\r\n\r\n" + Self.hidden) == [0, 1, 2, 1])
        let odd = both.replacing("Transfer-Encoding: chunked", with: "Transfer_Encoding : xchunked")
        #expect(counts(odd + "0\r\n\r\n" + Self.hidden) == [0, 1, 2, 1])
        #expect(counts("GET /a HTTP/1.1\nX: y\n\n" + Self.hidden) == [0, 1, 1, 2])
        #expect(counts("GET /a HTTP/1.1\r\nX: y\r\n\r\n" + Self.hidden) == [2, 2, 2, 2])
        #expect(counts("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n") == [1, 1, 1, 1])
    }
}
