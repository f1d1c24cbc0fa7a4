import Identity
import Outbound
import Testing

@Suite struct OutboundResponseTests {
    @Test("response fields are found case-insensitively")
    func fieldsOfResponsesAreFoundWithoutCase() {
        let response = OutboundResponse(
            status: 200, headers: [("Cache-Control", "max-age=5"), ("X-A", "1"), ("x-a", "2")])
        #expect(response.value(of: "cache-control") == "max-age=5")
        #expect(response.value(of: "X-A") == nil)
        #expect(response.values(of: "X-A") == ["1", "2"])
    }
}
