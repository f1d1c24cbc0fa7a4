import Declaration
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
        let rules = Form.object(module.form).objects.flatMap(\.rules)
        #expect(!rules.isEmpty)
        for rule in rules {
            let trial = RuleTrial(rule)
            #expect(trial.disagreements == [] && trial.refused > 0 && trial.accepted > 0, "\(rule)")
        }
    }
}
