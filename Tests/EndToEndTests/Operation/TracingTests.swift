import Foundation
import Testing

/// Spans of requests, as a collector of OpenTelemetry gets them.
@Suite struct TracingTests {
    private struct Setup {
        let fixture: Fixture
        let collector: StubUpstream
        static let path = "/v1/traces"

        init(_ more: String, _ change: (inout FixtureSettings) -> Void = { _ in }) throws {
            let collector = try StubUpstream()
            collector.on(Self.path) { _ in [.reply("200 OK", ["Content-Type: application/json"], body: "{}")] }
            self.collector = collector
            fixture = try Fixture {
                $0["tracing"] = """
                    {"url": "\(collector.url)\(Self.path)", "allowHttp": true, "serviceName": "gw",
                     "attributes": {"deployment.environment": "test"}\(more)}
                    """
                change(&$0)
            }
        }

        /// The spans that the collector got, once there are so many.
        func spans(_ count: Int) -> [Span] {
            let deadline = Deadline.usual
            var spans: [Span] = []
            var requests = 1
            while spans.count < count, !deadline.isPast {
                let batches = collector.waitForRequests(requests, Self.path, deadline)
                requests = batches.count + 1
                spans = batches.flatMap { batch in
                    let resource = JSONText(String(decoding: batch.body, as: UTF8.self))["resourceSpans"][0]
                    return resource["scopeSpans"][0]["spans"].list.map(Span.init)
                }
            }
            return spans
        }
    }

    private struct Span {
        let json: JSONText
        func text(_ name: String) -> String { json[name].string ?? "" }
        func attribute(_ name: String) -> String? {
            let value = json["attributes"].list.first { $0["key"].string == name }?["value"]
            return value?["stringValue"].string ?? value?["intValue"].string
        }
        var kind: Int { json["kind"].integer ?? 0 }
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let received = Field(name: "traceparent", value: "00-\(trace)-b7ad6b7169203331-01")

