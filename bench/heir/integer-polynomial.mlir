// A polynomial of degree 7 of 2048 encrypted integers. HEIR does not lower polynomials of integers (`polynomial.eval`), so the products are written here, in the
// order that needs the fewest: (c0 + c1 x + (c2 + c3 x) x^2) + (c4 + c5 x + (c6 + c7 x) x^2) x^4.
func.func @value(%x: tensor<2048xi32> {secret.secret}) -> tensor<2048xi32> {
  %c0 = arith.constant dense<7> : tensor<2048xi32>
  %c1 = arith.constant dense<-3> : tensor<2048xi32>
  %c2 = arith.constant dense<5> : tensor<2048xi32>
  %c3 = arith.constant dense<2> : tensor<2048xi32>
  %c4 = arith.constant dense<-6> : tensor<2048xi32>
  %c5 = arith.constant dense<4> : tensor<2048xi32>
  %c6 = arith.constant dense<-1> : tensor<2048xi32>
  %c7 = arith.constant dense<3> : tensor<2048xi32>
  %x2 = arith.muli %x, %x : tensor<2048xi32>
  %x4 = arith.muli %x2, %x2 : tensor<2048xi32>
  %t0 = arith.muli %x, %c1 : tensor<2048xi32>
  %p0 = arith.addi %t0, %c0 : tensor<2048xi32>
  %t2 = arith.muli %x, %c3 : tensor<2048xi32>
  %p2 = arith.addi %t2, %c2 : tensor<2048xi32>
  %t4 = arith.muli %x, %c5 : tensor<2048xi32>
  %p4 = arith.addi %t4, %c4 : tensor<2048xi32>
  %t6 = arith.muli %x, %c7 : tensor<2048xi32>
  %p6 = arith.addi %t6, %c6 : tensor<2048xi32>
  %h0 = arith.muli %p2, %x2 : tensor<2048xi32>
  %low = arith.addi %p0, %h0 : tensor<2048xi32>
  %h4 = arith.muli %p6, %x2 : tensor<2048xi32>
  %high = arith.addi %p4, %h4 : tensor<2048xi32>
  %top = arith.muli %high, %x4 : tensor<2048xi32>
  %y = arith.addi %low, %top : tensor<2048xi32>
  return %y : tensor<2048xi32>
}
