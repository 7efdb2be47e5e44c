package mlir
