import Testing

@testable import Gateway

@Suite struct RevocationRequestTests {
    private func read(_ text: String) throws(RevocationRequest.Refusal) -> RevocationRequest {
        try RevocationRequest(Array(text.utf8), now: 1000)
    }

    @Test func whatIsTaken() throws {
        #expect(try read(#"{"jti": "a"}"#).target == .token(id: "a", subject: nil))
        #expect(try read(#"{"jti": "a", "subject": "joe"}"#).target == .token(id: "a", subject: "joe"))
        #expect(try read(#"{"subject": "joe"}"#).target == .subject("joe"))
        #expect(try read(#"{"clientId": "b"}"#).target == .client(id: "b"))
        #expect(try read(#"{"issuer": "local"}"#).target == .issuer("local"))
        #expect(try read(#"{"clientId": "b"}"#).period == .soFar)
        #expect(try read(#"{"until": 1001, "jti": "a"}"#).period.until == 1001)
        for target in [#""subject": "joe""#, #""clientId": "b""#, #""issuer": "local""#] {
            let period = try read(#"{"issuedBefore": 900, \#(target), "until": 1001}"#).period
            #expect(period.cutoff(now: 1000) == 900 && period.end(now: 1000) == 1001)
        }
        // What was issued until now: the answer waits for the next second, whose tokens count.
        #expect(RevocationPeriod.soFar.cutoff(now: 1000) == 1000)
        #expect(RevocationPeriod.soFar.holdsFrom(now: 1000) == 1001)
        #expect(try read(#"{"subject": "joe", "issuedBefore": 999}"#).period.holdsFrom(now: 1000) == 0)
    }

    @Test(
        "what cannot be meant is refused, with what was expected",
        arguments: [
            ("", "a JSON object"), ("[]", "a JSON object"), ("null", "a JSON object"),
            ("{\"jti\": \"a\"", "a JSON object"),
            (#"{"jti": "a", "jti": "b"}"#, "a JSON object"), ("{}", "one of"), (#"{"until": 2000}"#, "one of"),
            (#"{"subject": "joe", "clientId": "b"}"#, "one of"), (#"{"jti": "a", "clientId": "b"}"#, "one of"),
            (#"{"jti": "a", "issuer": "b"}"#, "one of"), (#"{"issuer": ""}"#, "\"issuer\" must be a text"),
            (#"{"jti": 5}"#, "\"jti\" must be a text"), (#"{"subject": null}"#, "\"subject\" must be a text"),
            (#"{"clientId": ["b"]}"#, "\"clientId\" must be a text"), (#"{"jti": ""}"#, "\"jti\" must be a text"),
            (#"{"subjects": "joe"}"#, "only \"jti\""), (#"{"subject": "joe", "Until": 2000}"#, "only \"jti\""),
            (#"{"jti": "a", "until": "2000"}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "until": 2000.5}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "until": null}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "until": 1000}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "until": -1}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "until": 99999999999999999999}"#, "\"until\" must be a time"),
            (#"{"jti": "a", "issuedBefore": 900}"#, "\"issuedBefore\" goes with"),
            (#"{"subject": "a", "issuedBefore": "900"}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": null}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": 900.5}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": 1001}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": 1700000000000}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": 0}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedBefore": true}"#, "\"issuedBefore\" must be a time"),
            (#"{"subject": "a", "issuedbefore": 900}"#, "only \"jti\""),
        ])
    func refused(_ text: String, _ expected: String) {
        let refusal = #expect(throws: RevocationRequest.Refusal.self) { try read(text) }
        #expect(refusal?.expected.hasPrefix(expected) == true, "\(refusal?.expected ?? "")")
    }
}

@Suite struct AdminHostTests {
    private func isTrusted(_ authority: String) -> Bool {
        let bytes = Array(authority.utf8)
        return AdminHost.isTrusted(bytes.span, names: ["portcullis.example.com"])
    }

    @Test(
        "the admin listener answers to addresses and its own names",
        arguments: [
            "", "127.0.0.1", "127.0.0.1:9901", "10.1.2.3:80", "[::1]", "[::1]:9901", "localhost", "LocalHost:9901",
            "portcullis.example.com", "Portcullis.Example.com:9901",
        ])
    func trusted(_ authority: String) { #expect(isTrusted(authority)) }

    @Test(
        "a name that any client can have resolved to it is not its own",
        arguments: [
            "evil.example", "evil.example:9901", "127.0.0.1.evil.example", "localhost.evil.example", "127.1",
            "2130706433",
            "0x7f000001", "[evil]", "[::1", "example.com", "x.portcullis.example.com", "localhos", ":9901",
        ])
    func foreign(_ authority: String) { #expect(!isTrusted(authority)) }
}
