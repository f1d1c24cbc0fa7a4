import Bytes
import HTTP

extension PolicySnapshot {
    /// Whether the path leads to another route once its parameters (`;x=1`) are dropped. Servlet containers drop them
    /// before they look for the resource, others treat them as part of its name: where the rules of the two differ, a
    /// client could choose between them by a parameter (ROLE-05, istio #27409).
    ///
    /// - Parameters:
    ///   - route: what the path as it stands leads to.
    ///   - path: the canonical path.
    func hasSecondReading(
        _ route: Route, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> Bool {
        guard PolicySnapshot.parameter(in: path, from: 0) < path.count else { return false }
        let plain = PolicySnapshot.withoutParameters(path)
        switch match(path: plain.span, bytes: bytes, head: head, headers: headers) {
        case .route(let other): return other !== route
        case .selection(let selection):
            let (other, hasMethod) = selection.choose(bytes: bytes, head: head, headers: headers)
            return !hasMethod || other !== route
        case .endpoint, .methodNotAllowed, .notFound: return true
        }
    }

    /// Where the next parameter begins, in either spelling; the path's length where there is none.
    private static func parameter(in path: Span<UInt8>, from start: Int) -> Int {
        for i in start..<path.count {
            if path[i] == 59 { return i }
            if path[i] == ASCII.percent, i + 2 < path.count, path[i + 1] == 51, path[i + 2] == 66 { return i }
        }
        return path.count
    }

    private static func withoutParameters(_ path: Span<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        var position = 0
        while position < path.count {
            let end = parameter(in: path, from: position)
            while position < end {
                plain.append(path[position])
                position += 1
            }
            while position < path.count, path[position] != ASCII.slash { position += 1 }
        }
        return plain
    }
}
