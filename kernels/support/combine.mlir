// Sum of a token's expert outputs: f32 partials of every (token, slot) pair to one bf16 row per token.
//
// The second stage leaves one f32 row per pair, already multiplied by its router weight. Summing them here in
// a fixed order, in f32, with one rounding, makes the layer deterministic without atomics and without zeroing.
//
// Arguments
//   partial   f32 [tokens, topk, hidden]  row token*topk + slot; rows of invalid slots may hold anything (NaN)
//   topk_ids  i32 [tokens, topk]          a slot is valid iff its id lies in [0, experts)
//   out       bf16 [tokens, hidden]       out
//   tokens, topk, experts, hidden  i32    topk <= 64; hidden a multiple of 32
//   partial is 16-byte and out 8-byte aligned; one token's partials stay below 2 GiB, the whole need not.
// Launch
//   grid (ceil(hidden / 1024), y >= tokens, 1), block (256, 1, 1); blocks past the last token leave at once.
//   HIP limits y to 65535: more tokens take several launches, which offset the pointers.
// Guarantees
//   out[t][n] = bf16(sum over valid slots s, ascending, from +0, of partial[t*topk + s][n]), rounded to nearest
//   even, NaN kept (R10). A token without a valid slot gives +0 (R05). Bytes of invalid slots are not read.
//
// Method: a thread owns 4 channels. The valid slots of the token become a 64-bit mask in scalar registers;
// each step takes its eight lowest bits and has eight loads in flight. An exhausted mask yields slot 64, which
// lies past the end of the token's buffer, and such loads return 0 without touching memory: no branches.

