import CLinux

/// Traffic of a loop since its start, as on the wire.
package struct LoopTraffic: Equatable, Sendable {
    /// Receives with bytes.
    package var receives: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// Sends that took bytes.
    package var sends: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Partial sends to slow peers.
    package var partialSends: UInt64 = 0

    mutating func count(received result: Int) {
        guard result > 0 else { return }
        receives &+= 1
        receivedBytes &+= UInt64(result)
    }

    mutating func count(sent result: Int, of requested: Int) {
        if result > 0 {
            sends &+= 1
            sentBytes &+= UInt64(result)
        }
        if result < requested, result > 0 || result == -Int(EAGAIN) { partialSends &+= 1 }
    }
}
