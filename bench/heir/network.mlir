// A network of two layers, 64 to 32 to 10, with squares between them: weights and biases are the server's.
func.func @scores(%x: tensor<64xi64> {secret.secret}, %w1: tensor<32x64xi64>, %b1: tensor<32xi64>, %w2: tensor<10x32xi64>, %b2: tensor<10xi64>) -> tensor<10xi64> {
  %hidden = linalg.matvec ins(%w1, %x : tensor<32x64xi64>, tensor<64xi64>) outs(%b1 : tensor<32xi64>) -> tensor<32xi64>
  %square = arith.muli %hidden, %hidden : tensor<32xi64>
  %scores = linalg.matvec ins(%w2, %square : tensor<10x32xi64>, tensor<32xi64>) outs(%b2 : tensor<10xi64>) -> tensor<10xi64>
  return %scores : tensor<10xi64>
}
