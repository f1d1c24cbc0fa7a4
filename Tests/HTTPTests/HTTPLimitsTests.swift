import Bytes
import Model
import Testing

@testable import HTTP

@Suite struct HTTPLimitsTests {
    private static func limits(head: Int = 16_384, fields: Int = 100, target: Int = 8_192) -> HTTPLimits {
        var limits = HTTPLimits()
        limits.maximumHeadBytes = head
        limits.maximumFields = fields
        limits.maximumTargetBytes = target
        return limits
    }

    @Test("GW-08: a head of exactly the limit passes, one byte more is 431")
    func headBytes() {
        let fixed = "GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8.count + 4
        for (size, error) in [(256, nil), (257, HTTPParseError.headTooLarge), (4_000, .headTooLarge)] {
            let padding = String(repeating: "x", count: size - fixed)
            let bytes = "GET / HTTP/1.1\r\nHost: a\r\nX: \(padding)\r\n\r\n".bytes
            #expect(MessageReader.read(bytes, .request, limits: Self.limits(head: 256)).error == error)
            #expect(MessageReader.readByteByByte(bytes, .request, limits: Self.limits(head: 256)).error == error)
        }
    }

    @Test("a head that never ends is refused when the limit is reached")
    func endlessHead() {
        let bytes = [UInt8](repeating: 97, count: 300)
        let head = "GET / HTTP/1.1\r\nX: ".bytes + bytes
        #expect(MessageReader.read(head, .request, limits: Self.limits(head: 256)).error == .headTooLarge)
        #expect(MessageReader.readByteByByte(head, .request, limits: Self.limits(head: 256)).error == .headTooLarge)
    }

    @Test("an error within the limit is reported before the limit")
    func wrongAndTooLarge() {
        let bytes = "GET / HTTP/1.1\r\nX : ".bytes + [UInt8](repeating: 97, count: 300)
        #expect(MessageReader.read(bytes, .request, limits: Self.limits(head: 256)).error == .spaceBeforeColon)
        #expect(
            MessageReader.readByteByByte(bytes, .request, limits: Self.limits(head: 256)).error == .spaceBeforeColon)
    }

    @Test(
        "a target of exactly the limit passes, one byte more is 414",
        arguments: [(64, nil), (65, HTTPParseError.targetTooLong)])
    func targetBytes(_ size: Int, _ error: HTTPParseError?) {
        let bytes = "GET /\(String(repeating: "p", count: size - 1)) HTTP/1.1\r\nHost: a\r\n\r\n".bytes
        #expect(MessageReader.read(bytes, .request, limits: Self.limits(target: 64)).error == error)
        expectSameWhenCut(bytes, .request, limits: Self.limits(target: 64))
    }

    @Test(
        "as many fields as the limit says pass, one more is 431",
        arguments: [(8, nil), (9, HTTPParseError.tooManyFields)])
    func fieldCount(_ count: Int, _ error: HTTPParseError?) {
        let fields = (1..<count).map { "X-\($0): y\r\n" }.joined()
        let bytes = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".bytes
        #expect(MessageReader.read(bytes, .request, limits: Self.limits(fields: 8)).error == error)
    }

    @Test("no limit gets past the table's capacity", arguments: [(256, nil), (257, HTTPParseError.tooManyFields)])
    func tableCapacity(_ count: Int, _ error: HTTPParseError?) {
        let fields = (1..<count).map { "X-\($0): y\r\n" }.joined()
        let bytes = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".bytes
        let outcome = MessageReader.read(bytes, .request, limits: Self.limits(fields: 10_000))
        #expect(outcome.error == error)
        if error == nil { #expect(outcome.message?.fields.count == 256) }
    }

    /// Each field that is forwarded is looked for among them: fields times options is what a head would cost.
    @Test(
        "32 connection options pass, one more is 431",
        arguments: [(32, nil), (33, HTTPParseError.tooManyConnectionOptions)])
    func connectionOptions(_ count: Int, _ error: HTTPParseError?) {
        let options = (0..<count).map { $0 % 2 == 0 ? "close" : "x-\($0)" }
        let few = options.prefix(16).joined(separator: ", ")
        let lines = "Connection: \(few)\r\nConnection: \(options.dropFirst(16).joined(separator: ","))\r\n"
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n".bytes
        #expect(MessageReader.read(request, .request).error == error)
        let long =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: x\(String(repeating: ",", count: error == nil ? 1000 : 1024))\r\n\r\n"
        #expect(MessageReader.read(long.bytes, .request).error == error)
        let response = "HTTP/1.1 204 No Content\r\n\(lines)\r\n".bytes
        #expect(MessageReader.read(response, .response(to: .get)).error == error)
    }

    @Test("a head in single bytes costs time in proportion to its length")
    func dripFed() {
        // 16 KiB in single bytes: with a search from the start each time this would be 134 million steps.
        let bytes = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 16_000))\r\n\r\n".bytes
        #expect(MessageReader.readByteByByte(bytes, .request).message != nil)
    }
}
