import Bytes
import Crypto

/// The two tokens of a token map, in the form of a UUID (AOM-02).
struct TokenPair: Sendable, Equatable {
    let access: String
    let refresh: String

    /// New tokens of 128 random bits each.
    static func make() -> TokenPair { TokenPair(access: randomToken(), refresh: randomToken()) }

    private static func randomToken() -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (place, byte) in SecureRandom.bytes(16).enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The plaintext that is sealed into a record, so that both tokens can be given out again (AOM-06).
    var plaintext: [UInt8] { Array("\(access) \(refresh)".utf8) }

    /// Nil for text that `plaintext` does not produce.
    init?(plaintext: [UInt8]) {
        let parts = plaintext.split(separator: ASCII.space)
        guard parts.count == 2, let access = String(validating: parts[0], as: UTF8.self),
            let refresh = String(validating: parts[1], as: UTF8.self)
        else { return nil }
        self.init(access: access, refresh: refresh)
    }

    private init(access: String, refresh: String) {
        self.access = access
        self.refresh = refresh
    }
}
