// Mean and variance of 569 encrypted integers: their sum, and n times the sum of squares less the square of the sum; quotients are the client's.
func.func @moments(%x: tensor<569xi64> {secret.secret}) -> (tensor<i64>, tensor<i64>) {
  %zero = arith.constant dense<0> : tensor<i64>
  %n = arith.constant dense<569> : tensor<i64>
  %sum = linalg.reduce {arith.addi} ins(%x : tensor<569xi64>) outs(%zero : tensor<i64>) dimensions = [0]
  %square = arith.muli %x, %x : tensor<569xi64>
  %squares = linalg.reduce {arith.addi} ins(%square : tensor<569xi64>) outs(%zero : tensor<i64>) dimensions = [0]
  %a = arith.muli %squares, %n : tensor<i64>
  %b = arith.muli %sum, %sum : tensor<i64>
  %spread = arith.subi %a, %b : tensor<i64>
  return %sum, %spread : tensor<i64>, tensor<i64>
}
