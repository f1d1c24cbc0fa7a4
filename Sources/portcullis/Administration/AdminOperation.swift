import Bytes
import Gateway
import HTTP

/// A method of a resource below `/admin`.
struct AdminOperation: Sendable {
    let method: Method
    /// Segments; `*` matches any name.
    let path: [String]
    /// Name in the audit log.
    let action: String
    let run: @Sendable (Administration, AdminRequest) throws(AdminFailure) -> AdminAnswer

    var isChange: Bool { method != .get }
    /// Whether the gateway must read its files again, those of its keys included.
    var changesConfiguration: Bool {
        isChange && (AdminOperation.isInFiles(path) || path.first == "signing-keys")
    }

    init(
        _ method: Method, _ path: String, _ action: String,
        _ run: @escaping @Sendable (Administration, AdminRequest) throws(AdminFailure) -> AdminAnswer
    ) {
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.action = action
        self.run = run
    }

    /// Whether what a path names is in the files of the configuration.
    static func isInFiles(_ path: [String]) -> Bool {
        !["tokens", "devices", "lockouts", "issuers", "signing-keys"].contains(path.first)
    }

    private func isAt(_ wanted: [String]) -> Bool {
        path.count == wanted.count && zip(path, wanted).allSatisfy { $0 == "*" ? !$1.isEmpty : $0 == $1 }
    }

    /// Without those of families.
    private static let all: [AdminOperation] = [
        UserAdministration.operations, RoleAdministration.operations, RealmAdministration.operations,
        PolicyAdministration.operations, ClientAdministration.operations,
        BackendAdministration.operations, CertificateAdministration.operations,
        TokenAdministration.operations, RouteAdministration.operations, RequirementAdministration.operations,
        ConsumerAdministration.operations, SigningKeyAdministration.operations, IssuerAdministration.operations,
        RefusalAdministration.operations,
    ].flatMap(\.self)

    /// - Parameter others: the operations of families.
    static func find(_ request: AdminRequest, _ others: [AdminOperation]) throws(AdminFailure) -> AdminOperation {
        let found = (all + others).filter { $0.isAt(request.path) }
        guard !found.isEmpty else { throw .notFound("there is no such resource") }
        let method = request.method == .head ? .get : request.method
        guard let operation = found.first(where: { $0.method == method }) else {
            throw .methodNotAllowed(found.flatMap { $0.method == .get ? ["GET", "HEAD"] : ["\($0.method.text)"] })
        }
        return operation
    }
}

/// A family with resources of its own.
protocol AdministeredFamily: Sendable {
    var operations: [AdminOperation] { get }
}

extension AdminOperation {
    /// Which gateways apply a change of this kind.
    var reach: Reach {
        switch path.first {
        case "tokens", "devices": .allGateways
        case _ where path.contains("routes"): .thisGateway
        case "users", "clients", "backends", "consumers", "certificates": takesAway ? .withdrawals : .thisGateway
        default: .thisGateway
        }
    }

    /// `POST` adds something, unless its name says more.
    private var takesAway: Bool {
        method != .post || ["rotate", "rotate-secret", "revoke"].contains(path.last)
    }
}

/// The resources of one kind, such as users. A value serves one request.
protocol ResourceAdministration: SendableMetatype {
    static var operations: [AdminOperation] { get }

    init(administration: Administration) throws(AdminFailure)
}

extension ResourceAdministration {
    static func operation(
        _ method: Method, _ path: String, _ action: String,
        _ run: @escaping @Sendable (Self) -> (AdminRequest) throws(AdminFailure) -> AdminAnswer
    ) -> AdminOperation {
        AdminOperation(method, path, action) { (administration, request) throws(AdminFailure) in
            try run(try Self(administration: administration))(request)
        }
    }
}

extension AdminRequest {
    /// The maximum number of listed records.
    func limit() throws(AdminFailure) -> Int {
        let (usual, largest) = (100, 10_000)
        let count = parameter("limit").map { Decimal.parse(Array($0.utf8).span) } ?? usual
        guard let count, (1...largest).contains(count) else {
            throw .malformed("\"limit\" must be a number from 1 to \(largest)")
        }
        return count
    }
}

extension Method {
    /// The name on the wire.
    var text: String { name.map { "\($0)" } ?? "" }
}
