/// A fast 64-bit hash with a secret seed, for tables that are keyed by client input.
///
/// Similar to wyhash: pairs of words, each mixed with a secret, are multiplied to 128 bits and folded. All constants
/// come from the seed, so that clients cannot choose colliding keys. It is not a MAC: after a hit, a table compares the
/// whole key or a cryptographic digest.
package struct KeyedHash: Sendable {
    private let seed: UInt64
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// - Parameters: 128 random bits, drawn once at the start of the process.
    package init(seed0: UInt64, seed1: UInt64) {
        var streams = (SplitMix(state: seed0), SplitMix(state: seed1))
        // Secrets are odd, since a factor of zero would lose the input.
        func next() -> UInt64 {
            let other = streams.1.next()
            return (streams.0.next() &+ (other << 32 | other >> 32)) | 1
        }
        seed = next()
        first = next()
        second = next()
        third = next()
        fourth = next()
    }

    /// The hash of some bytes.
    package func hash(_ bytes: Span<UInt8>) -> UInt64 {
        // SAFETY: the view borrows the span and is only read; bytes have no padding that could be uninitialised.
        let raw = unsafe bytes.bytes
        let count = raw.byteCount
        var state = seed
        var offset = 0
        if count > 48 {
            // Three independent lanes.
            var stateB = seed
            var stateC = seed
            while count &- offset > 48 {
                state = fold(raw, offset, first, state)
                stateB = fold(raw, offset &+ 16, second, stateB)
                stateC = fold(raw, offset &+ 32, third, stateC)
                offset &+= 48
            }
            state ^= stateB ^ stateC
        }
        while count &- offset > 16 {
            state = fold(raw, offset, first, state)
            offset &+= 16
        }
        let (low, high) = KeyedHash.tail(raw)
        let product = (low ^ second).multipliedFullWidth(by: high ^ state)
        return KeyedHash.fold(product.low ^ fourth ^ UInt64(count), product.high ^ second)
    }

    /// Mixes 16 bytes into a lane.
    @inline(__always)
    private func fold(_ raw: RawSpan, _ offset: Int, _ secret: UInt64, _ state: UInt64) -> UInt64 {
        KeyedHash.fold(KeyedHash.word(raw, offset) ^ secret, KeyedHash.word(raw, offset &+ 8) ^ state)
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    /// The last 16 bytes as two words, which overlap for a shorter text.
    @inline(__always)
    private static func tail(_ raw: RawSpan) -> (UInt64, UInt64) {
        let count = raw.byteCount
        if count >= 16 { return (word(raw, count &- 16), word(raw, count &- 8)) }
        if count >= 8 { return (word(raw, 0), word(raw, count &- 8)) }
        if count >= 4 { return (halfWord(raw, 0), halfWord(raw, count &- 4)) }
        if count == 0 { return (0, 0) }
        return (byte(raw, 0) << 16 | byte(raw, count >> 1) << 8 | byte(raw, count &- 1), 0)
    }

    @inline(__always)
    private static func word(_ raw: RawSpan, _ offset: Int) -> UInt64 {
        // SAFETY: the load is checked against the bounds of the span, and every pattern of bits is an integer.
        unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private static func halfWord(_ raw: RawSpan, _ offset: Int) -> UInt64 {
        // SAFETY: as in `word`.
        UInt64(unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    private static func byte(_ raw: RawSpan, _ offset: Int) -> UInt64 {
        // SAFETY: as in `word`.
        UInt64(unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self))
    }
}

/// The generator SplitMix64, which turns a seed into words that look independent.
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
