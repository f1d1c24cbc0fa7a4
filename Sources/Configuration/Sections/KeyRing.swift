import Bytes
import Declaration

/// Keys in rotation.
enum KeyRing {
    /// A key of 32 bytes as Base64, or a list of such keys in rotation.
    static var shape: Shape<[[UInt8]]> {
        Shape(.either([.secret, .list(.secret, minimum: 1, isUnique: false)])) { field in
            guard field.node.array != nil else { return field.key(lengths: [32]).map { [$0] } ?? [] }
            let elements = field.elements("a key, or a list of keys") ?? []
            if elements.isEmpty { field.invalid("at least one key") }
            return elements.compactMap { $0.key(lengths: [32]) }
        }
    }
}