    @Test("a request, its calls and its upstream are spans of one trace, without credentials and query")
    func tree() throws {
        let server = try StubUpstream()
        server.on("/allow") { _ in [.reply("200 OK", [], body: #"{"result": true}"#)] }
        let setup = try Setup(#", "parent": "all", "samplePerMillion": 0"#) {
            $0["policyServers"] = #"{"authz": {"url": "\#(server.url)/allow", "allowHttp": true}}"#
            $0.addRoutes(#"{"name": "docs", "path": "/docs/{id}", "upstream": "stub", "policy": "authz"}"#)
        }
        let token = try setup.fixture.token("joe")
        let state = Field(name: "tracestate", value: "vendor=1")
        let response = try setup.fixture.request(
            "GET", "/docs/7?key=secret-query", [.bearer(token), Self.received, state])
        #expect(response.status == 200)
        let spans = setup.spans(3)
        try #require(spans.count == 3, "\(setup.fixture.gateway.everythingWritten)")
        #expect(spans.allSatisfy { $0.text("traceId") == Self.trace })
        let request = try #require(spans.first { $0.kind == 2 })
        let calls = spans.filter { $0.kind == 3 }
        #expect(request.text("parentSpanId") == "b7ad6b7169203331" && request.text("name") == "GET /docs/{id}")
        #expect(calls.allSatisfy { $0.text("parentSpanId") == request.text("spanId") })
        #expect(Set(spans.map { $0.text("spanId") }).count == 3)
        for (name, value) in [
            ("http.request.method", "GET"), ("url.path", "/docs/7"), ("http.route", "/docs/{id}"),
            ("http.response.status_code", "200"), ("url.scheme", "http"), ("client.address", "127.0.0.1"),
            ("server.address", "127.0.0.1"), ("server.port", "80"),
            ("portcullis.reason", "allowed"), ("error.type", nil),
        ] as [(String, String?)] { #expect(request.attribute(name) == value, "\(name)") }
        #expect(spans.allSatisfy { (Int($0.text("endTimeUnixNano")) ?? 0) >= (Int($0.text("startTimeUnixNano")) ?? 1) })
        // Each peer continues the trace below the span of its own call.
        let seen = try setup.fixture.lastRequest("/docs/7")
        let upstream = try #require(calls.first { $0.attribute("portcullis.upstream") == "stub" })
        #expect(seen.values("traceparent") == ["00-\(Self.trace)-\(upstream.text("spanId"))-01"])
        #expect(seen.values("tracestate") == ["vendor=1"])
        #expect(upstream.attribute("server.address") == "127.0.0.1")
        #expect(upstream.attribute("server.port") == "\(setup.fixture.upstream.port)")
        let asked = try #require(server.requests("/allow").last)
        let call = try #require(calls.first { $0.attribute("portcullis.upstream") == nil })
        #expect(asked.values("traceparent") == ["00-\(Self.trace)-\(call.text("spanId"))-01"])
        let batches = setup.collector.requests(Setup.path).map { String(decoding: $0.body, as: UTF8.self) }.joined()
        #expect(!batches.contains(token) && !batches.contains("secret-query"))
        #expect(batches.contains(#"{"key":"service.name","value":{"stringValue":"gw"}}"#))
        #expect(batches.contains("deployment.environment"))
        // They count once the collector has answered.
        let deadline = Deadline.usual
        var sent: Double?
        while sent != 3, !deadline.isPast {
            sent = try setup.fixture.gateway.metrics().sum("portcullis_trace_spans_total", ["outcome": "sent"])
        }
        #expect(sent == 3)
    }

    @Test("the trace of a sender that is not trusted ends at the gateway")
    func untrusted() throws {
        let setup = try Setup(#", "samplePerMillion": 1000000"#)
        let state = Field(name: "tracestate", value: "vendor=1")
        #expect(try setup.fixture.request("GET", "/open/a", [Self.received, state]).status == 200)
        let seen = try setup.fixture.lastRequest("/open/a")
        let field = try #require(seen.only("traceparent"))
        #expect(!field.contains(Self.trace) && field.hasPrefix("00-") && field.hasSuffix("-01"))
        #expect(seen.values("tracestate").isEmpty)
        let spans = setup.spans(2)
        #expect(spans.count == 2 && spans.allSatisfy { field.contains($0.text("traceId")) })
        #expect(spans.contains { $0.kind == 2 && $0.text("parentSpanId").isEmpty })
    }

    @Test("a request that is not sampled is passed on so, and a malformed field begins another trace")
    func unsampled() throws {
        let setup = try Setup(#", "parent": "all", "samplePerMillion": 0"#)
        let unsampled = Field(name: "traceparent", value: "00-\(Self.trace)-b7ad6b7169203331-00")
        #expect(try setup.fixture.request("GET", "/open/a", [unsampled]).status == 200)
        let field = try #require(try setup.fixture.lastRequest("/open/a").only("traceparent"))
        #expect(field.contains(Self.trace) && field.hasSuffix("-00") && !field.contains("b7ad6b7169203331"))
        for value in [
            "00-\(Self.trace.uppercased())-b7ad6b7169203331-01", "ff-\(Self.trace)-b7ad6b7169203331-01",
            "00-\(String(repeating: "0", count: 32))-b7ad6b7169203331-01", "00-\(Self.trace)-0000000000000000-01",
            "00-\(Self.trace)-b7ad6b7169203331-01-x", "00-\(Self.trace)-b7ad6b7169203331", "",
        ] {
            let sent = Field(name: "traceparent", value: value)
            #expect(try setup.fixture.request("GET", "/open/a", [sent]).status == 200)
            let field = try #require(try setup.fixture.lastRequest("/open/a").only("traceparent"), "\(value)")
            #expect(!field.contains(Self.trace) && field.utf8.count == 55, "\(value)")
        }
        #expect(setup.collector.requests(Setup.path).isEmpty)
    }

    @Test("a collector that is down costs spans and no request")
    func outage() throws {
        let setup = try Setup(#", "samplePerMillion": 1000000, "maxSpans": 4"#)
        setup.collector.stop()
        for _ in 0..<20 { #expect(try setup.fixture.request("GET", "/open/a").status == 200) }
        let metrics = try setup.fixture.gateway.metrics()
        #expect(metrics.sum("portcullis_trace_spans_total", ["outcome": "sent"]) == 0)
        #expect((metrics.sum("portcullis_trace_spans_total", ["outcome": "dropped"]) ?? 0) > 0)
    }

    @Test("without tracing the field of a client is passed on")
    func off() throws {
        let fixture = try Fixture()
        #expect(try fixture.request("GET", "/open/a", [Self.received]).status == 200)
        #expect(try fixture.lastRequest("/open/a").values("traceparent") == [Self.received.value])
        #expect(try fixture.gateway.metrics().sum("portcullis_trace_spans_total", [:]) == 0)
    }
}
