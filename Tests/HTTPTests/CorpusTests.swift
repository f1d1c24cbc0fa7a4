import Bytes
import Testing

@testable import HTTP

@Suite struct LlhttpCorpusTests {
    static let strict = Fixtures.corpus("llhttp").filter(\.strict)

    /// What llhttp reads in its strict mode and we refuse.
    static let refusedOnPurpose: [String: HTTPParseError] = [
        // Not a request that ends; completed for this test it is a line without a colon.
        "request/finish: It should be unsafe to finish inside of the header": .malformedFieldName,
        // RFC 9112 section 3.2.4 keeps the asterisk for OPTIONS.
        "request/method: M-SEARCH request": .malformedTarget,
        "request/method: OPTIONS request with RTSP": .malformedVersion,
        // HTTP/0.9
        "request/sample: No HTTP version": .malformedTarget,
        // No client may send a fragment (RFC 9112 section 3.2), and other gateways were passed by with one.
        "request/transfer-encoding: POST with chunked as last transfer-encoding": .malformedTarget,
        "request/uri: Fragment in URI": .malformedTarget,
        // RFC 9110 section 8.6 forbids the length.
        "response/connection: HTTP 101 response with Upgrade and Content-Length header": .malformedContentLength,
        // RFC 9112 section 2.2 allows the empty line ahead of requests alone.
        "response/sample: Response starting with CRLF": .malformedVersion,
        // llhttp reads until the connection closes; another hop may see chunks.
        "response/transfer-encoding: chunkedchunked transfer-encoding does not enable chunked enconding":
            .unknownTransferCoding,
    ]

    /// Methods of other protocols are a matter of the policy, which matches their text.
    static let acceptedOnPurpose: Set = ["request/invalid: HTTP protocol and ANNOUNCE method"]

    private func side(_ test: CorpusCase) -> MessageReader.Side { test.isRequest ? .request : .response(to: .get) }

    /// The corpus was converted without the last line ends; a case that needs them gets them, and a request its Host.
    private func complete(_ test: CorpusCase) -> (bytes: [UInt8], outcome: MessageOutcome) {
        var bytes = test.isRequest ? test.bytes.withHost() : test.bytes
        var outcome = MessageReader.read(bytes, side(test))
        for _ in 0..<2 where outcome == .incomplete || outcome.message?.ended == false {
            if let message = outcome.message, message.body.isEmpty { break }
            bytes += "\r\n".bytes
            outcome = MessageReader.read(bytes, side(test))
        }
        return (bytes, outcome)
    }

    @Test func corpusIsThere() {
        #expect(Self.strict.count == 117)
    }

    @Test("what llhttp refuses in strict mode is refused", arguments: strict.filter { $0.expect == "reject" })
    func rejected(_ test: CorpusCase) {
        let (bytes, outcome) = complete(test)
        expectSameWhenCut(bytes, side(test))
        if test.reason == "Data after `Connection: close`" {
            // For the connection's driver to refuse: it learns that nothing may follow.
            #expect((outcome.message?.request?.keepAlive ?? outcome.message?.response?.keepAlive) == false)
        } else {
            #expect((outcome.error == nil) == Self.acceptedOnPurpose.contains(test.name), "\(outcome)")
        }
    }

    @Test(
        "what llhttp accepts in strict mode is accepted but for a list",
        arguments: strict.filter { $0.expect != "reject" })
    func accepted(_ test: CorpusCase) {
        let (bytes, outcome) = complete(test)
        #expect(outcome.error == Self.refusedOnPurpose[test.name])
        #expect(outcome != .incomplete)
        expectSameWhenCut(bytes, side(test))
    }
}

@Suite struct DesyncGuardianCorpusTests {
    static let cases = Fixtures.corpus("aws-desync-guardian")

