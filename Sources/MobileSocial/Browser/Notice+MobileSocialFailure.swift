import LoginPages

extension Page.Notice {
    init(_ failure: MobileSocialFailure) {
        switch failure {
        case .wrongPassword: self = .wrongPassword
        case .wrongAnswer: self.init(text: PageText.startAgain, isAboutField: false)
        case .loginThrottled, .attemptsExceeded: self = .tooManyAttempts
        case .loginForbidden: self.init(text: PageText.forbidden, isAboutField: false)
        case .secondStepMissing: self.init(text: PageText.noSecondStep, isAboutField: false)
        default: self.init(text: PageText.unavailable, isAboutField: false)
        }
    }
}
