import CLinux

/// Whole transfers, for files, pipes and terminals.
extension Descriptor {
    /// Writes all bytes, and waits where there is no room.
    borrowing func write(_ bytes: [UInt8]) throws(KernelError) {
        var start = 0
        while start < bytes.count {
            // SAFETY: the array outlives the call, and `start` lies within it.
            let count = unsafe bytes.withUnsafeBytes {
                unsafe clinux_write(number, $0.baseAddress! + start, $0.count - start)
            }
            switch count {
            case -Int64(EINTR): continue
            case -Int64(EAGAIN): _ = clinux_wait_writable(number, -1)
            case ..<0: throw KernelError(Int32(-count))
            default: start += Int(count)
            }
        }
    }

    /// Reads up to `maximum` bytes; none at the end.
    borrowing func read(_ maximum: Int = 65_536) throws(KernelError) -> [UInt8] {
        var result: Int64 = 0
        // SAFETY: read writes within the buffer and answers how much.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            result = unsafe clinux_read(number, buffer.baseAddress, maximum)
            count = max(0, Int(result))
        }
        if result < 0 { throw KernelError(Int32(-result)) }
        return bytes
    }

    /// Longest file that is read whole, in bytes: more is a mistake, such as a device without an end.
    static let longestFile = 1 << 28

    borrowing func readToEnd() throws(KernelError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try read()
            if piece.isEmpty { return bytes }
            bytes += piece
            if bytes.count > Descriptor.longestFile { throw KernelError(EFBIG) }
        }
    }
}
