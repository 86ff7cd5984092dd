// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-pin-sides=pins=b=host --cameo-place=reasons=true --cameo-verify-sides | FileCheck %s --check-prefix=HOST
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-pin-sides=pins=k=device --cameo-place --cameo-verify-sides | FileCheck %s --check-prefix=DEVICE
// RUN: cameo-opt %s --cameo-set-target=name=cuda "--cameo-pin-sides=pins=.*=host,[abz]=device" --cameo-place --cameo-verify-sides | FileCheck %s --check-prefix=LAST
// RUN: not cameo-opt %s --cameo-set-target=name=cuda --cameo-pin-sides=pins=s=device --cameo-place 2>&1 | FileCheck %s --check-prefix=SEQUENCE
// RUN: not cameo-opt %s --cameo-set-target=name=cuda --cameo-pin-sides=pins=t=device --cameo-place 2>&1 | FileCheck %s --check-prefix=STRINGS
// RUN: not cameo-opt %s --cameo-set-target=name=cuda --cameo-pin-sides=pins=b 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not cameo-opt %s --cameo-pin-sides=pins=q=host 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: cameo-opt %s --cameo-pin-sides="pins=[ab]=host,a=device on-host=c,b" | FileCheck %s --check-prefix=PINNED
//
// The cut obeys what the user says of values by their names.

// One copy each way, and what does not wait for it is queued before.
// HOST: "onnx.Neg"{{.*}} -> !cameo.tensor<[n], f32, device>
// HOST: prog.fetch
// HOST: "onnx.Abs"
// HOST: prog.await
// HOST: "onnx.Erf"{{.*}}cause = pinned{{.*}} -> !cameo.tensor<[n], f32, host>
// HOST: prog.upload
// HOST-NOT: prog.upload
// HOST: "onnx.Exp"{{.*}} -> !cameo.tensor<[n], f32, device>

// An input that the host reads is the device's all the same: it is read back.
// DEVICE: %arg1: !cameo.tensor<[1], i64, device>
// DEVICE: prog.fetch %arg1

// LAST: %arg0: !cameo.tensor<[n], f32, host>
// LAST: "onnx.Neg"{{.*}} -> !cameo.tensor<[n], f32, device>
// LAST: "onnx.Exp"{{.*}} -> !cameo.tensor<[n], f32, host>

// SEQUENCE: error: {{.*}}value 's' of SequenceConstruct cannot be on the device, where --place wants it, but on the host
// STRINGS: error: {{.*}}value 't' of ml.LabelEncoder cannot be on the device, where --place wants it, but on the host: it is computed from strings
// By their names, a later pin in front of an earlier one, and what has no kernel in front of both.
// PINNED: cameo.pins = {a = "device", b = "no_kernel", c = "no_kernel"}
// HOST-NOT: cameo.pins
// NAME: error: --place: no value is called 'q'
// TEXT: error: --place 'b': need REGEX=host or REGEX=device
func.func @main(%x: !cameo.tensor<[n], f32> {onnx.name = "x"}, %k: !cameo.tensor<[1], i64> {onnx.name = "k"}, %w: !cameo.tensor<[n], !cameo.string> {onnx.name = "w"})
    -> (!cameo.tensor<[n], f32>, !cameo.tensor<[n], f32>, !cameo.tensor<[e], f32>, !cameo.seq<!cameo.tensor<[n], f32>>, !cameo.tensor<[n], i64>) {
  %a = "onnx.Neg"(%x) : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[n], f32> loc("Neg:first"(fused<["a"]>[unknown]))
  %b = "onnx.Erf"(%a) : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[n], f32> loc("Erf:middle"(fused<["b"]>[unknown]))
  %c = "onnx.Exp"(%b) : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[n], f32> loc("Exp:last"(fused<["c"]>[unknown]))
  %z = "onnx.Abs"(%x) : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[n], f32> loc("Abs:beside"(fused<["z"]>[unknown]))
  prog.bind_elements [#cameo.symbol<"e">] = %k : <[1], i64>
  %size = prog.from_extents [#cameo.extent<e>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%size) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[e], f32>
  %s = "onnx.SequenceConstruct"(%x) : (!cameo.tensor<[n], f32>) -> !cameo.seq<!cameo.tensor<[n], f32>>
      loc("SequenceConstruct:sequence"(fused<["s"]>[unknown]))
  %t = "onnx.ml.LabelEncoder"(%w) <{keys_strings = ["a"], values_int64s = array<i64: 1>}> : (!cameo.tensor<[n], !cameo.string>) -> !cameo.tensor<[n], i64>
      loc("ml.LabelEncoder:labels"(fused<["t"]>[unknown]))
  func.return %c, %z, %y, %s, %t
      : !cameo.tensor<[n], f32>, !cameo.tensor<[n], f32>, !cameo.tensor<[e], f32>, !cameo.seq<!cameo.tensor<[n], f32>>, !cameo.tensor<[n], i64>
}
