import Bytes
import Gateway
import HTTP
import Model
import Simulation

/// What the next reload would change.
struct ChangeAdministration: ResourceAdministration {
    let administration: Administration

    static let operations = [
        operation(.get, "changes", "changes.show", Self.show)
    ]

    /// Which requests the files decide otherwise than the configuration in force.
    func show(_: AdminRequest) throws(AdminFailure) -> AdminAnswer {
        guard let (rules, host) = administration.servedRules?() else {
            throw .unavailable("a running gateway alone has a configuration in force: use --admin")
        }
        let examination = Assembly.examine(administration.configuration.directory, checksExpectations: false)
        guard let reading = examination.reading else { throw .alreadyInvalid(examination.errors) }
        let difference = Difference(from: rules, to: reading.rules, host: host)
        let members = (difference.json.members ?? []).map { (name: $0.name, value: $0.node) }
        return .shown(
            JSONNode.object(members + [("gains", .flag(difference.someoneGains)), ("text", .text(difference.text))])
                .serialized)
    }
}
