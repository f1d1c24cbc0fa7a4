import Issuers
import MobileSocial
import Model
import TestSupport
import Testing

/// Rules between the keys of modules.
@Suite struct IssuerRuleTests {
    @Test(
        "the schema of a rule refuses what its check refuses",
        arguments: [IssuerModule.oauth2, .login, .mobileSocial])
    func declaredRules(_ module: IssuerModule) {
        let nested = module.keys.flatMap { key in
            if case .object(_, let rules) = key.shape { rules } else { [KeyRule]() }
        }
        #expect(!module.rules.isEmpty)
        for rule in module.rules + nested {
            let trial = RuleTrial(rule)
            #expect(trial.disagreements == [] && trial.refused > 0 && trial.accepted > 0, "\(rule)")
        }
    }
}
