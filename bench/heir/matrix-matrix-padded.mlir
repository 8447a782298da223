// The same with lengths that have no divisor in common, as HEIR's kernel for two encrypted matrices asks: the cells beyond 16 are 0.
func.func @product(%a: tensor<16x17xi32> {secret.secret}, %b: tensor<17x19xi32> {secret.secret}) -> tensor<16x19xi32> {
  %zero = arith.constant dense<0> : tensor<16x19xi32>
  %c = linalg.matmul ins(%a, %b : tensor<16x17xi32>, tensor<17x19xi32>) outs(%zero : tensor<16x19xi32>) -> tensor<16x19xi32>
  return %c : tensor<16x19xi32>
}
