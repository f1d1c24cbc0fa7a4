import Crypto
import Gateway
import Identity
import JOSE
import Model
import Outbound
import Reactor
import Synchronization

/// The published keys of issuers. A reload with the same settings keeps the keys and the time of the next fetch.
final class RetainedKeys: Sendable {
    /// Of all issuers of the process.
    let epoch = KeyEpoch()
    private let sets = Mutex<[RemoteKeySettings: RemoteKeySet]>([:])

    /// - Parameter name: of the configuration entry, for the log.
    func keys(
        _ settings: RemoteKeySettings, name: String, caller: any OutboundCaller, log: EventLog?
    ) throws(TLSSettingsError) -> RemoteKeySet {
        if let known = sets.withLock({ $0[settings] }) { return known }
        let made = try RemoteKeySet(
            settings, caller: caller, epoch: epoch, clock: { Clock.wallSeconds },
            observe: { log?.write($0, issuer: name) })
        sets.withLock { $0[settings] = made }
        return made
    }

    /// Removes issuers of earlier configurations.
    func keep(only keys: [RemoteKeySet]) {
        sets.withLock { sets in sets = sets.filter { known in keys.contains { $0 === known.value } } }
    }
}

extension EventLog {
    fileprivate func write(_ event: RemoteKeySet.Event, issuer: String) {
        switch event {
        case .fetched(_, let change) where !change.isNews: break
        case .fetched(let keys, let change):
            write(
                .keysFetched,
                [
                    ("issuer", .text(issuer)), ("keys", .number(keys.keys.count)), ("removed", .flag(change.losesKeys)),
                    ("ignored", .text(keys.ignored.map(\.reason).joined(separator: "; "))),
                ])
        case .failed(let failure, let hasKeys):
            write(
                .keysFailed,
                [
                    ("issuer", .text(issuer)), ("reason", .text(failure.code)), ("detail", .text(failure.description)),
                    ("has_keys", .flag(hasKeys)),
                ])
        }
    }
}
