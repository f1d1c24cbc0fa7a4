import Glibc

/// Texts as the C library takes arguments and environments, alive as long as this value.
@safe final class TextVector {
    /// Copies, and a null pointer at the end.
    let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        // SAFETY: the copies are freed at the end.
        unsafe pointers = texts.map { unsafe strdup($0) } + [nil]
    }

    deinit { unsafe pointers.forEach { unsafe free($0) } }
}
