// A polynomial of degree 15 of 2048 encrypted reals.
!poly = !polynomial.polynomial<ring = <coefficientType = f32>>
func.func @value(%x: tensor<2048xf32> {secret.secret}) -> tensor<2048xf32> {
  %y = polynomial.eval #polynomial<typed_float_polynomial <0.1 + 0.5x + -0.7x**2 + 0.3x**3 + 0.9x**4 + -0.2x**5 + 0.6x**6 + -0.8x**7 + 0.4x**8 + 0.35x**9 + -0.15x**10 + 0.75x**11 + -0.45x**12 + 0.55x**13 + 0.25x**14 + -0.65x**15> : !poly>, %x : tensor<2048xf32>
  return %y : tensor<2048xf32>
}
