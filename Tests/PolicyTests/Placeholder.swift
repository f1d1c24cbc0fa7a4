import Testing

@Test func placeholderPolicy() {}
