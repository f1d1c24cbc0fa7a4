import Bytes
import Model

/// A path that the gateway answers itself. Immutable, created with its snapshot.
package final class EndpointRoute: Sendable {
    /// Index among the endpoints of its table, and of the resolved handler.
    package let index: Int
    package let descriptor: EndpointDescriptor
    private let path: [UInt8]
    /// For descriptions of the table.
    var pathBytes: [UInt8] { path }

    init(_ index: Int, _ path: String, _ descriptor: EndpointDescriptor) {
        self.index = index
        self.path = Array(path.utf8)
        self.descriptor = descriptor
    }

    /// Whether a canonical path is the endpoint's, or below it if its path ends in a slash.
    func has(_ other: Span<UInt8>) -> Bool {
        if path.last != ASCII.slash { return equal(path, other) }
        return other.count > path.count && equal(path, other.extracting(first: path.count))
    }
}
