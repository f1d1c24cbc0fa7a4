import Bytes
import Declaration
import Model

extension AddressRule {
    static let shape = Shape<AddressRule>.object("an object with \"allow\", \"deny\" or both") { object in
        var rule = AddressRule()
        object.read(
            "allow", .addressBlocks, into: &rule.allowed, "Addresses and blocks that are accepted; all by default.")
        object.read(
            "deny", .addressBlocks, into: &rule.denied,
            "Addresses and blocks that are refused, also where `allow` has them.")
        if rule == AddressRule(), object.field.node.members != nil {
            // Nothing could mean all or none.
            object.field.error("no address", expected: "addresses in \"allow\" or \"deny\"")
        }
        return rule
    }
}
