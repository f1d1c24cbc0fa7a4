import Testing

@Test func placeholderArchitecture() {}
