import Configuration
import Gateway
import Model

/// The listeners of the workers and their settings. Sockets stay until the process ends; settings follow the
/// configuration.
struct BoundListeners {
    let entries: [ListenerEntry]
    let settings: [ListenerSettings]

    /// The settings of another configuration in the order of the sockets. A socket that is no longer configured keeps
    /// its settings.
    func follow(_ fresh: [ListenerEntry], _ freshSettings: [ListenerSettings]) -> [ListenerSettings] {
        entries.indices.map { number in
            fresh.firstIndex { $0.isSameSocket(as: entries[number]) }.map { freshSettings[$0] } ?? settings[number]
        }
    }
}

extension ListenerEntry {
    /// Whether two entries are the same socket. If the system chooses the port, the name decides.
    func isSameSocket(as other: ListenerEntry) -> Bool {
        place == other.place && (!place.isChosenBySystem || rules.name == other.rules.name)
    }
}
