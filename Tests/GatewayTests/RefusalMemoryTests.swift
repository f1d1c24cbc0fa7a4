import HTTP
import Model
import Policy
import Testing

@testable import Gateway

/// The memory of refusals is bounded in both ways, and forgets the oldest.
@Suite struct RefusalMemoryTests {
    private func refusal(_ id: String, _ evidence: String = "") -> Refusal {
        Refusal(
            time: 1, id: Array(id.utf8), method: .get, target: [0x2f], address: nil, routeName: nil, subject: "",
            issuer: "", status: 401, reason: .tokenExpired, decisionStep: .credential, compared: Evidence([evidence]))
    }

    @Test func count() {
        let memory = RefusalMemory()
        let last = 3 * RefusalMemory.mostRefusals
        for number in 0..<last { memory.remember(refusal("\(number)")) }
        #expect(memory.size.count == RefusalMemory.mostRefusals)
        #expect(memory.refusals(of: "\(last - RefusalMemory.mostRefusals - 1)").isEmpty)
        #expect(memory.refusals(of: "\(last - RefusalMemory.mostRefusals)").count == 1)
        #expect(memory.refusals(of: "\(last - 1)").count == 1)
    }

    @Test func bytes() {
        let memory = RefusalMemory()
        let large = String(repeating: "x", count: 100_000)
        for number in 0..<100 { memory.remember(refusal("\(number)", large)) }
        #expect(memory.size.bytes <= RefusalMemory.mostBytes && memory.size.count == RefusalMemory.mostBytes / 100_258)
        #expect(memory.refusals(of: "99").count == 1 && memory.refusals(of: "0").isEmpty)
    }

    @Test func theLatestComesFirst() {
        let memory = RefusalMemory()
        for number in 0..<20 { memory.remember(refusal("same", "\(number)")) }
        let found = memory.refusals(of: "same").map(\.evidence)
        #expect(found == (10..<20).reversed().map { "\($0)" })
    }
}