    /// What the guardian lets pass and we refuse.
    static let compliantRefused: [String: HTTPParseError] = [
        // RFC 9112 section 5.1 has a server refuse it.
        "acceptable: No TE/CL headers, some others are non-compliant": .spaceBeforeColon,
        "acceptable: TE and some others are non-compliant": .spaceBeforeColon,
        "acceptable: A non-essential header with a non-printable character (x01)": .malformedFieldName,
        "bad-header-characters: Some-Header\\x01": .malformedFieldName,
        // No other coding than chunked is undone here, and the next hop's framing must be ours.
        "more-compliant-tests: Correct TE OK": .unknownTransferCoding,
        "more-compliant-tests: Multiple transfer encoding headers in a single request OK": .unknownTransferCoding,
        "rfc-compliant: Different Transfer-Encoding headers combined": .unknownTransferCoding,
        // RFC 9112 section 3.2: begins with neither a slash nor a scheme, and holds a fragment; empty; blanks.
        "rfc-compliant: Compliant URL": .malformedTarget,
        "rfc-compliant: Empty URI": .malformedTarget,
        "uri-specific-test-cases: Extra spaces in version": .malformedVersion,
        "uri-specific-test-cases: [space] in URI": .malformedVersion,
    ]

    private func outcome(_ test: CorpusCase) -> MessageOutcome { MessageReader.read(test.bytes.withHost(), .request) }

    @Test func corpusIsThere() {
        #expect(Self.cases.count == 70)
    }

    @Test("severe is never accepted", arguments: cases.filter { $0.expect == "Severe" })
    func severe(_ test: CorpusCase) {
        #expect(outcome(test).error != nil)
        expectSameWhenCut(test.bytes.withHost(), .request)
    }

    @Test(
        "ambiguous is refused but for bodies of GET and HEAD, whose length is plain",
        arguments: cases.filter { $0.expect == "Ambiguous" })
    func ambiguous(_ test: CorpusCase) {
        let outcome = outcome(test)
        let plain = test.reason.hasPrefix("Undefined") && !test.name.contains("x01")
        if outcome.error == nil {
            #expect(plain, "\(outcome)")
            #expect(outcome.message?.request?.method == .get)
        }
        expectSameWhenCut(test.bytes.withHost(), .request)
    }

    @Test("compliant and acceptable", arguments: cases.filter { $0.expect == "Compliant" || $0.expect == "Acceptable" })
    func compliant(_ test: CorpusCase) {
        #expect(outcome(test).error == Self.compliantRefused[test.name])
        expectSameWhenCut(test.bytes.withHost(), .request)
    }
}

/// Requests with a `Content-Length` and a `Transfer-Encoding` that is spelled in some way that one hop may see and
/// another not.
@Suite struct TransferEncodingMutationTests {
    static let cases = Fixtures.corpus("smuggler-te-mutations")

    private func request(_ test: CorpusCase) -> [UInt8] {
        var bytes = test.bytes
        for (mark, text) in [
            ("__METHOD__", "POST"), ("__ENDPOINT__", "/"), ("__RANDOM__", "1"), ("__HOST__", "example.com"),
            ("__REPLACE_CL__", "5"),
        ] {
            while let range = bytes.firstRange(of: mark.bytes) { bytes.replaceSubrange(range, with: text.bytes) }
        }
        return bytes + "\r\n0\r\n\r\n".bytes
    }

    @Test func corpusIsThere() {
        #expect(Self.cases.count == 846)
    }

    @Test("refused, or no field name can be read as Transfer-Encoding", arguments: cases)
    func mutation(_ test: CorpusCase) {
        let bytes = request(test)
        let outcome = MessageReader.read(bytes, .request)
        if let message = outcome.message {
            #expect(message.request?.framing == .length(5))
            for field in message.fields {
                let letters = field.name.lowercased().filter { $0.isLetter && $0.isASCII }
                #expect(!letters.contains("transferencoding"), "\(field)")
            }
        } else {
            #expect(outcome.error != nil)
        }
        expectSameWhenCut(bytes, .request, everyPlace: false)
    }
}
