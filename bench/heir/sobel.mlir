// The squares of Sobel's two filters, added, at each pixel of an encrypted picture of 64 x 64.
// Rows of 64 pixels follow one another, and an edge's neighbour is at the other edge of its row, so that a step to the left or right is two rotations: one for
// the cells where it `fits` into the row, one for those where it `wraps` around. These masks are the server's, as the filters are.
func.func @steepness(%p: tensor<4096xi64> {secret.secret}, %fits_left: tensor<4096xi64>, %wraps_left: tensor<4096xi64>, %fits_right: tensor<4096xi64>, %wraps_right: tensor<4096xi64>) -> tensor<4096xi64> {
  %i4031 = arith.constant 4031 : index
  %i4095 = arith.constant 4095 : index
  %i4033 = arith.constant 4033 : index
  %i3969 = arith.constant 3969 : index
  %i63 = arith.constant 63 : index
  %i1 = arith.constant 1 : index
  %i127 = arith.constant 127 : index
  %i65 = arith.constant 65 : index
  %i4032 = arith.constant 4032 : index
  %i64 = arith.constant 64 : index
  %1 = tensor_ext.rotate %p, %i4031 : tensor<4096xi64>, index
  %2 = arith.muli %1, %fits_left : tensor<4096xi64>
  %3 = tensor_ext.rotate %p, %i4095 : tensor<4096xi64>, index
  %4 = arith.muli %3, %wraps_left : tensor<4096xi64>
  %5 = arith.addi %2, %4 : tensor<4096xi64>
  %6 = tensor_ext.rotate %p, %i4033 : tensor<4096xi64>, index
  %7 = arith.muli %6, %fits_right : tensor<4096xi64>
  %8 = tensor_ext.rotate %p, %i3969 : tensor<4096xi64>, index
  %9 = arith.muli %8, %wraps_right : tensor<4096xi64>
  %10 = arith.addi %7, %9 : tensor<4096xi64>
  %11 = tensor_ext.rotate %p, %i4095 : tensor<4096xi64>, index
  %12 = arith.muli %11, %fits_left : tensor<4096xi64>
  %13 = tensor_ext.rotate %p, %i63 : tensor<4096xi64>, index
  %14 = arith.muli %13, %wraps_left : tensor<4096xi64>
  %15 = arith.addi %12, %14 : tensor<4096xi64>
  %16 = tensor_ext.rotate %p, %i1 : tensor<4096xi64>, index
  %17 = arith.muli %16, %fits_right : tensor<4096xi64>
  %18 = tensor_ext.rotate %p, %i4033 : tensor<4096xi64>, index
  %19 = arith.muli %18, %wraps_right : tensor<4096xi64>
  %20 = arith.addi %17, %19 : tensor<4096xi64>
  %21 = tensor_ext.rotate %p, %i63 : tensor<4096xi64>, index
  %22 = arith.muli %21, %fits_left : tensor<4096xi64>
  %23 = tensor_ext.rotate %p, %i127 : tensor<4096xi64>, index
  %24 = arith.muli %23, %wraps_left : tensor<4096xi64>
  %25 = arith.addi %22, %24 : tensor<4096xi64>
  %26 = tensor_ext.rotate %p, %i65 : tensor<4096xi64>, index
  %27 = arith.muli %26, %fits_right : tensor<4096xi64>
  %28 = tensor_ext.rotate %p, %i1 : tensor<4096xi64>, index
  %29 = arith.muli %28, %wraps_right : tensor<4096xi64>
  %30 = arith.addi %27, %29 : tensor<4096xi64>
  %31 = arith.addi %20, %20 : tensor<4096xi64>
  %32 = arith.addi %31, %10 : tensor<4096xi64>
  %33 = arith.addi %32, %30 : tensor<4096xi64>
  %34 = arith.subi %33, %5 : tensor<4096xi64>
  %35 = arith.subi %34, %25 : tensor<4096xi64>
  %36 = arith.addi %15, %15 : tensor<4096xi64>
  %37 = arith.subi %35, %36 : tensor<4096xi64>
  %38 = tensor_ext.rotate %p, %i4032 : tensor<4096xi64>, index
  %39 = tensor_ext.rotate %p, %i64 : tensor<4096xi64>, index
  %40 = arith.addi %39, %39 : tensor<4096xi64>
  %41 = arith.addi %40, %25 : tensor<4096xi64>
  %42 = arith.addi %41, %30 : tensor<4096xi64>
  %43 = arith.subi %42, %5 : tensor<4096xi64>
  %44 = arith.subi %43, %10 : tensor<4096xi64>
  %45 = arith.addi %38, %38 : tensor<4096xi64>
  %46 = arith.subi %44, %45 : tensor<4096xi64>
  %47 = arith.muli %37, %37 : tensor<4096xi64>
  %48 = arith.muli %46, %46 : tensor<4096xi64>
  %49 = arith.addi %47, %48 : tensor<4096xi64>
  return %49 : tensor<4096xi64>
}
