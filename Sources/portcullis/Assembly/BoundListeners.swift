import Configuration
import Gateway

/// The listeners that the workers have, by number, and how they are treated now. Sockets stay as they are until the
/// process ends; how their connections are treated follows the configuration.
struct BoundListeners {
    let entries: [ListenerEntry]
    let settings: [ListenerSettings]

    /// The settings of another configuration in the order of the sockets. A socket that it no longer mentions goes on as
    /// before, since somebody may still come in there.
    func follow(_ fresh: [ListenerEntry], _ freshSettings: [ListenerSettings]) -> [ListenerSettings] {
        entries.indices.map { number in
            fresh.firstIndex { $0.isSameSocket(as: entries[number]) }.map { freshSettings[$0] } ?? settings[number]
        }
    }

    /// Whether a configuration wants these sockets and no others.
    func are(_ wanted: [ListenerEntry]) -> Bool {
        wanted.count == entries.count
            && wanted.allSatisfy { entry in entries.contains { $0.isSameSocket(as: entry) } }
    }
}

extension ListenerEntry {
    /// Whether two configurations mean the same socket. Where the system chooses the port, the name tells.
    func isSameSocket(as other: ListenerEntry) -> Bool {
        place == other.place && (!place.isChosenBySystem || name == other.name)
    }
}
