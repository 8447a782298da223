// The product of two encrypted matrices of 16 x 16 integers.
func.func @product(%a: tensor<16x16xi32> {secret.secret}, %b: tensor<16x16xi32> {secret.secret}) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %c = linalg.matmul ins(%a, %b : tensor<16x16xi32>, tensor<16x16xi32>) outs(%zero : tensor<16x16xi32>) -> tensor<16x16xi32>
  return %c : tensor<16x16xi32>
}
