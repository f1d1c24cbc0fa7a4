import Bytes
import HTTP

/// A received request as the sample upstream tells it back.
struct EchoRequest {
    private let method: String
    private let path: String
    private let query: String?
    private let headers: [(name: String, value: String)]
    let isHead: Bool
    let delayMilliseconds: Int64
    /// Length of the body that was asked for instead of the usual one.
    let byteCount: Int?
    let status: Int

    init(_ head: RequestHead, _ table: HeaderTable, _ bytes: Span<UInt8>) {
        func text(_ range: ByteRange) -> String {
            var copy: [UInt8] = []
            let span = bytes.slice(range)
            for i in span.indices { copy.append(span[i]) }
            return String(decoding: copy, as: UTF8.self)
        }
        method = text(head.methodText)
        path = text(head.path)
        query = head.query.map(text)
        headers = (0..<table.count).map { (text(table[$0].name), text(table[$0].value)) }
        isHead = head.method == .head
        var wishes: [Substring: Int] = [:]
        for wish in (query ?? "").split(separator: "&") {
            let parts = wish.split(separator: "=", maxSplits: 1)
            if parts.count == 2, let number = Int(parts[1]), number >= 0 { wishes[parts[0]] = number }
        }
        delayMilliseconds = Int64(wishes["delay"] ?? (path == "/slow" || path.hasPrefix("/slow/") ? 5000 : 0))
        byteCount = wishes["bytes"]
        let wanted = wishes["status"] ?? 200
        status = (200...599).contains(wanted) ? wanted : 200
    }

    var isCount: Bool { path == "/_echo/count" }

    /// What Facebook would say of a token, for the sample configuration: those that begin with `fb-` are good, and what
    /// follows is the number of the person. Nil for other paths.
    var verdict: [UInt8]? {
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
        for header in headers {
            writer.beginArray()
            writer.value(header.name)
            writer.value(header.value)
            writer.endArray()
        }
        writer.endArray()
        writer.member("bodyLength", bodyLength)
        writer.member("requests", number)
        writer.endObject()
        // Blanks behind the object, which JSON allows, so that equal requests get answers of equal length: `ab` counts any
        // other length as a failure.
        let padding = max(0, 12 - String(number).utf8.count)
        return writer.bytes + Array(repeating: ASCII.space, count: padding) + [ASCII.lineFeed]
    }
}
