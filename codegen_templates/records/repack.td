// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class ChannelRepack : CpuTemplate<"repack.h"> {
  let params = (with Int<>:$batch, Int<>:$channels, Int<>:$rows, Int<>:$cols, Array<"2">:$halo,
                     Optional<StaticInt<1, 16>, "16">:$lanes);
}

def pack_channels : ChannelRepack {
  let operands = (with In<"T">:$x, Laid<"blocks", Out<"T">, ["lanes"]>:$y);
  let description = [{
    From dense [batch][channels][rows][cols] into blocks of `lanes` channels with a halo. Lanes beyond
    the channels become 0, the halo is left alone.
  }];
}
def unpack_channels : ChannelRepack {
  let operands = (with Laid<"blocks", In<"T">, ["lanes"]>:$x, Out<"T">:$y);
  let description = "From blocks with a halo into dense [batch][channels][rows][cols].";
}
def clear_halo : CpuTemplate<"repack.h"> {
  let params = (with Int<>:$planes, Int<>:$rows, Int<>:$cols, Int<>:$lanes, Array<"2">:$halo,
                     Optional<AnyInt, "0">:$fill);
  let operands = (with Laid<"any", InPlace<"T">>:$y);
  let description =
      "`fill` around planes of y[planes][rows + 2 halo[0]][cols + 2 halo[1]][lanes].";
}
