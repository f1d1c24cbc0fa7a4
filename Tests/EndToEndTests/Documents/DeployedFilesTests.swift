import Foundation
import Testing

/// What `deploy/` ships, held against the gateway.
@Suite struct DeployedFilesTests {
    @Test("the Kubernetes manifests probe paths that the metrics listener serves", arguments: ["single", "fleet"])
    func manifest(_ overlay: String) throws {
        let manifest = Vectors.text("deploy/kubernetes/base/deployment.yaml")
        let probes = manifest.matches(of: /(\w+Probe):[^{]*httpGet: \{path: (\S+), port: metrics\}/)
        #expect(Set(probes.map { String($0.output.1) }) == ["readinessProbe", "startupProbe", "livenessProbe"])
        #expect(manifest.contains("{name: metrics, containerPort: 9902}"))
        // Those of the configuration, on ports that are free here.
        let settings = Vectors.text("deploy/kubernetes/overlays/\(overlay)/config/gateway.json")
        let listeners = String(try #require(settings.firstMatch(of: /"listeners": (\[[^\]]*\])/)).output.1)
            .replacing("0.0.0.0", with: "127.0.0.1")
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

    @Test("the configurations for Kubernetes are valid for production", arguments: ["single", "fleet"])
    func configuration(_ overlay: String) throws {
        let secret = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
        let names = ["ADMIN_TOKEN", "CHALLENGE_KEY", "STORE_KEY", "REDIS_PASSWORD"]
        let check = try CommandLine.run(
            "check", Vectors.root.appending(path: "deploy/kubernetes/overlays/\(overlay)/config").path, "--production",
            "--strict", environment: Dictionary(uniqueKeysWithValues: names.map { ($0, secret) }))
        #expect(check.ending == .exit(0), "\(check.errors)")
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
