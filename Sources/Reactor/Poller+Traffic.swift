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
}

/// Counting for the metrics.
extension Poller {
    /// The traffic of this loop so far.
    package var traffic: LoopTraffic { counted }

    func count(received result: Int) {
        guard result > 0 else { return }
        counted.receives &+= 1
        counted.receivedBytes &+= UInt64(result)
    }

    func count(sent result: Int, of requested: Int) {
        if result > 0 {
            counted.sends &+= 1
            counted.sentBytes &+= UInt64(result)
        }
        if result < requested, result > 0 || result == -Int(EAGAIN) { counted.partialSends &+= 1 }
    }
}
