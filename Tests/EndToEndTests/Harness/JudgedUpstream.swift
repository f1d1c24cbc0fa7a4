import Foundation

/// An upstream that reads in the way of one reader, answers 204 to each request that it sees, and keeps every byte it was
/// sent, so that other readers can be asked what they would have seen.
final class JudgedUpstream: Sendable {
    private struct State: Sendable {
        var bytes: [[UInt8]] = []
        var readings: [UpstreamReader.Reading] = []
        var open: [Int: TCPSocket] = [:]
    }

    private let listener: TCPSocket
    private let state = Monitor(State())
    let port: UInt16

    init(_ reader: UpstreamReader) throws {
        listener = try TCPSocket.listen()
        port = listener.port
        let (listener, state) = (listener, state)
        Thread.detachNewThread {
            while let socket = listener.accept(.after(.seconds(3600))) {
                let number = state.withLock { state in
                    state.bytes.append([])
                    state.readings.append(UpstreamReader.Reading())
                    state.open[state.bytes.count - 1] = socket
                    return state.bytes.count - 1
                }
                Thread.detachNewThread { Self.serve(socket, number, reader, state) }
            }
        }
    }

    deinit { stop() }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Everything received, by connection.
    var received: [[UInt8]] { state.current.bytes }

    /// What the upstream's own reader saw, by connection.
    var readings: [UpstreamReader.Reading] { state.current.readings }

    func stop() {
        for socket in state.current.open.values { socket.interrupt() }
        listener.interrupt()
        listener.close()
    }

    private static func serve(_ socket: TCPSocket, _ number: Int, _ reader: UpstreamReader, _ state: Monitor<State>) {
        defer {
            socket.close()
            _ = state.withLock { $0.open.removeValue(forKey: number) }
        }
        var answered = 0
        while let more = try? socket.receive(65_536, .after(.seconds(3600))), !more.isEmpty {
            let reading = state.withLock { state in
                state.bytes[number] += more
                state.readings[number] = reader.read(state.bytes[number], after: state.readings[number])
                return state.readings[number]
            }
            for _ in answered..<reading.requests.count {
                guard (try? socket.send("HTTP/1.1 204 No Content\r\n\r\n".utf8)) != nil else { return }
            }
            answered = reading.requests.count
            if reading.isRefused {
                try? socket.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
                return
            }
        }
    }
}
