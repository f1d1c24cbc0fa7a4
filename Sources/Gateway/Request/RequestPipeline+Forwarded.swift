import Bytes
import HTTP
import Model

/// Identifies clients behind trusted proxies.
extension RequestPipeline {
    /// Determines the client's address and scheme. Nothing is parsed if the peer is not trusted.
    func identifyClient(_ exchange: Exchange, _ client: ClientConnection, _ bytes: Span<UInt8>) {
        exchange.address = client.address
        exchange.isSecure = client.isEncrypted
        guard let peer = client.address, exchange.snapshot.proxies.contains(peer) else { return }
        let proxies = exchange.snapshot.proxies
        let chunk = exchange.forwarding
        chunk.append("X-Forwarded-For: ")
        let fields = ForwardedFields.read(
            requestHeaders, bytes, family: proxies.family, peer: peer, chain: chunk, trusted: proxies.ranges)
        exchange.address = fields.client
        exchange.isSecure = fields.isSecure ?? exchange.isSecure
        chunk.ensureFree(256 + Int(fields.host?.count ?? 0))
        chunk.append(exchange.isSecure ? "\r\nX-Forwarded-Proto: https\r\n" : "\r\nX-Forwarded-Proto: http\r\n")
        if let host = fields.host ?? (exchange.head.authority.isEmpty ? nil : exchange.head.authority) {
            chunk.append("X-Forwarded-Host: ")
            chunk.append(bytes.slice(host))
            chunk.append("\r\n")
        }
        if let port = fields.port {
            chunk.append("X-Forwarded-Port: ")
            chunk.append(decimal: Int(port))
            chunk.append("\r\n")
        }
    }
}
