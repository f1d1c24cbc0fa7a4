import Bytes
import Model
import Testing

@testable import HTTP

/// RFC 9112 section 7.1.
@Suite struct ChunkedDecoderTests {
    private static let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func outcome(_ body: String) -> MessageOutcome { MessageReader.read((Self.head + body).bytes, .request) }

    /// Every cut within the body, and every pair of cuts for short ones.
    private func expectSameAtEveryCut(_ body: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let bytes = (Self.head + body).bytes
        let start = Self.head.utf8.count
        let whole = MessageReader.read(bytes, .request)
        func check(_ cuts: [Int]) {
            let cut = MessageReader.read(bytes, .request, cutAt: cuts)
            if cut != whole { Issue.record("cut at \(cuts): \(cut), whole: \(whole)", sourceLocation: sourceLocation) }
        }
        for first in start..<bytes.count {
            check([first])
            if bytes.count - start > 60 { continue }
            for second in (first + 1)..<max(bytes.count, first + 2) where second < bytes.count {
                check([first, second])
            }
        }
        check(Array(0..<bytes.count))
    }

    @Test(
        "bodies",
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
            ("a\r\n0123456789\r\n1\r\nx\r\n000\r\n\r\n", "0123456789x"),
            ("000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
            ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"), ("3;a\r\nabc\r\n0;last\r\n\r\n", "abc"),
            ("3;a=b;c=\"d;\\\"e\\\\\"\r\nabc\r\n0\r\n\r\n", "abc"),
            ("1;a=\"\u{e9}\t\"\r\nx\r\n0\r\n\r\n", "x"), ("3\r\n0\r\n\r\n0\r\n\r\n", "0\r\n"),
        ])
    func bodies(_ coded: String, _ body: String) {
        let message = outcome(coded + "next").message
        #expect(message?.ended == true)
        #expect(message?.body == body.bytes)
        #expect(message?.rest == "next".bytes)
        expectSameAtEveryCut(coded + "next")
    }

    @Test(
        "refused",
        arguments: [
            ("\r\n", HTTPParseError.malformedChunkSize), ("x\r\n", .malformedChunkSize),
            ("0x5\r\nhello\r\n", .malformedChunkSize),
            ("-5\r\n", .malformedChunkSize), ("+5\r\nhello\r\n", .malformedChunkSize),
            (" 5\r\nhello\r\n", .malformedChunkSize),
            ("5 \r\nhello\r\n", .malformedChunkSize), ("5\t;a\r\nhello\r\n", .malformedChunkSize),
            ("5_0\r\nhello\r\n", .malformedChunkSize), (";a\r\nhello\r\n", .malformedChunkSize),
            ("5,5\r\nhello\r\n", .malformedChunkSize),
            ("5\u{0}\r\nhello\r\n", .malformedChunkSize), ("10000000000000000\r\n", .malformedChunkSize),
            ("0000000000000005\r\nhello\r\n", .malformedChunkSize), ("FFFFFFFFFFFFFFFF\r\n", .malformedChunkSize),
            ("5\nhello\r\n", .bareLineFeed), ("5\rhello\r\n", .bareCarriageReturn),
            ("5\r\rhello\r\n", .bareCarriageReturn),
            ("5\r\nhello\n0\r\n\r\n", .malformedChunkEnd), ("5\r\nhello0\r\n\r\n", .malformedChunkEnd),
            ("5\r\nhello\rX", .malformedChunkEnd), ("5\r\nhelloworld\r\n", .malformedChunkEnd),
            ("0\r\nX\r\n\r\n", .malformedTrailer),
            ("5;\r\nhello\r\n", .malformedChunkExtension), ("5;=b\r\nhello\r\n", .malformedChunkExtension),
            ("5;a=\r\nhello\r\n", .malformedChunkExtension), ("5; a=b\r\nhello\r\n", .malformedChunkExtension),
            ("5;a=b c\r\nhello\r\n", .malformedChunkExtension), ("5;a=\"b\r\nhello\r\n", .malformedChunkExtension),
            ("5;a=\"b\"c\r\nhello\r\n", .malformedChunkExtension),
            ("5;a=\"b\u{0}\"\r\nhello\r\n", .malformedChunkExtension),
            ("5;a\nhello\r\n", .bareLineFeed), ("5;a\rb\r\nhello\r\n", .bareCarriageReturn),
            ("5;a=\"\n\"\r\nhello\r\n", .malformedChunkExtension),
            ("5;;a\r\nhello\r\n", .malformedChunkExtension),
            ("0\r\n a: b\r\n\r\n", .malformedTrailer), ("0\r\na : b\r\n\r\n", .malformedTrailer),
            ("0\r\na: b\n\r\n", .malformedTrailer),
            ("0\r\na: \u{0}\r\n\r\n", .malformedTrailer), ("0\r\na: b\rc\r\n\r\n", .malformedTrailer),
            ("0\r\n\n", .malformedTrailer),
            ("0\r\nTransfer_Encoding: b\r\n\r\n", .malformedTrailer),
        ])
    func refused(_ coded: String, _ error: HTTPParseError) {
        #expect(outcome(coded).error == error)
        expectSameAtEveryCut(coded)
    }