gpu.module @combine {
  gpu.func @combine(%partial: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                    %topk_ids: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                    %out: !llvm.ptr<1> {llvm.noalias, llvm.writeonly},
                    %tokens: i32, %topk: i32, %experts: i32, %hidden: i32)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>,
                         arg_names = ["partial", "topk_ids", "out", "tokens", "topk", "experts", "hidden"]} {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c63 = arith.constant 63 : i32
    %none = arith.constant -1 : i32
    %zero = arith.constant dense<0.0> : vector<4xf32>

    %token = rocdl.workgroup.id.y : i32
    %in_tokens = arith.cmpi ult, %token, %tokens : i32
    scf.if %in_tokens {
      // Lane s of every wave looks at slot s of the token.
      %tid = rocdl.workitem.id.x : i32
      %lane = arith.andi %tid, %c63 : i32
      %token_i64 = arith.extui %token : i32 to i64
      %topk_i64 = arith.extui %topk : i32 to i64
      %first_pair = arith.muli %token_i64, %topk_i64 : i64
      %is_slot = arith.cmpi ult, %lane, %topk : i32
      %id = scf.if %is_slot -> (i32) {
        %ids = llvm.getelementptr %topk_ids[%first_pair] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
        %p = llvm.getelementptr %ids[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %loaded = llvm.load %p : !llvm.ptr<1> -> i32
        scf.yield %loaded : i32
      } else {
        scf.yield %none : i32
      }
      %valid = arith.cmpi ult, %id, %experts : i32
      %valid_slots = rocdl.ballot %valid : i64

      %tile = rocdl.workgroup.id.x : i32
      %c256 = arith.constant 256 : i32
      %tile_thread0 = arith.muli %tile, %c256 : i32
      %thread = arith.addi %tile_thread0, %tid : i32
      %channel = arith.shli %thread, %c2 : i32
      %in_hidden = arith.cmpi ult, %channel, %hidden : i32
      scf.if %in_hidden {
        // The token's partials as a raw buffer of topk rows: flags 0x27000 are those of untyped dwords.
        %hidden_i64 = arith.extui %hidden : i32 to i64
        %row_offset = arith.muli %first_pair, %hidden_i64 : i64
        %rows = llvm.getelementptr %partial[%row_offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
        %row_bytes = arith.shli %hidden, %c2 : i32
        %buffer_bytes = arith.muli %row_bytes, %topk : i32
        %buffer_bytes_i64 = arith.extui %buffer_bytes : i32 to i64
        %stride = arith.constant 0 : i16
        %flags = arith.constant 0x27000 : i32
        %buffer = rocdl.make.buffer.rsrc %rows, %stride, %buffer_bytes_i64, %flags : !llvm.ptr<1> to !llvm.ptr<8>
        %channel_bytes = arith.shli %channel, %c2 : i32

        %c0_i64 = arith.constant 0 : i64
        %c1_i64 = arith.constant 1 : i64
        %sum:2 = scf.while (%slots = %valid_slots, %acc = %zero) : (i64, vector<4xf32>) -> (i64, vector<4xf32>) {
          %more = arith.cmpi ne, %slots, %c0_i64 : i64
          scf.condition(%more) %slots, %acc : i64, vector<4xf32>
        } do {
        ^bb0(%slots0: i64, %acc0: vector<4xf32>):
          %slot0_i64 = "llvm.intr.cttz"(%slots0) <{is_zero_poison = false}> : (i64) -> i64
          %slot0 = arith.trunci %slot0_i64 : i64 to i32
          %row0 = arith.muli %slot0, %row_bytes : i32
          %at0 = arith.addi %row0, %channel_bytes : i32
          %x0 = rocdl.raw.ptr.buffer.load %buffer, %at0, %c0, %c0 : vector<4xf32>
          %below0 = arith.subi %slots0, %c1_i64 : i64
          %slots1 = arith.andi %slots0, %below0 : i64
          %slot1_i64 = "llvm.intr.cttz"(%slots1) <{is_zero_poison = false}> : (i64) -> i64
          %slot1 = arith.trunci %slot1_i64 : i64 to i32
          %row1 = arith.muli %slot1, %row_bytes : i32
          %at1 = arith.addi %row1, %channel_bytes : i32
          %x1 = rocdl.raw.ptr.buffer.load %buffer, %at1, %c0, %c0 : vector<4xf32>
          %below1 = arith.subi %slots1, %c1_i64 : i64
          %slots2 = arith.andi %slots1, %below1 : i64
          %slot2_i64 = "llvm.intr.cttz"(%slots2) <{is_zero_poison = false}> : (i64) -> i64
          %slot2 = arith.trunci %slot2_i64 : i64 to i32
          %row2 = arith.muli %slot2, %row_bytes : i32
          %at2 = arith.addi %row2, %channel_bytes : i32
          %x2 = rocdl.raw.ptr.buffer.load %buffer, %at2, %c0, %c0 : vector<4xf32>
          %below2 = arith.subi %slots2, %c1_i64 : i64
          %slots3 = arith.andi %slots2, %below2 : i64
          %slot3_i64 = "llvm.intr.cttz"(%slots3) <{is_zero_poison = false}> : (i64) -> i64
          %slot3 = arith.trunci %slot3_i64 : i64 to i32
          %row3 = arith.muli %slot3, %row_bytes : i32
          %at3 = arith.addi %row3, %channel_bytes : i32
          %x3 = rocdl.raw.ptr.buffer.load %buffer, %at3, %c0, %c0 : vector<4xf32>
          %below3 = arith.subi %slots3, %c1_i64 : i64
          %slots4 = arith.andi %slots3, %below3 : i64
          %slot4_i64 = "llvm.intr.cttz"(%slots4) <{is_zero_poison = false}> : (i64) -> i64
          %slot4 = arith.trunci %slot4_i64 : i64 to i32
          %row4 = arith.muli %slot4, %row_bytes : i32
          %at4 = arith.addi %row4, %channel_bytes : i32
          %x4 = rocdl.raw.ptr.buffer.load %buffer, %at4, %c0, %c0 : vector<4xf32>
          %below4 = arith.subi %slots4, %c1_i64 : i64
          %slots5 = arith.andi %slots4, %below4 : i64
          %slot5_i64 = "llvm.intr.cttz"(%slots5) <{is_zero_poison = false}> : (i64) -> i64
          %slot5 = arith.trunci %slot5_i64 : i64 to i32
          %row5 = arith.muli %slot5, %row_bytes : i32
          %at5 = arith.addi %row5, %channel_bytes : i32
          %x5 = rocdl.raw.ptr.buffer.load %buffer, %at5, %c0, %c0 : vector<4xf32>
          %below5 = arith.subi %slots5, %c1_i64 : i64
          %slots6 = arith.andi %slots5, %below5 : i64
          %slot6_i64 = "llvm.intr.cttz"(%slots6) <{is_zero_poison = false}> : (i64) -> i64
          %slot6 = arith.trunci %slot6_i64 : i64 to i32
          %row6 = arith.muli %slot6, %row_bytes : i32
          %at6 = arith.addi %row6, %channel_bytes : i32
          %x6 = rocdl.raw.ptr.buffer.load %buffer, %at6, %c0, %c0 : vector<4xf32>
          %below6 = arith.subi %slots6, %c1_i64 : i64
          %slots7 = arith.andi %slots6, %below6 : i64
          %slot7_i64 = "llvm.intr.cttz"(%slots7) <{is_zero_poison = false}> : (i64) -> i64
          %slot7 = arith.trunci %slot7_i64 : i64 to i32
          %row7 = arith.muli %slot7, %row_bytes : i32
          %at7 = arith.addi %row7, %channel_bytes : i32
          %x7 = rocdl.raw.ptr.buffer.load %buffer, %at7, %c0, %c0 : vector<4xf32>
          %below7 = arith.subi %slots7, %c1_i64 : i64
          %slots8 = arith.andi %slots7, %below7 : i64
          %acc1 = arith.addf %acc0, %x0 : vector<4xf32>
          %acc2 = arith.addf %acc1, %x1 : vector<4xf32>
          %acc3 = arith.addf %acc2, %x2 : vector<4xf32>
          %acc4 = arith.addf %acc3, %x3 : vector<4xf32>
          %acc5 = arith.addf %acc4, %x4 : vector<4xf32>
          %acc6 = arith.addf %acc5, %x5 : vector<4xf32>
          %acc7 = arith.addf %acc6, %x6 : vector<4xf32>
          %acc8 = arith.addf %acc7, %x7 : vector<4xf32>
          scf.yield %slots8, %acc8 : i64, vector<4xf32>
        }

        %rounded = arith.truncf %sum#1 : vector<4xf32> to vector<4xbf16>
        %out_offset = arith.muli %token_i64, %hidden_i64 : i64
        %out_row = llvm.getelementptr %out[%out_offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
        %out_p = llvm.getelementptr %out_row[%channel] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, bf16
        llvm.store %rounded, %out_p {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
      }
    }
    gpu.return
  }
}
