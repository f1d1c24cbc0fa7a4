import Bytes
import Model

/// Names of request fields that clients must not send, since upstreams would trust them as written by a proxy (GW-09).
/// Names are compared like in CGI, WSGI, PHP and lenient frameworks: by letters and digits, case-insensitively, without
/// any `HTTP_` prefixes.
///
/// A lookup allocates nothing. Most names are decided by their first two characters, the others by one hash. A hash
/// collision would only remove a field.
package final class ManagedNames: Sendable {
    /// The built-in names.
    package static let standard = ManagedNames()

    /// Whether there are only the built-in names.
    package let isStandard: Bool
    /// Hash table with open addressing; 0 for an empty slot.
    private let places: [UInt64]
    /// Bit n: a family has a prefix of n letters and digits.
    private let familyLengths: UInt64
    /// By the first letter: bit n for the second letter, `otherSecond` for anything else.
    private let beginnings: InlineArray<26, UInt32>
    /// By the raw value of a `HeaderToken`.
    private let tokens: UInt64

    private static let seed: UInt64 = 0xcbf2_9ce4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01b3
    /// Distinguishes the prefix of a family from a name.
    private static let familyMark: UInt64 = 0x9e37_79b9_7f4a_7c15
    private static let otherSecond: UInt32 = 1 << 26
    private static let cgiPrefix = FieldSkeleton.of("http").reduce(seed, step)

    /// - Parameter more: names in addition to the built-in ones; `Name-*` matches a prefix.
    package init(_ more: [String] = []) {
        let names = ManagedNames.usual + more
        var places = [UInt64](repeating: 0, count: 1024)
        // At most a quarter full.
        while places.count < 4 * (names.count + ManagedNames.imitated.count) { places += places }
        var familyLengths: UInt64 = 0
        for name in names {
            let skeleton = FieldSkeleton.of(name)
            var hash = skeleton.reduce(ManagedNames.seed, ManagedNames.step)
            if name.utf8.last == UInt8(ascii: "*") {
                familyLengths |= 1 << UInt64(skeleton.count)
                hash ^= ManagedNames.familyMark
            }
            ManagedNames.insert(hash, &places)
        }
        var tokens: UInt64 = 0
        for token in HeaderToken.allCases where token != .other {
            if ManagedNames.find(token.name.span, places, familyLengths) { tokens |= 1 << UInt64(token.rawValue) }
        }
        var beginnings = InlineArray<26, UInt32>(repeating: 0)
        for name in names + ManagedNames.imitated + ["http"] {
            let skeleton = FieldSkeleton.of(name)
            guard skeleton.count > 1, ASCII.isLetter(skeleton[0]) else { continue }
            let bit: UInt32 = ASCII.isLetter(skeleton[1]) ? 1 << UInt32(skeleton[1] - 97) : 0
            beginnings[Int(skeleton[0] - 97)] |= bit | ManagedNames.otherSecond
        }
        for name in ManagedNames.imitated {
            ManagedNames.insert(FieldSkeleton.of(name).reduce(ManagedNames.seed, ManagedNames.step), &places)
        }
        isStandard = more.isEmpty
        self.places = places
        self.familyLengths = familyLengths
        self.beginnings = beginnings
        self.tokens = tokens
    }

    /// Whether the field has one of the names, or a name that an upstream could read as one.
    package func contains(_ field: HeaderField, _ bytes: Span<UInt8>) -> Bool {
        if field.token != .other { return tokens >> UInt64(field.token.rawValue) & 1 == 1 }
        return contains(bytes.slice(field.name))
    }

    package func contains(_ name: Span<UInt8>) -> Bool {
        guard name.count > 1 else { return false }
        let (first, second) = (name[0], name[1])
        if ASCII.isLetter(first) {
            let bit: UInt32 = ASCII.isLetter(second) ? 1 << UInt32((second | 32) &- 97) : ManagedNames.otherSecond
            if beginnings[Int((first | 32) &- 97)] & bit == 0 { return false }
        }
        return ManagedNames.find(name, places, familyLengths)
    }

    private static func find(_ name: Span<UInt8>, _ places: [UInt64], _ familyLengths: UInt64) -> Bool {
        var hash = seed
        var count = 0
        for i in name.indices {
            let byte = name[i]
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) {
                hash = step(hash, byte | 32)
                count &+= 1
                continue
            }
            // The prefix of a family is followed by a separator.
            if count < 64, familyLengths >> UInt64(count) & 1 == 1, contains(hash ^ familyMark, places) { return true }
            if count == 4, hash == cgiPrefix { (hash, count) = (seed, 0) }
        }
        return contains(hash, places)
    }

    private static func contains(_ hash: UInt64, _ places: [UInt64]) -> Bool {
        var place = Int(truncatingIfNeeded: hash) & (places.count &- 1)
        while places[place] != 0 {
            if places[place] == hash { return true }
            place = (place &+ 1) & (places.count &- 1)
        }
        return false
    }

    private static func insert(_ hash: UInt64, _ places: inout [UInt64]) {
        var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
        while places[place] != 0, places[place] != hash { place = (place + 1) & (places.count - 1) }
        places[place] = hash
    }

    /// FNV-1a. Digits have bit 5 set already.
    @inline(__always)
    private static func step(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* prime }
}
