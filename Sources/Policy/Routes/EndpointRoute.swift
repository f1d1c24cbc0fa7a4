import Bytes
import Model

/// A path that the gateway answers itself. Immutable, made with its snapshot.
package final class EndpointRoute: Sendable {
    /// Position among the endpoints of its table: where the resolved handler stands.
    package let index: Int
    package let descriptor: EndpointDescriptor
    private let path: [UInt8]

    init(_ index: Int, _ path: String, _ descriptor: EndpointDescriptor) {
        self.index = index
        self.path = Array(path.utf8)
        self.descriptor = descriptor
    }

    /// Whether this canonical path is the endpoint's, or below it where its path ends in a slash.
    func has(_ other: Span<UInt8>) -> Bool {
        if path.last != ASCII.slash { return equal(path, other) }
        return other.count > path.count && equal(path, other.extracting(first: path.count))
    }
}
