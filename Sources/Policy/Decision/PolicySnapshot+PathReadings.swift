import Bytes
import HTTP

extension PolicySnapshot {
    /// Whether another reading of the path leads to another route (`PathReadings`).
    ///
    /// - Parameters:
    ///   - route: what the path as it stands leads to.
    ///   - path: the canonical path.
    func hasSecondReading(
        _ route: Route, path: Span<UInt8>, bytes: Span<UInt8>, head: RequestHead, headers: HeaderTable
    ) -> Bool {
        guard PathReadings.hasSeveral(path) else { return false }
        guard let readings = PathReadings.others(of: path) else { return true }
        for reading in readings {
            switch match(path: reading.span, bytes: bytes, head: head, headers: headers) {
            case .route(let other): if other !== route { return true }
            case .selection(let selection):
                let (other, hasMethod) = selection.choose(bytes: bytes, head: head, headers: headers)
                if !hasMethod || other !== route { return true }
            case .endpoint, .methodNotAllowed, .notFound: return true
            }
        }
        return false
    }
}
