import Foundation
import Testing

/// Requests that two readers could take differently: the upstream sees none of them or exactly one (GW-07).
@Suite(.tags(.engine)) struct SmugglingTests {
    /// What came of raw bytes: the statuses of the answers to them, the requests that reached the upstream, and whether the
    /// gateway closed the connection.
    ///
    /// A connection that stays open is asked for one thing more: when that is answered, all that stood before it is
    /// through. Where no answer comes in time, the gateway waits for the rest of a request.
    private func send(
        _ raw: [UInt8], to fixture: Fixture, patience: Duration = .seconds(5)
    ) throws -> (statuses: [Int], requests: [RecordedRequest], isClosed: Bool) {
        let before = fixture.upstream.requests.count
        let connection = try fixture.connect()
        connection.patience = patience
        var statuses: [Int] = []
        var isClosed = false
        do {
            try connection.send(raw)
            statuses.append(try connection.readResponse().status)
            try connection.send(RawConnection.request("GET", "/last"))
            while true {
                let response = try connection.readResponse()
                if response.text == "/last" { break }
                statuses.append(response.status)
            }
        } catch {
            isClosed = connection.isClosed(within: .zero)
        }
        return (statuses, fixture.upstream.requests.dropFirst(before).filter { $0.path != "/last" }, isClosed)
    }

    private func fixture() throws -> Fixture {
        try Fixture { settings in
            settings["routes"] = #"[{"path": "/**", "upstream": "stub", "public": true}]"#
        }
    }

    private func bytes(_ test: JSONText) -> [UInt8] {
        Array(Data(base64Encoded: test["raw_b64"].string ?? "") ?? Data())
    }

    @Test(
        "GW-07: ambiguous raw requests are refused and the connection closed",
        arguments: [
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5 5\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nContent_Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\u{b}chunked\r\n\r\n0\r\n\r\n",
            "POST /a HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\nX y\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
            "GET /a\tHTTP/1.1\r\nHost: a\r\n\r\n",
            "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.1 \r\nHost: a\r\n\r\n",
        ])
    func refused(_ text: String) throws {
        let fixture = try fixture()
        let (statuses, requests, isClosed) = try send(Array(text.utf8), to: fixture)
        #expect(statuses.count == 1 && isClosed)
        #expect([400, 501].contains(statuses.first), "\(statuses)")
        #expect(requests.isEmpty)
        #expect(fixture.gateway.program.isRunning)
    }

    @Test(
        "GW-07: malformed chunks never become another request",
        arguments: [
            "5\r\nhelloGET /evil HTTP/1.1\r\n", "5 \r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n",
            "+5\r\nhello\r\n0\r\n\r\n",
            "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5;\0\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\n\n",
            "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", "5;a=b\nGET /evil HTTP/1.1\r\n\r\nhello\r\n0\r\n\r\n",
            "\r\nhello\r\n0\r\n\r\n", "-1\r\n\r\n", "5\r\nhello\r\n0\r\nX : y\r\n\r\n",
            "5\r\nhello\r\n0\r\n folded: y\r\n\r\n",
            "5;" + String(repeating: "x", count: 70_000) + "\r\nhello\r\n0\r\n\r\n",
        ])
    func chunks(_ body: String) throws {
        let fixture = try fixture()
        let text = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        let (statuses, requests, isClosed) = try send(Array(text.utf8), to: fixture)
        #expect([[400], [431]].contains(statuses) && isClosed, "\(statuses)")
        #expect(requests.isEmpty)
    }

    @Test("GW-07: severe requests of desync guardian are refused, others yield at most one request")
    func desyncGuardian() throws {
        let fixture = try fixture()
        for test in Vectors.lines("aws-desync-guardian/cases.jsonl") {
            var raw = bytes(test)
            if test["has_host"].bool == false, let end = raw.firstIndex(of: 10) {
                raw.insert(contentsOf: Array("Host: a\r\n".utf8), at: end + 1)
            }
            let name = test["name"].string ?? "?"
            let (statuses, requests, _) = try send(raw, to: fixture, patience: .milliseconds(300))
            #expect(requests.count <= 1, "\(name)")
            if test["expect"].string == "Severe" {
                #expect(requests.isEmpty, "\(name)")
                #expect(statuses.first.map { $0 >= 400 } ?? true, "\(name) \(statuses)")
            }
        }
        #expect(fixture.gateway.program.isRunning)
    }

    @Test("GW-07: mutations of Transfer-Encoding yield no second request from a body")
    func mutations() throws {
        let fixture = try fixture()
        let smuggled = "0\r\n\r\nGET /evil HTTP/1.1\r\nHost: a\r\n\r\n"
        var reached = 0
        for test in Vectors.lines("smuggler-te-mutations/cases.jsonl") {
            let template = String(decoding: bytes(test), as: UTF8.self)
            guard !template.contains("\u{fffd}") else { continue }
            let head = template.replacing("__METHOD__", with: "POST").replacing("__ENDPOINT__", with: "/a")
                .replacing("__RANDOM__", with: "1").replacing("__HOST__", with: "a")
                .replacing("__REPLACE_CL__", with: String(smuggled.utf8.count))
            let (statuses, requests, _) = try send(Array((head + "\r\n" + smuggled).utf8), to: fixture)
            let name = test["name"].string ?? "?"
            #expect(requests.count <= 1, "\(name)")
            #expect(!requests.contains { $0.path == "/evil" }, "\(name)")
            #expect(statuses.count == 1, "\(name) \(statuses)")
            // What went through went through with the body that Content-Length frames.
            for request in requests { #expect(request.bodyCount == smuggled.utf8.count, "\(name)") }
            reached += requests.count
        }
        #expect(fixture.gateway.program.isRunning)
        #expect(reached < Vectors.lines("smuggler-te-mutations/cases.jsonl").count)
    }

    @Test("GW-07: what llhttp's corpus refuses is refused, and the gateway keeps running")
    func llhttp() throws {
        let fixture = try fixture()
        var refused = 0
        for test in Vectors.lines("llhttp/cases.jsonl")
        where test["direction"].string == "request" && test["strict"].bool == true {
            let raw = bytes(test)
            let name = test["name"].string ?? "?"
            var (statuses, requests, isClosed) = try send(raw, to: fixture, patience: .milliseconds(300))
            // Methods are a matter of the route.
            if test["expect"].string == "reject", test["message_complete"].integer == 0,
                !name.hasSuffix("ANNOUNCE method")
            {
                if statuses.isEmpty {
                    // llhttp refuses within a head that does not end.
                    (statuses, requests, isClosed) = try send(raw + Array("\r\n\r\n".utf8), to: fixture)
                }
                #expect(statuses.count == 1 && [400, 501].contains(statuses.first) && isClosed, "\(name): \(statuses)")
                #expect(requests.isEmpty, "\(name)")
                refused += 1
            }
            // As many requests as llhttp saw complete messages, at the most; it stops at the first error.
            let complete = test["message_complete"].integer ?? 0
            #expect(requests.count <= max(complete, 1) + 1, "\(name)")
        }
        #expect(refused > 20)
        #expect(fixture.gateway.program.isRunning)
        #expect(try fixture.request("GET", "/after").status == 200)
    }

    @Test(
        "GW-07: ambiguous framing by an upstream is 502",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
            "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n",
            "nonsense\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\n\r\n",
        ])
    func responses(_ text: String) throws {
        let fixture = try fixture()
        fixture.upstream.on("/bad") { _ in [.send(text)] }
        let response = try fixture.request("GET", "/bad")
        #expect(response.status == 502)
        #expect(JSONText(response.text)["code"].string == "upstream_invalid_response")
        #expect(try fixture.request("GET", "/good").status == 200)
    }

    @Test("GW-07: after stray bytes behind a response the connection is not reused")
    func extraBytes() throws {
        let fixture = try fixture()
        fixture.upstream.on("/more") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")]
        }
        let connection = try fixture.connect()
        for _ in 0..<5 {
            #expect(try connection.exchange("GET", "/more").text == "ok")
            #expect(try connection.exchange("GET", "/next").text == "/next")
        }
    }
}
