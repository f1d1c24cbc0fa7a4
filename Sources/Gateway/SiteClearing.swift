import Bytes
import HTTP

/// `Clear-Site-Data` in responses of upstreams, where browsers have cookies of the gateway: a browser that is told to clear
/// cookies clears those of the gateway with the others. An upstream may tell it to clear the rest; its own cookies it
/// removes one by one, by `Set-Cookie`.
enum SiteClearing {
    /// What goes on to the client, each in quotes (Clear Site Data section 3.1). What is not here could take cookies along.
    private static let kinds = [
        "cache", "clientHints", "prefetchCache", "prerenderCache", "storage", "executionContexts",
    ]
    .map { Array("\"\($0)\"".utf8) }
    /// All that there is, which for an upstream is all of `kinds`.
    private static let everything = Array("\"*\"".utf8)

    /// Writes a field with those of its kinds of data that are no cookies; nothing where there are none.
    static func append(_ field: HeaderField, _ bytes: Span<UInt8>, to chunk: Chunk) {
        var isFirst = true
        for kind in kinds {
            guard
                FieldList.contains(field.value, kind.span, in: bytes)
                    || FieldList.contains(field.value, everything.span, in: bytes)
            else { continue }
            chunk.append(isFirst ? "Clear-Site-Data: " : ", ")
            chunk.append(kind)
            isFirst = false
        }
        if !isFirst { chunk.append("\r\n") }
    }
}
