import Bytes
import HTTP

/// A received request, for the response of the sample upstream.
struct EchoRequest {
    private let method: String
    private let path: String
    private let query: String?
    private let headers: [(name: String, value: String)]
    let isHead: Bool
    let delayMilliseconds: Int64
    /// Length of a requested body of filler bytes.
    let byteCount: Int?
    let status: Int

    init(_ head: RequestHead, _ table: HeaderTable, _ bytes: Span<UInt8>) {
        func text(_ range: ByteRange) -> String { String(copying: bytes.slice(range)) }
        method = text(head.methodText)
        path = text(head.path)
        query = head.query.map(text)
        headers = (0..<table.count).map { (text(table[$0].name), text(table[$0].value)) }
        isHead = head.method == .head
        var numbers: [Substring: Int] = [:]
        for parameter in (query ?? "").split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            if parts.count == 2, let number = Int(parts[1]), number >= 0 { numbers[parts[0]] = number }
        }
        delayMilliseconds = Int64(numbers["delay"] ?? (path == "/slow" || path.hasPrefix("/slow/") ? 5000 : 0))
        byteCount = numbers["bytes"]
        status = numbers["status"].flatMap { (200...599).contains($0) ? $0 : nil } ?? 200
    }

    var isCount: Bool { path == "/_echo/count" }

    /// The response of a social provider's `debug_token`, for the sample configuration: tokens that begin with `fb-` are valid, and
    /// the rest is the user id. Nil for other paths.
    var debugToken: [UInt8]? {
        guard path == "/_echo/debug_token" else { return nil }
        func parameter(_ name: String) -> String {
            let value = (query ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }
            return value.map { String($0.dropFirst(name.count + 1)) } ?? ""
        }
        let token = parameter("input_token")
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("data")
        writer.beginObject()
        writer.member("app_id", String(parameter("access_token").prefix { $0 != "%" && $0 != "|" }))
        writer.member("is_valid", token.hasPrefix("fb-"))
        writer.member("user_id", String(token.dropFirst(3)))
        writer.member("expires_at", 0)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    func json(number: Int, bodyLength: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", method)
        writer.member("path", path)
        if let query { writer.member("query", query) }
        writer.name("headers")
        writer.beginArray()
        for header in headers { writer.value([header.name, header.value]) }
        writer.endArray()
        writer.member("bodyLength", bodyLength)
        writer.member("requests", number)
        writer.endObject()
        // Padding keeps the length of responses to equal requests equal: `ab` counts another length as a failure.
        let padding = max(0, 12 - String(number).utf8.count)
        return writer.bytes + Array(repeating: ASCII.space, count: padding) + [ASCII.lineFeed]
    }
}
