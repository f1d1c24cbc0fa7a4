import Bytes
import Model

/// The name of a field that the gateway sets or reads, which other fields may imitate.
package struct OwnFieldName: Equatable, Sendable {
    package let name: [UInt8]
    private let skeleton: [UInt8]

    package init(_ name: String) {
        self.name = Array(name.utf8)
        skeleton = FieldSkeleton.of(name)
    }

    /// Whether an upstream may take a field for this one, although it has another name.
    package func isImitated(by other: Span<UInt8>) -> Bool {
        FieldSkeleton.matches(other, skeleton) && !bytesEqualIgnoringCase(other, name.span)
    }
}