    @Test(
        "extensions are limited to 256 bytes a chunk",
        arguments: [(255, nil), (256, HTTPParseError.malformedChunkExtension)])
    func extensionLimit(_ count: Int, _ error: HTTPParseError?) {
        // The line end counts too.
        #expect(outcome("1;\(String(repeating: "a", count: count))\r\nx\r\n0\r\n\r\n").error == error)
    }

    @Test("trailers that decide nothing come through, the others are dropped (RFC 9110 6.5.1)")
    func trailers() throws {
        let dropped = [
            "Transfer-Encoding: x", "Content-Length: 5", "Host: b", "Authorization: Bearer x", "Connection: close",
            "X-Gateway-User: root", "x_gateway_roles: admin", "X.Gateway.Anything: y", "X-Forwarded-For: 1.2.3.4",
            "X-Forwarded-Whatever: 1", "Forwarded: for=x", "Cookie: a=b", "Set-Cookie: a=b", "Content-Encoding: gzip",
            "Content-Range: x", "If-Match: x", "Range: bytes=0-", "Access-Control-Allow-Origin: *",
            "WWW-Authenticate: x",
        ]
        let coded =
            "1\r\nx\r\n0\r\nDigest: \t abc \r\n\(dropped.joined(separator: "\r\n"))\r\ngrpc-status: 0\r\n\r\nrest"
        let message = try #require(outcome(coded).message)
        #expect(message.trailers.map(\.name) == ["Digest", "grpc-status"])
        #expect(message.trailers.map(\.value) == ["abc".bytes, "0".bytes])
        #expect(message.rest == "rest".bytes)
        expectSameAtEveryCut(coded)
    }

    @Test("trailers are limited to 32 lines and 8 KiB")
    func trailerLimits() {
        func lines(_ count: Int) -> String { (0..<count).map { "x-\($0): y\r\n" }.joined() }
        #expect(outcome("0\r\n\(lines(32))\r\n").message?.trailers.count == 32)
        #expect(outcome("0\r\n\(lines(33))\r\n").error == .trailerTooLarge)
        func wide(_ bytes: Int) -> String { "x: \(String(repeating: "y", count: bytes - 5))\r\n" }
        #expect(outcome("0\r\n\(wide(8_192))\r\n").message?.trailers.count == 1)
        #expect(outcome("0\r\n\(wide(8_193))\r\n").error == .trailerTooLarge)
        #expect(outcome("0\r\n\(wide(4_096))\(wide(4_097))\r\n").error == .trailerTooLarge)
        // A line that never ends.
        let endless = Self.head + "0\r\n" + String(repeating: "y", count: 9_000)
        #expect(MessageReader.readByteByByte(endless.bytes, .request).error == .trailerTooLarge)
    }

    @Test("a body with a length ends after it")
    func lengthDecoder() {
        var decoder = LengthDecoder(length: 5)
        #expect(decoder.take(3) == 3)
        #expect(!decoder.isDone)
        #expect(decoder.take(10) == 2)
        #expect(decoder.isDone)
        #expect(decoder.take(10) == 0)
        #expect(LengthDecoder(length: 0).isDone)
    }
}
