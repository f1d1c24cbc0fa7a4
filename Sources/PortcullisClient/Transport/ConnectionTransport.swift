import Bytes
import ClientStore
import Crypto
import Dispatch
import HTTP
import Model

/// HTTP/1.1 with one connection for each request, with TLS for `https`. Certificates are always verified, with the
/// authorities of the system and additional ones.
public struct ConnectionTransport: Transport {
    private let tls: TLSClientContext
    private let timeoutMilliseconds: Int32
    private let queue = DispatchQueue(label: "portcullis.client", attributes: .concurrent)

    /// - Parameters:
    ///   - authorities: additional authorities in PEM form.
    ///   - timeoutSeconds: time-out of the connection and of each send and receive.
    public init(authorities: [UInt8]? = nil, timeoutSeconds: Int = 30) throws(ClientError) {
        var settings = TLSClientSettings()
        settings.protocols = [.http11]
        if let authorities { settings.trust = .systemAnd(authorities) }
        do throws(TLSSettingsError) {
            tls = try TLSClientContext(settings)
        } catch {
            throw ClientError(.invalidProfile, "the certificates of authorities cannot be used: \(error)")
        }
        timeoutMilliseconds = Int32(clamping: timeoutSeconds * 1000)
    }

    /// Cancelling the task ends the connection at once (UPS-08).
    public func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (waiting: CheckedContinuation<Result<ClientResponse, ClientError>, Never>) in
                queue.async {
                    waiting.resume(returning: Result { () throws(ClientError) in try exchange(request, cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
        // A received response is returned even after a cancellation (UPS-08).
        if case .failure = result, cancellation.isCancelled { throw .cancelled }
        return try result.get()
    }

    /// Blocks this thread until the response is complete.
    private func exchange(
        _ request: ClientRequest, _ cancellation: Cancellation
    ) throws(ClientError) -> ClientResponse {
        if cancellation.isCancelled { throw .cancelled }
        let address = try WebURL(client: request.url)
        let head = try ConnectionTransport.head(of: request, to: address)
        let stream = try ClientStream(address, tls: tls, timeoutMilliseconds: timeoutMilliseconds, cancellation)
        let chunk = Chunk(capacity: head.count + request.body.count)
        chunk.append(head)
        chunk.append(request.body)
        try stream.send(chunk)
        var reader = ResponseReader(isHead: request.method == "HEAD")
        return try reader.read(from: stream)
    }

    private static func head(of request: ClientRequest, to address: WebURL) throws(ClientError) -> [UInt8] {
        var text = "\(request.method) \(address.target) HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n"
        let method = Array(request.method.utf8)
        guard FieldSyntax.isToken(method.span) else {
            throw ClientError(.invalidRequest, "\"\(request.method)\" is no method")
        }
        for field in request.fields {
            let (name, value) = (Array(field.name.utf8), Array(field.value.utf8))
            guard FieldSyntax.isToken(name.span), FieldSyntax.isValue(value.span) else {
                throw ClientError(.invalidRequest, "the field \"\(field.name)\" cannot be sent as it is")
            }
            text += "\(field.name): \(field.value)\r\n"
        }
        if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
            text += "Content-Length: \(request.body.count)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }
}
