import Bytes
import Model
import Testing

@testable import Policy

@Suite("Denial reasons")
struct DenialTests {
    private static let denials = Reason.allCases[Reason.noRoute.index...Reason.wrongScheme.index]

    @Test("the body is the JSON of section 1.6", arguments: denials)
    func body(_ reason: Reason) throws {
        let body = reason.body
        let node = try JSONNode.parse(body.span)
        #expect(node.members?.map(\.name) == ["status", "title", "detail", "code"])
        #expect(node["status"]?.integer == Int64(reason.status))
        #expect(node["title"]?.string == reason.title)
    }

    @Test("all 401s have one body (CHAL-07, BASIC-03)")
    func uniformUnauthorized() {
        let bodies = Set(Self.denials.filter { $0.status == 401 }.map(\.body))
        #expect(bodies.count == 1)
        #expect(
            bodies.first.map { String(decoding: $0, as: UTF8.self) }
                == #"{"status":401,"title":"Unauthorized","detail":"invalid or missing token","code":"unauthorized"}"#)
    }

    @Test("meanings are unique")
    func uniqueness() {
        #expect(Set(Self.denials.map(\.meaning)).count == Self.denials.count)
    }

    @Test("codes that clients and requirements name")
    func publicCodes() {
        #expect(Reason.roleRequired.publicCode == "role_required")
        #expect(Reason.corsDenied.publicCode == "cors_denied")
        #expect(Reason.backendMismatch.publicCode == "backend_mismatch")
    }

    @Test("not authenticated is 401, not authorized is 403, never 404 to hide (GW-10)")
    func statuses() {
        #expect(Reason.missingCredential.status == 401)
        #expect(Reason.stepUpRequired.status == 401)
        #expect(Reason.roleRequired.status == 403)
        #expect(Self.denials.filter { $0.status == 404 } == [.noRoute])
    }
}
