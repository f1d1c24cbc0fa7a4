import Bytes
import Crypto

/// The code that a device shows and its user types in a browser (RFC 8628 section 6.1).
package struct UserCode: Sendable, Equatable {
    /// Without vowels, so that no code is a word; no digit looks like one of them.
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    /// 20^12 codes: 51 bits. Codes cannot be guessed over many networks and accounts either, so that no limit is common to
    /// all users.
    private static let length = 12
    /// Longest input that is read, in bytes.
    private static let longestInput = 64

    /// In upper case, without a hyphen.
    package let letters: String

    private init(letters: String) { self.letters = letters }

    static func random() -> UserCode {
        var letters: [UInt8] = []
        // Bytes beyond the last multiple of the count would make some letters more likely.
        let limit = UInt8(256 / alphabet.count * alphabet.count)
        while letters.count < length {
            for byte in SecureRandom.bytes(length) where byte < limit && letters.count < length {
                letters.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return UserCode(letters: String(decoding: letters, as: UTF8.self))
    }

    /// Reads typed text without regard to case, blanks and punctuation; nil if it is no code.
    package init?(typed text: String) {
        guard text.utf8.count <= UserCode.longestInput else { return nil }
        let letters = text.utf8.filter { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 > 0x7F }
            .map { ASCII.lowercased($0) }
        let lower = UserCode.alphabet.map(ASCII.lowercased)
        guard letters.count == UserCode.length, letters.allSatisfy(lower.contains) else { return nil }
        self.letters = String(decoding: letters, as: UTF8.self).uppercased()
    }

    /// As devices and pages show it: `XXXX-XXXX-XXXX`.
    package var shown: String { "\(letters.prefix(4))-\(letters.dropFirst(4).prefix(4))-\(letters.suffix(4))" }
}
