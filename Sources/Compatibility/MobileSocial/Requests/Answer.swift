import Bytes
import Endpoints
import Model
import Outbound

/// What answers a call.
typealias Answer = Effect<EndpointResponse>

extension Effect where Value == EndpointResponse {
    static func deny(_ failure: MobileSocialFailure) -> Effect { .done(failure.response) }

    /// Turns a thrown failure into its response.
    static func catching(_ body: () throws(MobileSocialFailure) -> Answer) -> Answer {
        do throws(MobileSocialFailure) { return try body() } catch { return .deny(error) }
    }
}

extension EndpointResponse {
    /// A response of Mobile & Social, which must not be cached (oam-wire 8.1, rule 8).
    static func mobile(
        status: Int = 200, reason: Reason, _ members: (inout JSONWriter) -> Void
    ) -> EndpointResponse {
        var response = personal(JSONWriter.object(members), reason: reason)
        response.status = status
        return response
    }
}

extension JSONWriter {
    /// The attested members of a response with a token (oam-wire 3.4).
    mutating func token(_ type: String, _ value: String, user: String) {
        member("X-Idaas-Rest-Provider-Type", "OAM_11G")
        member("X-Idaas-Rest-Token-Type", type)
        member("X-Idaas-Rest-Token-Value", value)
        member("X-Idaas-Rest-User-Principal", user)
    }
}
