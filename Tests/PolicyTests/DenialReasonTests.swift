import Bytes
import Testing

@testable import Policy

@Suite("Denial reasons")
struct DenialReasonTests {
    @Test("the body is the JSON of section 1.6", arguments: DenialReason.allCases)
    func body(_ reason: DenialReason) throws {
        let body = reason.body
        let node = try JSONNode.parse(body.span)
        #expect(node.members?.map(\.name) == ["status", "title", "detail", "code"])
        #expect(node["status"]?.integer == Int64(reason.status))
        #expect(node["title"]?.string == reason.title)
    }

    @Test("all 401s have one body (CHAL-07, BASIC-03)")
    func uniformUnauthorized() {
        let bodies = Set(DenialReason.allCases.filter { $0.status == 401 }.map(\.body))
        #expect(bodies.count == 1)
        #expect(
            bodies.first.map { String(decoding: $0, as: UTF8.self) }
                == #"{"status":401,"title":"Unauthorized","detail":"invalid or missing token","code":"unauthorized"}"#)
    }

    @Test("summaries and positions are unique")
    func uniqueness() {
        #expect(DenialReason.allCases.map(\.position) == Array(DenialReason.allCases.indices))
        #expect(Set(DenialReason.allCases.map { "\($0.summary)" }).count == DenialReason.allCases.count)
    }

    @Test("codes that clients and requirements name")
    func publicCodes() {
        #expect(DenialReason.roleRequired.publicCode == "role_required")
        #expect(DenialReason.corsDenied.publicCode == "cors_denied")
        #expect(DenialReason.backendMismatch.publicCode == "backend_mismatch")
    }

    @Test("not authenticated is 401, not authorized is 403, never 404 to hide (GW-10)")
    func statuses() {
        #expect(DenialReason.missingCredential.status == 401)
        #expect(DenialReason.stepUpRequired.status == 401)
        #expect(DenialReason.roleRequired.status == 403)
        #expect(DenialReason.allCases.filter { $0.status == 404 } == [.noRoute])
    }
}
