import Configuration
import Reactor

extension LoopEngine {
    /// The engine of the configuration, or else of the variable, or else io_uring where the kernel allows it. Most
    /// containers forbid it.
    static func chosen(
        _ entry: EngineEntry, environment: [String: String] = Environment.values
    ) throws(StartFailure) -> LoopEngine {
        switch entry {
        case .epoll: return .epoll
        case .ioUring: return try available(.ioUring, named: "engine")
        case .auto:
            if let name = environment[variable], !name.isEmpty {
                guard let engine = LoopEngine(rawValue: name) else {
                    throw StartFailure("\(variable): expected epoll or io_uring, found \"\(name)\"")
                }
                return try available(engine, named: variable)
            }
            return (try? available(.ioUring, named: "")) ?? .epoll
        }
    }

    private static func available(_ engine: LoopEngine, named name: String) throws(StartFailure) -> LoopEngine {
        do throws(KernelError) {
            try engine.checkAvailable()
            return engine
        } catch {
            throw StartFailure("\(name): the kernel does not allow \(engine.rawValue): \(error.text)")
        }
    }
}
