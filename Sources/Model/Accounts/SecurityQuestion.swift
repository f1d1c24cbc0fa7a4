import Bytes

/// A question that a user has laid down the answer to (OMS-14).
package struct SecurityQuestion: Sendable, Equatable {
    package var question: String
    /// `{scheme}payload` of the answer in its folded form (CRYPTO-01).
    package var answer: String

    package init(question: String, answer: String) {
        self.question = question
        self.answer = answer
    }

    /// An answer as it is compared: in lower case, without blanks at its ends.
    package static func folded(_ answer: String) -> [UInt8] {
        var bytes = Array(answer.lowercased().utf8)[...]
        while let first = bytes.first, first == ASCII.space || first == ASCII.tab { bytes = bytes.dropFirst() }
        while let last = bytes.last, last == ASCII.space || last == ASCII.tab { bytes = bytes.dropLast() }
        return Array(bytes)
    }
}
