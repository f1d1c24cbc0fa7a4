import Bytes
import Gateway
import Glibc
import Identity
import Model
import Reactor

/// The audit log: author, action and outcome of changes, without secrets.
enum AuditTrail: Sendable {
    /// The event log of a running gateway.
    case gateway(EventLog)
    /// `state/audit.log` of a directory whose files a command changes.
    case command(directory: String)

    enum Outcome {
        case changed
        /// A secret was shown.
        case shown
        case refused(Reason)
    }

    /// - Parameters:
    ///   - object: the name of the object of the change.
    ///   - roles: changed memberships, if the object is a user.
    func write(
        _ action: String, _ object: String, _ request: AdminRequest, _ outcome: Outcome,
        roles: MembershipChange? = nil
    ) {
        var members: [(String, EventLog.Value)] = [("action", .text(action))]
        switch outcome {
        case .changed: members.append(("outcome", .text("changed")))
        case .shown: members.append(("outcome", .text("shown")))
        case .refused(let reason):
            members += [("outcome", .text("refused")), ("reason", .text(reason.code))]
        }
        let origin = request.origin
        let author = origin.application.isEmpty ? self.author : "application"
        members += [("object", .text(object)), ("by", .text(author))]
        for (name, roles) in [("roles_given", roles?.given ?? []), ("roles_taken", roles?.taken ?? [])]
        where !roles.isEmpty {
            members.append((name, .texts(roles)))
        }
        let details = [
            ("realm", request.parameter("realm") ?? ""),
            ("client_id", origin.application), ("caller", origin.caller), ("request_id", origin.requestID),
            ("client_ip", origin.address),
        ]
        for (name, text) in details where !text.isEmpty { members.append((name, .text(text))) }
        switch self {
        case .gateway(let log): log.write(.audit, members)
        case .command(let directory):
            members.append(("user", .number(Int(getuid()))))
            AuditTrail.append(members, in: directory + "/state")
        }
    }

    private var author: String {
        switch self {
        case .gateway: "admin_api"
        case .command: "command_line"
        }
    }

    /// Errors are ignored, so that the configuration can be repaired nevertheless.
    private static func append(_ members: [(String, EventLog.Value)], in directory: String) {
        makeDirectory(directory)
        guard let writer = try? LogWriter(appendingTo: directory + "/audit.log") else { return }
        let log = EventLog(writer)
        log.write(.audit, members)
        log.flush()
    }

    /// The directory gets the owner of `gateway.json`, since the gateway, which stores its keys there, may run as that user.
    private static func makeDirectory(_ path: String) {
        guard !FileSystem.exists(path), FileSystem.isDirectory(FilePath.directory(of: path)),
            (try? FileSystem.makeDirectory(path, mode: 0o700)) != nil
        else { return }
        let model = String(path.dropLast("state".count) + "gateway.json")
        guard getuid() == 0, let status = (try? FileStatus(model)) ?? (try? FileStatus(model + "c")) else { return }
        try? FileSystem.setOwner(status.owner, group: status.group, of: path)
    }
}

extension AdminRequest {
    /// Characters of a name that was sent; it has not been checked.
    private static let longestName = 256

    /// The name of the object of a change that was refused: that of the path, or for one to be added that of the body.
    var namedObject: String {
        if path.count > 1 { return path.dropFirst().joined(separator: "/") }
        guard let body = try? JSONNode.parse(body.span) else { return "" }
        let names = ["username", "alias", "name", "version"].compactMap { body[$0]?.string }
        return String(names.joined(separator: "/").prefix(AdminRequest.longestName))
    }
}
