import Bytes
import HTTP
import Model
import Reactor

/// Keeps buffer memory under its ceiling.
///
/// Near the ceiling, less is read ahead for all clients. At the ceiling, new connections are refused, and each worker
/// above its share closes its clients with the largest buffers until it is within it.
final class MemoryGuard: LoopPart {
    private let frontend: ClientFrontend
    private let admission: ClientAdmission
    private var share = BufferShare()
    /// The earliest time at which clients may be closed again to free memory.
    private var nextShedding: Int64 = 0

    init(_ context: LoopContext, _ frontend: ClientFrontend) {
        self.frontend = frontend
        admission = frontend.admission
        super.init(context)
    }

    /// Interval of the closing of clients at the ceiling, in milliseconds.
    private static let sheddingInterval: Int64 = 20

    /// Called once a turn: reports this worker's total and acts on the total of all.
    func run() {
        var share = self.share
        share.tell(poller.chunks.bytesInUse, to: shared.buffers)
        self.share = share
        let pressure = admission.bufferPressure
        transport.highWater = pressure == .none ? Transport.usualHighWater : Transport.usualHighWater / 8
        poller.readsFarAhead = pressure == .none
        if pressure == .over, poller.now >= nextShedding {
            nextShedding = poller.now + MemoryGuard.sheddingInterval
            shedClients()
        }
    }

    private func shedClients() {
        let ceiling = snapshot.limits.maximumBufferBytes
        // Slightly below the ceiling, so that the next piece of a response does not immediately close another client.
        var excess = poller.chunks.bytesInUse - (ceiling - ceiling / 16) / shared.mailboxes.count
        guard excess > 0 else { return }
        var holders = frontend.clients.all.filter { $0.socket != nil }.map { (client: $0, bytes: heldBytes($0)) }
        holders.sort { $0.bytes > $1.bytes }
        for (client, bytes) in holders {
            guard excess > 0, bytes > 0 else { return }
            excess -= bytes
            limited(.memory)
            frontend.leaveMultiplexing(client, reason: .memoryExhausted)
            if let exchange = client.exchange {
                frontend.abandon(exchange, reason: .memoryExhausted)
            } else {
                frontend.close(client, reset: true)
            }
        }
    }

    /// Approximate bytes of buffers that closing this client would free.
    private func heldBytes(_ client: ClientConnection) -> Int {
        var bytes = (client.socket?.receivedCapacity ?? 0) + (client.socket?.pendingBytes ?? 0)
        if let exchange = client.exchange { bytes += heldBytes(exchange) }
        for exchange in client.exchanges { bytes += heldBytes(exchange) }
        // Untaken answers are held by streams whose exchanges have ended.
        if let link = client.link { bytes += link.session.heldBytes }
        return bytes
    }

    /// Additional buffer bytes of an exchange, apart from its client's connection.
    private func heldBytes(_ exchange: Exchange) -> Int {
        let socket = exchange.upstream?.socket
        return (exchange.sent.chunk?.capacity ?? 0) + exchange.collected.capacity + (socket?.receivedCapacity ?? 0)
            + (socket?.pendingBytes ?? 0)
    }
}
