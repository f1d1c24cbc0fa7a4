import HTTP
import Testing

@testable import Policy

/// Sets of methods, those without a case of their own among them.
@Suite struct MethodSetTests {
    private static func contains(_ set: MethodSet, _ name: String) -> Bool {
        let text = Array(name.utf8)
        return set.contains(Method(text.span), text.span)
    }

    @Test("a set has the methods that are named, with HEAD for GET, and compares extension methods by their text")
    func members() {
        let set = MethodSet(["GET", "PURGE"])
        for name in ["GET", "HEAD", "PURGE"] { #expect(Self.contains(set, name), "\(name)") }
        for name in ["POST", "purge", "PURGES", "REPORT"] { #expect(!Self.contains(set, name), "\(name)") }
        #expect(!Self.contains(MethodSet(["GET"]), "PURGE"))
        #expect(Self.contains(.any, "PURGE"))
        #expect(!Self.contains(.any, "CONNECT"))
    }

    @Test("an intersection has an extension method only if both sets do")
    func intersections() {
        let (purge, report) = (MethodSet(["GET", "PURGE"]), MethodSet(["POST", "REPORT"]))
        #expect(purge.isDisjoint(with: report))
        #expect(purge.intersection(report) == MethodSet([]))
        #expect(!Self.contains(purge.intersection(report), "PURGE"))
        for both in [purge.intersection(.any), MethodSet.any.intersection(purge)] {
            #expect(Self.contains(both, "PURGE"))
            #expect(!Self.contains(both, "REPORT"))
        }
        #expect(!purge.isDisjoint(with: .any))
        #expect(!MethodSet.any.isDisjoint(with: MethodSet(["PURGE"])))
        let union = purge.union(report)
        for name in ["GET", "POST", "PURGE", "REPORT"] { #expect(Self.contains(union, name), "\(name)") }
    }
}
