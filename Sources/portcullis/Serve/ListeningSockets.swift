import Configuration
import Gateway
import Glibc
import Model
import Reactor

/// Why a gateway does not start.
struct StartFailure: Error {
    let text: String

    init(_ text: String) { self.text = text }
    init(_ error: KernelError) { text = error.text }
}

/// The listening sockets of a process: inherited or bound.
struct ListeningSockets {
    /// Listeners of the configuration have ids from 0; the admin listener has this one.
    static let adminListener = 1_000_000

    /// The sockets of each worker.
    private(set) var boxes: [[BoundListenerBox]]
    /// Each socket once, for a successor.
    private(set) var copies: [ListenerCopy] = []
    /// Socket files to remove when the process exits.
    private(set) var files: [SocketFile] = []

    private let log: EventLog

    init(workers: Int, log: EventLog) {
        boxes = Array(repeating: [], count: workers)
        self.log = log
    }

    /// Opens all listeners. Inherited sockets that match no listener are left alone.
    mutating func open(
        _ configuration: GatewayConfiguration, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) {
        for (id, entry) in configuration.listeners.enumerated() {
            let key = entry.place.isChosenBySystem ? "listener:\(entry.rules.name)" : "at:\(entry.place)"
            let listener = Listener(id: id, name: entry.rules.name, place: entry.place, key: key)
            announce(entry.rules.name, try open(listener, workers: boxes.count, &inherited))
        }
        if let admin = configuration.admin {
            let place = ListenerAddress.address(admin.address, port: admin.port)
            let key = place.isChosenBySystem ? "admin:" : "admin:\(place)"
            let listener = Listener(id: ListeningSockets.adminListener, name: "admin", place: place, key: key)
            announce("admin", try open(listener, workers: 1, &inherited))
        }
    }

    private struct Listener {
        let id: Int
        let name: String
        let place: ListenerAddress
        /// The name by which a successor finds the sockets: the place, as for a reload, or the name of the listener where
        /// the system chooses the port. The colon distinguishes it from systemd's names.
        let key: String
    }

    private mutating func open(
        _ listener: Listener, workers: Int, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> SocketAddress {
        let claimed = try claim(listener.key, for: listener, workers, &inherited)
        switch listener.place {
        case .address(let address, let port):
            if let claimed { return claimed }
            return try bind(SocketAddress(address, port: UInt16(port)), for: listener, workers: workers)
        case .unix(let path, let mode):
            guard let address = SocketAddress(unixPath: path) else {
                throw StartFailure("\(path) is too long for the name of a socket; the limit is 107 bytes")
            }
            if claimed != nil {
                try? FileSystem.setMode(UInt32(mode), of: path)
            } else {
                let bound = try listening(on: address.description, at: address, for: listener) {
                    () throws(KernelError) in
                    try BoundListener(address, mode: UInt32(mode))
                }
                try assign(bound, of: listener, to: Array(0..<workers))
            }
            if let file = SocketFile(address) { files.append(file) }
            return address
        case .inherited(let name):
            if let claimed { return claimed }
            if let claimed = try claim(name, for: listener, workers, &inherited) { return claimed }
            throw StartFailure("no inherited socket is named \(name) (FileDescriptorName= of systemd)")
        }
    }

    /// Claims all inherited sockets of a name and returns their address; nil if there are none.
    ///
    /// Every socket gets a worker, since connections may wait in any of them. Surplus workers share sockets.
    private mutating func claim(
        _ name: String, for listener: Listener, _ workers: Int, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> SocketAddress? {
        let count = inherited.names.count { $0 == name }
        var address: SocketAddress?
        for index in 0..<count {
            let owners = index < workers ? Array(stride(from: index, to: workers, by: count)) : [index % workers]
            let bound = try listening(on: "the inherited socket \(name)", for: listener) { () throws(KernelError) in
                try inherited.claim(name)
            }
            guard let bound else { break }
            address = bound.address
            try assign(bound, of: listener, to: owners)
        }
        return address
    }

    /// Binds one socket for each worker.
    private mutating func bind(
        _ requested: SocketAddress, for listener: Listener, workers: Int
    ) throws(StartFailure) -> SocketAddress {
        var address = requested
        try listening(on: address.description, at: address, for: listener) { () throws(KernelError) in
            try BoundListener.checkFree(address)
        }
        for worker in 0..<workers {
            let bound = try listening(on: address.description, for: listener) { () throws(KernelError) in
                try BoundListener(address)
            }
            address = bound.address
            try assign(bound, of: listener, to: [worker])
        }
        return address
    }

    /// Assigns a socket to workers, and keeps a copy for a successor.
    private mutating func assign(
        _ bound: consuming BoundListener, of listener: Listener, to owners: [Int]
    ) throws(StartFailure) {
        do throws(KernelError) {
            copies.append(try ListenerCopy(bound, name: listener.key))
            guard owners.count > 1 else { return boxes[owners[0]].append(BoundListenerBox(bound, id: listener.id)) }
            for worker in owners { boxes[worker].append(BoundListenerBox(try bound.duplicate(), id: listener.id)) }
        } catch {
            throw StartFailure(error)
        }
    }

    /// - Parameter address: where another program may listen.
    private func listening<T: ~Copyable>(
        on place: String, at address: SocketAddress? = nil, for listener: Listener,
        _ body: () throws(KernelError) -> T
    ) throws(StartFailure) -> T {
        do throws(KernelError) {
            return try body()
        } catch {
            let holder = error.code == EADDRINUSE ? address.map(ListeningSockets.holder) ?? "" : ""
            throw StartFailure("the listener \"\(listener.name)\" cannot listen on \(place): \(error.text)\(holder)")
        }
    }

    /// Who has an address that is in use, and what to do.
    private static func holder(of address: SocketAddress) -> String {
        guard address.isUnix || BoundListener.isShareable(address) else { return "; another program listens there" }
        return """
            ; another gateway serves there. `portcullis reload` gives it a changed configuration, SIGUSR2 has it \
            hand over to a new process, SIGTERM ends it
            """
    }

    private func announce(_ name: String, _ address: SocketAddress) {
        log.write(.listening, [("listener", .text(name)), ("address", .text(address.description))])
    }
}
