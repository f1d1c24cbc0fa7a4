import Bytes

@testable import HTTP

// Spans stay out of `#expect`: the macro cannot take apart what does not escape.

func lookup(_ name: [UInt8]) -> HeaderToken { HeaderToken.lookup(name.span) }
func lookup(_ name: String) -> HeaderToken { lookup(Array(name.utf8)) }
func lookupAlias(_ name: String) -> HeaderToken {
    let bytes = Array(name.utf8)
    return HeaderToken.lookupAlias(bytes.span)
}

/// The text of a range of the bytes.
func text(_ range: ByteRange, _ bytes: [UInt8]) -> String { String(decoding: bytes[range.range], as: UTF8.self) }

/// The text of a range, nil for none.
func text(_ range: ByteRange?, _ bytes: [UInt8]) -> String? { range.map { text($0, bytes) } }

/// Deterministic numbers (SplitMix64), so that a failure can be had again.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

extension String {
    /// The bytes of the text in UTF-8.
    var bytes: [UInt8] { Array(utf8) }
}
