import Bytes
import HTTP

/// Filters `Clear-Site-Data` in upstream responses if the gateway sets cookies in browsers: clearing cookies would
/// remove the gateway's too. Upstreams may clear other data; they can remove their own cookies by `Set-Cookie`.
enum SiteClearing {
    /// Types that are passed on, each in quotes (Clear Site Data section 3.1). Others might clear cookies.
    private static let kinds = [
        "cache", "clientHints", "prefetchCache", "prerenderCache", "storage", "executionContexts",
    ]
    .map { Array("\"\($0)\"".utf8) }
    /// All types, which for an upstream means all of `kinds`.
    private static let everything = Array("\"*\"".utf8)

    /// Writes the field with its permitted types; nothing if none remain.
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
