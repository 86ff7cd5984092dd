// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @image_decoder_counts_pixels
// CHECK: "onnx.ImageDecoder"{{.*}} -> !cameo.tensor<[height, width, 1], ui8>
func.func @image_decoder_counts_pixels(%x: !cameo.tensor<[N], ui8>) -> !cameo.tensor<*, ui8> {
  %0 = "onnx.ImageDecoder"(%x) <{pixel_format = "Grayscale"}> : (!cameo.tensor<[N], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}
