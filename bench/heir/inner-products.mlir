// 100 inner products of 256 integers each, both sides encrypted.
func.func @products(%a: tensor<100x256xi32> {secret.secret}, %b: tensor<100x256xi32> {secret.secret}) -> tensor<100xi32> {
  %zero = arith.constant dense<0> : tensor<100xi32>
  %each = arith.muli %a, %b : tensor<100x256xi32>
  %sums = linalg.reduce {arith.addi} ins(%each : tensor<100x256xi32>) outs(%zero : tensor<100xi32>) dimensions = [1]
  return %sums : tensor<100xi32>
}
