import Configuration
import Foundation
import Gateway
import Model
import Reactor

/// Why a gateway does not start: one sentence for whoever starts it.
struct StartFailure: Error {
    let text: String

    init(_ text: String) { self.text = text }
    init(_ error: KernelError) { text = error.text }
}

/// The sockets that a process listens on: claimed from those it was started with, or bound by itself.
struct ListeningSockets {
    /// Listeners of the configuration have ids from 0; the admin listener has this one.
    static let adminListener = 1_000_000

    /// For each worker what it takes.
    private(set) var boxes: [[BoundListenerBox]]
    /// Every socket once, for a successor.
    private(set) var copies: [ListenerCopy] = []
    /// To be removed at the end.
    private(set) var files: [SocketFile] = []

    private let log: EventLog

    init(workers: Int, log: EventLog) {
        boxes = Array(repeating: [], count: workers)
        self.log = log
    }

    /// Opens all listeners. What was inherited and fits none of them stays where it is.
    mutating func open(
        _ configuration: GatewayConfiguration, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) {
        for (id, entry) in configuration.listeners.enumerated() {
            let address = try open(Wanted(entry, id: id), workers: boxes.count, &inherited)
            announce(entry.name, address)
        }
        if let admin = configuration.admin {
            let place = ListenerPlace.address(admin.address, port: admin.port)
            let key = place.isChosenBySystem ? "admin:" : "admin:\(place)"
            let wanted = Wanted(id: ListeningSockets.adminListener, name: "admin", place: place, key: key)
            announce("admin", try open(wanted, workers: 1, &inherited))
        }
    }

    /// A listener, and the name under which its sockets go from one process to the next.
    private struct Wanted {
        let id: Int
        let name: String
        let place: ListenerPlace
        let key: String

        init(id: Int, name: String, place: ListenerPlace, key: String) {
            self.id = id
            self.name = name
            self.place = place
            self.key = key
        }

        /// The place tells which socket it is, as with a reload, and the name where the system has chosen the port. Each
        /// key has a colon, which systemd's names have not.
        init(_ entry: ListenerEntry, id: Int) {
            self.id = id
            name = entry.name
            place = entry.place
            key = entry.place.isChosenBySystem ? "listener:\(entry.name)" : "at:\(entry.place)"
        }
    }

    private mutating func open(
        _ wanted: Wanted, workers: Int, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> SocketAddress {
        let claimed = try claim(wanted.key, for: wanted, workers, &inherited)
        switch wanted.place {
        case .address(let address, let port):
            if let claimed { return claimed }
            return try bind(SocketAddress(address, port: UInt16(port)), for: wanted, workers: workers)
        case .unix(let path, let mode):
            guard let address = SocketAddress(unixPath: path) else {
                throw StartFailure("\(path) cannot be the name of a socket; 107 bytes are the most")
            }
            if claimed != nil {
                try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            } else {
                let bound = try listening(on: address.description, for: wanted) { () throws(KernelError) in
                    try BoundListener(address, mode: UInt32(mode))
                }
                try take(bound, for: wanted, by: Array(0..<workers))
            }
            if let file = SocketFile(address) { files.append(file) }
            return address
        case .inherited(let name):
            if let claimed { return claimed }
            if let claimed = try claim(name, for: wanted, workers, &inherited) { return claimed }
            throw StartFailure("no socket named \(name) was handed over (FileDescriptorName= of systemd)")
        }
    }

    /// Takes all inherited sockets of a name; nil where there is none.
    ///
    /// Each is accepted from, whatever the number of workers: a connection may wait in any of them. Workers without a
    /// socket of their own share one.
    private mutating func claim(
        _ name: String, for wanted: Wanted, _ workers: Int, _ inherited: inout InheritedDescriptors
    ) throws(StartFailure) -> SocketAddress? {
        let count = inherited.names.count { $0 == name }
        var address: SocketAddress?
        for index in 0..<count {
            let takers = index < workers ? Array(stride(from: index, to: workers, by: count)) : [index % workers]
            let bound = try listening(on: "the inherited socket \(name)", for: wanted) { () throws(KernelError) in
                try inherited.claim(name)
            }
            guard let bound else { break }
            address = bound.address
            try take(bound, for: wanted, by: takers)
        }
        return address
    }

    /// Binds one socket for each worker.
    private mutating func bind(
        _ wantedAddress: SocketAddress, for wanted: Wanted, workers: Int
    ) throws(StartFailure) -> SocketAddress {
        var address = wantedAddress
        try listening(on: address.description, for: wanted) { () throws(KernelError) in
            try BoundListener.checkFree(address)
        }
        for worker in 0..<workers {
            let bound = try listening(on: address.description, for: wanted) { () throws(KernelError) in
                try BoundListener(address)
            }
            address = bound.address
            try take(bound, for: wanted, by: [worker])
        }
        return address
    }

    /// Gives a socket to workers, and keeps it for a successor.
    private mutating func take(
        _ bound: consuming BoundListener, for wanted: Wanted, by takers: [Int]
    ) throws(StartFailure) {
        do throws(KernelError) {
            copies.append(try ListenerCopy(bound, name: wanted.key))
            guard takers.count > 1 else { return boxes[takers[0]].append(BoundListenerBox(bound, id: wanted.id)) }
            for worker in takers { boxes[worker].append(BoundListenerBox(try bound.duplicate(), id: wanted.id)) }
        } catch {
            throw StartFailure(error)
        }
    }

    private func listening<T: ~Copyable>(
        on place: String, for wanted: Wanted, _ body: () throws(KernelError) -> T
    ) throws(StartFailure) -> T {
        do throws(KernelError) {
            return try body()
        } catch {
            throw StartFailure("the listener \"\(wanted.name)\" cannot listen on \(place): \(error.text)")
        }
    }

    private func announce(_ name: String, _ address: SocketAddress) {
        log.write("listening", [("listener", .text(name)), ("address", .text(address.description))])
    }
}
