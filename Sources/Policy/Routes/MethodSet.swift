import Bytes
import HTTP

/// The methods of a route.
package struct MethodSet: Equatable, Sendable {
    /// A bit for each method. That of `.extension` is set if the set has any extension method.
    private var bits: UInt16
    /// Texts of methods without a case of their own.
    private var extensions: [[UInt8]]
    /// Whether every extension method is in the set.
    private let takesAnyExtension: Bool

    /// Every method except `CONNECT`, which opens tunnels, and `TRACE`, which returns credentials; these two must be
    /// listed explicitly.
    package static let any = MethodSet(
        bits: Method.allCases.reduce(0) { $0 | ($1 == .connect || $1 == .trace ? 0 : bit($1)) }, takesAnyExtension: true
    )

    private init(bits: UInt16, takesAnyExtension: Bool) {
        self.bits = bits
        self.takesAnyExtension = takesAnyExtension
        extensions = []
    }

    /// The methods of these names, compared with case (RFC 9110 section 9.1). `GET` includes `HEAD`.
    package init(_ names: some Sequence<String>) {
        self.init(bits: 0, takesAnyExtension: false)
        for name in names {
            let text = Array(name.utf8)
            let method = Method(text.span)
            bits |= MethodSet.bit(method)
            if method == .extension, !extensions.contains(text) { extensions.append(text) }
        }
        if bits & MethodSet.bit(.get) != 0 { bits |= MethodSet.bit(.head) }
    }

    /// Whether the method is in the set.
    ///
    /// - Parameter text: name of the method, used for `.extension` only.
    package func contains(_ method: Method, _ text: Span<UInt8>) -> Bool {
        guard bits & MethodSet.bit(method) != 0 else { return false }
        return method != .extension || containsExtension(text)
    }

    /// Apart, since few requests have such a method, and all pass through the caller's code.
    @inline(never)
    private func containsExtension(_ text: Span<UInt8>) -> Bool {
        if takesAnyExtension { return true }
        for i in extensions.indices where equal(extensions[i], text) { return true }
        return false
    }

    package func union(_ other: MethodSet) -> MethodSet {
        var result = MethodSet(
            bits: bits | other.bits, takesAnyExtension: takesAnyExtension || other.takesAnyExtension)
        result.extensions = extensions + other.extensions.filter { !extensions.contains($0) }
        return result
    }

    package func intersection(_ other: MethodSet) -> MethodSet {
        var result = MethodSet(
            bits: bits & other.bits, takesAnyExtension: takesAnyExtension && other.takesAnyExtension)
        result.extensions =
            extensions.filter { other.takesAnyExtension || other.extensions.contains($0) }
            + other.extensions.filter { takesAnyExtension && !extensions.contains($0) }
        if result.extensions.isEmpty, !result.takesAnyExtension { result.bits &= ~MethodSet.bit(.extension) }
        return result
    }

    package func isDisjoint(with other: MethodSet) -> Bool {
        intersection(other).bits == 0
    }

    /// The names joined by `, `, as in `Allow` (RFC 9110 section 10.2.1).
    package var text: [UInt8] {
        let named = Method.allCases.filter { $0 != .extension && bits & MethodSet.bit($0) != 0 }
            .compactMap { $0.name.map { Array($0.description.utf8) } }
        return Array((named + extensions).joined(separator: [ASCII.comma, ASCII.space]))
    }

    private static func bit(_ method: Method) -> UInt16 { 1 << UInt16(method.rawValue) }
}
