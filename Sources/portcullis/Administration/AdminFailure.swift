import Declaration
import Endpoints
import Gateway
import HTTP
import Model
import TokenStorage

/// The failure of a request. Nothing was written, unless the message says otherwise.
enum AdminFailure: EndpointFailure {
    /// The resource does not accept the request.
    case malformed(String)
    /// The same, with findings by line.
    case unusable([String])
    case notFound(String, suggestion: String? = nil)
    case methodNotAllowed([String])
    /// The entry exists already or is still in use.
    case conflict(String)
    /// The condition of the request does not hold.
    case changedMeanwhile
    /// The change would make the configuration invalid.
    case invalid(String, [Diagnostic])
    /// The configuration is invalid, and the change does not repair it.
    case alreadyInvalid([Diagnostic])
    /// Another change holds the lock.
    case busy
    case cannotWrite(String)
    /// The token store is missing or does not respond.
    case unavailable(String)

    /// - Parameter noun: what has the name, such as "member".
    static func unknown(_ noun: String, _ name: String, among known: [String]) -> AdminFailure {
        let near = Suggestion.nearest(to: name, among: known)
        let hint = near.map { "did you mean \"\($0)\"?" } ?? "known are \(known.joined(separator: ", "))"
        return .malformed("unknown \(noun) \"\(name)\"; \(hint)")
    }

    var reason: Reason {
        switch self {
        case .malformed: .invalidRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .conflict: .conflict
        case .changedMeanwhile: .preconditionFailed
        case .unusable, .invalid, .alreadyInvalid: .invalidConfiguration
        case .cannotWrite: .writeFailed
        case .busy: .busy
        case .unavailable: .unavailable
        }
    }

    var detail: String {
        switch self {
        case .malformed(let text), .conflict(let text), .cannotWrite(let text), .unavailable(let text): text
        case .notFound(let text, let suggestion): text + (suggestion.map { "; did you mean \"\($0)\"?" } ?? "")
        case .methodNotAllowed(let methods): "use \(methods.joined(separator: ", "))"
        case .changedMeanwhile: "it was changed in the meantime; read it again"
        case .unusable: "some lines cannot be used"
        case .invalid(let text, _): text
        case .alreadyInvalid: "the configuration has errors; correct them first"
        case .busy: "another change is being made"
        }
    }

    /// Findings with their places.
    private var errors: [String] {
        switch self {
        case .unusable(let lines): lines
        case .invalid(_, let diagnostics), .alreadyInvalid(let diagnostics):
            diagnostics.filter { $0.severity == .error }.map(\.description)
        default: []
        }
    }

    var fields: [(name: String, value: String)] {
        if case .methodNotAllowed(let methods) = self { [("Allow", methods.joined(separator: ", "))] } else { [] }
    }

    var shape: EndpointResponse { .problem(reason, detail, errors: errors) }

    /// The failure with the result of the request, since a new secret is shown only once.
    func response(with result: [UInt8]) -> EndpointResponse {
        var response = response
        guard !result.isEmpty else { return response }
        response.body = response.body.dropLast() + Array(#","result":"#.utf8) + result + [UInt8(ascii: "}")]
        return response
    }
}

extension AdminFailure {
    /// The failure of a change that is active here, but may be unknown to other gateways.
    static func untold(_ failure: StoreFailure) -> AdminFailure {
        if failure == .notReplicated {
            return .unavailable(
                """
                the change is made, and other gateways hear of it; the store has fewer replicas of that than are asked for \
                (\(failure.reason)), so that a failover may lose it: then make the change at each gateway
                """)
        }
        return .unavailable(
            """
            the change is made, and in force here; the store has failed (\(failure.reason)), and other gateways hear of \
            it once it answers, unless this one ends before: then make the change at each of them
            """)
    }
}
