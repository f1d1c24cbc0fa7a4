import Foundation
import Testing

/// What every gateway has is in the terms of its field; vendors are at the edge.
@Suite struct VendorTests {
    private static let words =
        #"oracle|\boam|mobile ?(?:&|and) ?social|MobileSocial|mobileBackend|apiomat|facebook|oic_rest|yambas|\bMBE-"#

    /// The families, what reads configurations of others, and the application's end with its commands.
    private static let folders = [
        SourceFile.families, "Sources/Conversion/", "Sources/portcullis/Commands/Convert/", "Sources/PortcullisClient/",
        "Sources/portcullis/Commands/Client/",
    ]

    /// The number of words in each file of the generic targets that has some.
    static let counts: [(path: String, count: Int)] = {
        guard let expression = try? NSRegularExpression(pattern: words, options: .caseInsensitive) else {
            preconditionFailure("the expression is not valid")
        }
        return SourceTree.sources.compactMap { file in
            guard !folders.contains(where: { file.path.hasPrefix($0) }) else { return nil }
            // What only programs with the families have.
            let text = file.text.replacing(/#if Compatibility\n(?:(?! *#(?:else|endif))[^\n]*\n)*/, with: "")
            let count = expression.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
            return count > 0 ? (file.path, count) : nil
        }
    }()
    static let total = counts.reduce(0) { $0 + $1.count }

    @Test("generic targets name few vendors")
    func words() {
        Ceilings.expect(
            "words of vendors", Self.total, is: Ceilings.vendorWords,
            offenders: Self.counts.map { "\($0.path): \($0.count)" })
    }

    @Test("each place that may name vendors exists", arguments: folders)
    func places(_ folder: String) {
        #expect(SourceTree.sources.contains { $0.path.hasPrefix(folder) }, "\(folder) is gone")
    }

    @Test("the families are what the trait Compatibility builds")
    func families() {
        let folder = SourceTree.sources.filter { $0.path.hasPrefix(SourceFile.families) }
        #expect(Set(folder.map(\.module)) == ManifestTests.families)
    }
}
