import Bytes
import HTTP

/// The icon that browsers request automatically along with a page. Without a matching route the answer is 204 instead of
/// an error.
enum BrowserIcon {
    private static let path = Array("/favicon.ico".utf8)

    static func isAsked(_ path: Span<UInt8>, _ method: Method) -> Bool {
        (method == .get || method == .head) && bytesEqual(path, BrowserIcon.path.span)
    }
}
