import Bytes
import HTTP
import Model

extension EndpointResponse {
    /// A reply of a token endpoint, success or error, with the fields of OAUTH-04 to the letter.
    package static func token(status: Int, body: [UInt8], reason: Reason) -> EndpointResponse {
        EndpointResponse(
            status: status,
            headers: [
                (name: "Content-Type", value: "application/json;charset=UTF-8"),
                (name: "Cache-Control", value: "no-store"),
                (name: "Pragma", value: "no-cache"),
            ],
            body: body, reason: reason)
    }

    /// An error of a token endpoint (RFC 6749 section 5.2).
    package static func tokenError(_ error: String, _ description: String, _ reason: Reason) -> EndpointResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", error)
        writer.member("error_description", description)
        writer.endObject()
        return token(status: reason.status, body: writer.bytes, reason: reason)
    }

    /// Sends a browser elsewhere.
    package static func redirect(
        _ status: Int, to location: String, reason: Reason, fields: [(name: String, value: String)] = []
    ) -> EndpointResponse {
        let common = [(name: "Location", value: location), (name: "Cache-Control", value: "no-store")]
        return EndpointResponse(status: status, headers: common + fields, body: [], reason: reason)
    }

    /// The response to a refused request, with what was compared.
    package func comparing(_ lines: [String]) -> EndpointResponse {
        var response = self
        response.evidence = evidence + Evidence(lines)
        return response
    }

    /// The response with an entry for the audit log.
    package func audited(
        _ action: String, _ outcome: AuditEntry.Outcome, subject: String = "", client: String = "", tokenID: String = ""
    ) -> EndpointResponse {
        var response = self
        response.audit = AuditEntry(
            action: action, outcome: outcome, subject: subject, client: client, tokenID: tokenID)
        return response
    }

    /// A public document that may be cached for some minutes.
    package static func document(_ body: [UInt8], reason: Reason) -> EndpointResponse {
        EndpointResponse(
            status: 200,
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Cache-Control", value: "public, max-age=300"),
            ],
            body: body, reason: reason)
    }

    /// A reply about one caller, which must not be cached.
    package static func personal(_ body: [UInt8], reason: Reason) -> EndpointResponse {
        EndpointResponse(
            status: 200,
            headers: [
                (name: "Content-Type", value: "application/json"),
                (name: "Cache-Control", value: "no-store"),
            ],
            body: body, reason: reason)
    }

    /// The refusal of methods other than these, at an endpoint that is only read.
    package static func onlyReading(_ methods: String) -> EndpointResponse {
        .problem(.methodNotAllowed, "use GET", headers: [(name: "Allow", value: methods)])
    }

    /// The refusal of methods other than these.
    package static func methodNotAllowed(_ methods: String) -> EndpointResponse {
        .problem(.methodNotAllowed, "use \(methods)", headers: [(name: "Allow", value: methods)])
    }

    /// An error of an endpoint outside OAuth, in the shape of a denial's body.
    ///
    /// - Parameters:
    ///   - status: where it is another than the reason's.
    ///   - title: nil for the reason phrase of the status.
    ///   - errors: findings in words, where there are several.
    package static func problem(
        _ reason: Reason, _ detail: String, status: Int? = nil, title: String? = nil,
        headers: [(name: String, value: String)] = [], errors: [String] = []
    ) -> EndpointResponse {
        let status = status ?? reason.status
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", status)
        writer.member("title", title ?? "\(StatusReason.text(status))")
        writer.member("detail", detail)
        writer.member("code", reason.publicCode)
        if !errors.isEmpty { writer.member("errors", errors) }
        writer.endObject()
        let common = [(name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store")]
        return EndpointResponse(status: status, headers: common + headers, body: writer.bytes, reason: reason)
    }
}
