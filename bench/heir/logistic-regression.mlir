// Probabilities by the server's model for 569 encrypted records of 30 features: a polynomial of degree 3 for the sigmoid.
!poly = !polynomial.polynomial<ring = <coefficientType = f32>>
func.func @probability(%features: tensor<569x30xf32> {secret.secret}, %weights: tensor<569x30xf32>) -> tensor<569xf32> {
  %bias = arith.constant dense<-0.25> : tensor<569xf32>
  %each = arith.mulf %features, %weights : tensor<569x30xf32>
  %score = linalg.reduce {arith.addf} ins(%each : tensor<569x30xf32>) outs(%bias : tensor<569xf32>) dimensions = [1]
  %p = polynomial.eval #polynomial<typed_float_polynomial <0.5 + 0.15012x + -0.001593x**3> : !poly>, %score : tensor<569xf32>
  return %p : tensor<569xf32>
}
