import Testing

@testable import Model

@Suite struct PageColorTests {
    @Test(
        "contrast by WCAG 2.2",
        arguments: [("#000000", 21.0), ("#ffffff", 1.0), ("#767676", 4.54), ("#0b57d0", 6.39), ("#ff0000", 3.99)])
    func contrast(_ text: String, _ ratio: Double) throws {
        let color = try #require(PageColor(text))
        #expect(abs(color.contrast(with: .white) - ratio) < 0.011, "\(color.contrast(with: .white))")
        #expect(color.description == text)
    }

    @Test("a mixture has the contrast that was asked for", arguments: ["#000000", "#00695c", "#7b1fa2", "#ffcc00"])
    func mixtures(_ text: String) throws {
        let color = try #require(PageColor(text))
        #expect(color.mixed(with: .white, until: 7, on: .night).contrast(with: .night) >= 7)
        #expect(color.mixed(with: .black, until: 4.5, on: .white).contrast(with: .white) >= 4.5)
    }

    @Test(arguments: ["red", "#12345", "#1234567", "#12345g", "#+12345", "#ÿ1234"])
    func noColors(_ text: String) { #expect(PageColor(text) == nil) }
}
