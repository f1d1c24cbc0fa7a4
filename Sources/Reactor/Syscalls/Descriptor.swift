import CLinux

/// A file descriptor that closes itself.
package struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// No descriptor.
    static var none: Descriptor { Descriptor(-1) }

    deinit { if number >= 0 { _ = clinux_close(number) } }

    /// Releases ownership of the descriptor.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }
}
