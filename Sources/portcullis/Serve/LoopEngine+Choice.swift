import Configuration
import Foundation
import Reactor

extension LoopEngine {
    /// What the configuration asks for. Where it leaves that open, what the variable names, and else io_uring where the
    /// kernel has it and nothing forbids it, as containers mostly do.
    static func chosen(
        _ entry: EngineEntry, environment: [String: String] = ProcessInfo.processInfo.environment
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
            throw StartFailure("\(name): the kernel refuses \(engine.rawValue): \(error.text)")
        }
    }
}
