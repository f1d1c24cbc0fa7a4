import HTTP

#if Compatibility
    import Configuration
    import Gateway
    import MobileSocial
    import Outbound
    import Reactor
    import ServiceDomains
    import TokenStorage

    /// The devices of mobile applications: listed and wiped (OMS-15, OMS-16).
    struct DeviceAdministration: ResourceAdministration {
        let administration: Administration

        static let operations = [
            operation(.get, "devices", "devices.list", Self.list),
            operation(.post, "devices/*/wipe", "devices.wipe", Self.wipe),
        ]

        func list(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
            let register = try self.register()
            let limit = try request.limit()
            let subject = request.parameter("subject")
            return .shown(try settle(register.list(subject: subject, limit: limit, now: Clock.wallSeconds)))
        }

        func wipe(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
            let register = try self.register()
            let id = request.path[1]
            let domains = try administration.configuration.read().configuration.serviceDomains.filter(\.wipesDevices)
                .map(\.name)
            let count = try settle(register.wipe(id, domains: domains, now: Clock.wallSeconds))
            return .changed(id, AdminAnswer.count("removed", count))
        }

        /// Lets a locked-out user of an application try again (OMS-10).
        func unlock(_ request: AdminRequest, _ attempts: LoginAttemptTable) throws(AdminFailure) -> AdminAnswer {
            guard administration.tokens != nil else {
                throw .unavailable("lock-outs are kept by a running gateway: use --admin")
            }
            let (domain, application, user) = (request.path[1], request.path[2], request.path[3])
            guard attempts.forget(LoginAttemptTable.Key(domain: domain, application: application, user: user)) else {
                throw .notFound("no wrong password of this user is counted there")
            }
            return .changed("\(user) of \(domain)/\(application)")
        }

        private func register() throws(AdminFailure) -> DeviceRegister {
            guard let tokens = administration.tokens else {
                throw .unavailable("devices are kept by a running gateway: use --admin")
            }
            return DeviceRegister(store: tokens)
        }

        /// Waits for an outcome, on a thread of its own.
        private func settle<Value>(_ effect: DeviceRegister.Outcome<Value>) throws(AdminFailure) -> Value {
            switch effect {
            case .offload(let work), .hash(_, let work): return try settle(work())
            case .await(let begin):
                let next: DeviceRegister.Outcome<Value> = try administration.wait { then in begin { then(.success($0)) }
                }
                return try settle(next)
            case .done(.success(let value)): return value
            case .done(.failure(.unknownDevice)): throw .notFound("there is no such device")
            case .done(.failure(.notWipeable)):
                throw .conflict("the service domain of the device has no \"securityHandler\": \"oaam\"")
            case .done(.failure(.store(let failure))): throw .unavailable("the store has failed: \(failure.reason)")
            }
        }
    }
#endif
