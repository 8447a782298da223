// A matrix of 256 x 256 integers that the server has, times an encrypted vector.
func.func @product(%x: tensor<256xi32> {secret.secret}, %m: tensor<256x256xi32>) -> tensor<256xi32> {
  %zero = arith.constant dense<0> : tensor<256xi32>
  %y = linalg.matvec ins(%m, %x : tensor<256x256xi32>, tensor<256xi32>) outs(%zero : tensor<256xi32>) -> tensor<256xi32>
  return %y : tensor<256xi32>
}
