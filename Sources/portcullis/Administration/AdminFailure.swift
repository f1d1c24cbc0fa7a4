import Configuration
import Endpoints
import Model

/// Why something was not looked up or changed. Nothing was written then, except where it says so.
enum AdminFailure: EndpointFailure {
    /// The request is not what its resource takes.
    case malformed(String)
    /// The same, with a finding for each of many lines.
    case unusable([String])
    case notFound(String, suggestion: String? = nil)
    case methodNotAllowed([String])
    /// There is such a thing already, or it is still in use.
    case conflict(String)
    /// It is not any more what the caller has seen.
    case changedMeanwhile
    /// With this change the configuration would not be valid.
    case invalid(String, [Diagnostic])
    /// The configuration is not valid as it is, and the change does not mend it.
    case alreadyInvalid([Diagnostic])
    /// Another change is taking too long.
    case busy
    case cannotWrite(String)
    /// There is no store of tokens to ask, or it does not answer.
    case unavailable(String)

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
        case .alreadyInvalid: "the configuration is not valid as it is, and must be mended first"
        case .busy: "another change is being made"
        }
    }

    /// What is wrong at which place, a line each.
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

    /// The same with what the request would have been answered: a new secret is shown once, and would be lost.
    func response(with result: [UInt8]) -> EndpointResponse {
        var response = response
        guard !result.isEmpty else { return response }
        response.body = response.body.dropLast() + Array(#","result":"#.utf8) + result + [UInt8(ascii: "}")]
        return response
    }
}
