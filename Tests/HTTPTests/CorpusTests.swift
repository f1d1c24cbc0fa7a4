import Testing

@testable import HTTP

@Suite struct LlhttpCorpusTests {
    static let strict = Fixtures.corpus("llhttp").filter(\.strict)

    /// What llhttp reads in its strict mode and we refuse, with the reason.
    static let refusedOnPurpose: [String: HTTPParseError] = [
        // A body after an upgrade request is not ours to guess.
        "request/method: M-SEARCH request": .malformedTarget,
        "request/method: OPTIONS request with RTSP": .malformedVersion,
        "request/sample: No HTTP version": .malformedTarget,
        "request/transfer-encoding: POST with chunked as last transfer-encoding": .malformedTarget,
        "request/uri: Fragment in URI": .malformedTarget,
        "response/connection: HTTP 101 response with Upgrade and Content-Length header": .malformedContentLength,
        "response/sample: Response starting with CRLF": .malformedVersion,
        "response/transfer-encoding: chunkedchunked transfer-encoding does not enable chunked enconding":
            .unknownTransferCoding,
    ]

    /// The corpus was converted without the last line end; a case that needs it gets it, and a request its Host.
    private func outcome(_ test: CorpusCase) -> (bytes: [UInt8], outcome: MessageOutcome) {
        var bytes = test.isRequest ? test.bytes.withHost() : test.bytes
        let side = self.side(test)
        var outcome = MessageReader.read(bytes, side)
        if outcome == .incomplete || outcome.message?.ended == false, outcome.framing != .untilClose {
            bytes += "\r\n".bytes
            outcome = MessageReader.read(bytes, side)
        }
        return (bytes, outcome)
    }

    private func side(_ test: CorpusCase) -> MessageReader.Side { test.isRequest ? .request : .response(to: .get) }

    @Test func corpusIsThere() {
        #expect(Self.strict.count == 117)
    }

    @Test("what llhttp refuses in strict mode", arguments: strict.filter { $0.expect == "reject" })
    func rejected(_ test: CorpusCase) {
        let (bytes, outcome) = outcome(test)
        #expect(outcome.error != nil, "\(outcome)")
        expectSameWhenCut(bytes, side(test))
    }

    @Test("what llhttp accepts in strict mode", arguments: strict.filter { $0.expect != "reject" })
    func accepted(_ test: CorpusCase) {
        let (bytes, outcome) = outcome(test)
        #expect(outcome.error == Self.refusedOnPurpose[test.name])
        expectSameWhenCut(bytes, side(test))
    }
}
