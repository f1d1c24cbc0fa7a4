import Foundation
import Testing

/// What `deploy/` ships, held against the gateway.
@Suite struct DeployedFilesTests {
    @Test("the Kubernetes manifest probes paths that its metrics listener serves")
    func manifest() throws {
        let manifest = Vectors.text("deploy/kubernetes.yaml")
        let probes = manifest.matches(of: /(\w+Probe):[^{]*httpGet: \{path: (\S+), port: metrics\}/)
        #expect(Set(probes.map { String($0.output.1) }) == ["readinessProbe", "startupProbe", "livenessProbe"])
        #expect(manifest.contains("{name: metrics, containerPort: 9902}"))
        #expect(manifest.contains(#"prometheus.io/port: "9902""#))
        // The line of the comment, on ports that are free here.
        let listeners = String(try #require(manifest.firstMatch(of: /"listeners": (\[[^\]]*\])/)).output.1)
            .replacing("#", with: "").replacing("0.0.0.0", with: "127.0.0.1")
            .replacing("8080", with: "0").replacing("9902", with: "0")
        let fixture = try Fixture { $0["listeners"] = listeners }
        let gateway = try GatewayProcess(fixture.gateway.configuration, listeners: ["public", "metrics"])
        for probe in probes {
            let path = String(probe.output.2)
            // By the address of the pod, as the kubelet does.
            let response = try gateway.request("GET", path, ["Host: 10.1.2.3:9902"], listener: "metrics")
            #expect(response.status == 200, "\(path)")
        }
    }

    @Test("the systemd unit permits io_uring")
    func unit() throws {
        let lines = Vectors.text("deploy/portcullis.service").split(separator: "\n")
        let filters = lines.filter { $0.hasPrefix("SystemCallFilter=") }.map { $0.dropFirst(17) }
        let last = try #require(filters.lastIndex { $0.hasPrefix("~") })
        let allowed = Set(filters[(last + 1)...].flatMap { $0.split(separator: " ") })
        #expect(allowed.isSuperset(of: ["io_uring_setup", "io_uring_enter", "io_uring_register"]))
    }
}
