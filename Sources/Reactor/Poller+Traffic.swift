import CLinux

/// What a loop has received and sent since its start, as it went over the wire.
package struct LoopTraffic: Equatable, Sendable {
    /// System calls that brought bytes.
    package var receives: UInt64 = 0
    package var receivedBytes: UInt64 = 0
    /// System calls that took bytes.
    package var sends: UInt64 = 0
    package var sentBytes: UInt64 = 0
    /// Sends of which the kernel took a part or nothing, because the peer is slow.
    package var partialSends: UInt64 = 0
}

/// Counting for the metrics.
extension Poller {
    /// What went through this loop so far.
    package var traffic: LoopTraffic { counted }

    func count(received result: Int) {
        guard result > 0 else { return }
        counted.receives &+= 1
        counted.receivedBytes &+= UInt64(result)
    }

    func count(sent result: Int, of wanted: Int) {
        if result > 0 {
            counted.sends &+= 1
            counted.sentBytes &+= UInt64(result)
        }
        if result < wanted, result > 0 || result == -Int(EAGAIN) { counted.partialSends &+= 1 }
    }
}
