// Router ids to sorted, padded block lists (AITER's convention), on the device.
//
// The grouped GEMM stages work on blocks of 16 rows of one expert each. This
// kernel builds those lists. It needs nothing but the ids: router weights are
// never read here, the stage that applies them indexes them by (token, slot).
//
// Arguments
//   topk_ids    i32 [tokens, topk]   ids outside [0, experts) are dropped; an id may repeat within a token
//   sorted_ids  i32 [rows]           out: (slot << 24) | token, or the pad (topk << 24) | tokens
//   expert_ids  i32 [rows / 16]      out: the expert of every block
//   num_valid   i32 [2]              out: [0] padded rows (a multiple of 16), [1] tokens
//   tokens, topk, experts  i32       0 <= tokens < 2^24, 1 <= topk <= 64, 1 <= experts <= 1024
//   where rows >= tokens*topk + experts*16 - min(topk, experts), rounded up to 16: an id may repeat within a
//   token, so that topk > experts takes 15 pads an expert. All pointers are 4-byte aligned.
// Launch
//   grid (1, 1, 1), block (512, 1, 1), no dynamic LDS. Static LDS 48 KiB + 32 B.
// Guarantees
//   * Experts in ascending order, an expert without pairs has no block; the pairs of an expert in ascending
//     (token, slot) order, pads after them. So the output is a function of the input alone (R12).
//   * Writes sorted_ids[0, num_valid[0]), expert_ids[0, num_valid[0]/16) and num_valid[0, 2), each element
//     once, and nothing else. Reads nothing but topk_ids and relies on no content of LDS or of the outputs.
//
// Method: a stable counting sort by 8 waves, each of which owns one contiguous range of pairs.
//   1. every wave counts its pairs by expert in its own row of LDS;
//   2. one thread per two experts turns the column of 8 counts into row offsets, and a scan over lanes,
//      then over waves, turns blocks per expert into the first block of each expert;
//   3. every wave walks its pairs again and places them; equal ids within a wave rank by lane, found
//      with one ballot per bit of the id. LDS atomics would give an order too, but not a promised one.
// A wave fetches its ids 512 at a time, eight loads in flight, into its own part of LDS. Up to 4096 pairs are
// fetched once, more are fetched again for step 3.

gpu.module @route {
  // counts[wave][expert]: the wave's pairs of that expert; after the scan, the row of the wave's next pair of
  // that expert, relative to the first row of the expert's group.
  llvm.mlir.global internal @counts() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x array<1024 x i32>>
  // Blocks of each group of 128 experts. A group is the experts that one wave scans.
  llvm.mlir.global internal @group_blocks() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x i32>
  // fetched[wave][round * 64 + lane]: the ids of up to 8 rounds of 64 pairs. A lane reads only what it wrote.
  llvm.mlir.global internal @fetched() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x array<512 x i32>>

  // The ids of the lane's pairs first, first + 64, .. first + 448, to its column of `fetched` at `to`. All
  // loads are in flight before the first is stored.
  llvm.func internal @fetch(%ids: !llvm.ptr<8>, %first: i32, %to: !llvm.ptr<3>) attributes {always_inline} {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %from = arith.shli %first, %c2 : i32
    %id0 = rocdl.raw.ptr.buffer.load %ids, %from, %c0, %c0 : i32
    %c256 = arith.constant 256 : i32
    %from1 = arith.addi %from, %c256 : i32
    %id1 = rocdl.raw.ptr.buffer.load %ids, %from1, %c0, %c0 : i32
    %c512 = arith.constant 512 : i32
    %from2 = arith.addi %from, %c512 : i32
    %id2 = rocdl.raw.ptr.buffer.load %ids, %from2, %c0, %c0 : i32
    %c768 = arith.constant 768 : i32
    %from3 = arith.addi %from, %c768 : i32
    %id3 = rocdl.raw.ptr.buffer.load %ids, %from3, %c0, %c0 : i32
    %c1024 = arith.constant 1024 : i32
    %from4 = arith.addi %from, %c1024 : i32
    %id4 = rocdl.raw.ptr.buffer.load %ids, %from4, %c0, %c0 : i32
    %c1280 = arith.constant 1280 : i32
    %from5 = arith.addi %from, %c1280 : i32
    %id5 = rocdl.raw.ptr.buffer.load %ids, %from5, %c0, %c0 : i32
    %c1536 = arith.constant 1536 : i32
    %from6 = arith.addi %from, %c1536 : i32
    %id6 = rocdl.raw.ptr.buffer.load %ids, %from6, %c0, %c0 : i32
    %c1792 = arith.constant 1792 : i32
    %from7 = arith.addi %from, %c1792 : i32
    %id7 = rocdl.raw.ptr.buffer.load %ids, %from7, %c0, %c0 : i32
    llvm.store %id0, %to : i32, !llvm.ptr<3>
    %to1 = llvm.getelementptr %to[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id1, %to1 : i32, !llvm.ptr<3>
    %to2 = llvm.getelementptr %to[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id2, %to2 : i32, !llvm.ptr<3>
    %to3 = llvm.getelementptr %to[192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id3, %to3 : i32, !llvm.ptr<3>
    %to4 = llvm.getelementptr %to[256] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id4, %to4 : i32, !llvm.ptr<3>
    %to5 = llvm.getelementptr %to[320] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id5, %to5 : i32, !llvm.ptr<3>
    %to6 = llvm.getelementptr %to[384] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id6, %to6 : i32, !llvm.ptr<3>
    %to7 = llvm.getelementptr %to[448] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    llvm.store %id7, %to7 : i32, !llvm.ptr<3>
    llvm.return
  }

  // The lanes whose id differs from this lane's in the bit that `to_top` shifts to the top: the lanes that have
  // it set, or the others if this lane has it set.
  llvm.func internal @differing(%id: i32, %to_top: i32) -> i64 attributes {always_inline} {
    %c0 = arith.constant 0 : i32
    %c31 = arith.constant 31 : i32
    %top = arith.shli %id, %to_top : i32
    %is_set = arith.cmpi slt, %top, %c0 : i32
    %set_lanes = rocdl.ballot %is_set : i64
    %mine = arith.shrsi %top, %c31 : i32
    %halves = vector.broadcast %mine : i32 to vector<2xi32>
    %mine_everywhere = llvm.bitcast %halves : vector<2xi32> to i64
    %differing = arith.xori %set_lanes, %mine_everywhere : i64
    llvm.return %differing : i64
  }

  gpu.func @route(%topk_ids: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                  %sorted_ids: !llvm.ptr<1> {llvm.noalias, llvm.writeonly},
                  %expert_ids: !llvm.ptr<1> {llvm.noalias, llvm.writeonly},
                  %num_valid: !llvm.ptr<1> {llvm.noalias, llvm.writeonly},
                  %tokens: i32, %topk: i32, %experts: i32)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>,
                         arg_names = ["topk_ids", "sorted_ids", "expert_ids", "num_valid", "tokens", "topk",
                                      "experts"]} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c6 = arith.constant 6 : i32
    %c7 = arith.constant 7 : i32
    %c8 = arith.constant 8 : i32
    %c9 = arith.constant 9 : i32
    %c15 = arith.constant 15 : i32
    %c22 = arith.constant 22 : i32
    %c23 = arith.constant 23 : i32
    %c24 = arith.constant 24 : i32
    %c25 = arith.constant 25 : i32
    %c26 = arith.constant 26 : i32
    %c27 = arith.constant 27 : i32
    %c28 = arith.constant 28 : i32
    %c29 = arith.constant 29 : i32
    %c30 = arith.constant 30 : i32
    %c31 = arith.constant 31 : i32
    %c63 = arith.constant 63 : i32
    %c64 = arith.constant 64 : i32
    %c511 = arith.constant 511 : i32
    %c512 = arith.constant 512 : i32
    %ones_i64 = arith.constant -1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c32_i64 = arith.constant 32 : i64
    %counts = llvm.mlir.addressof @counts : !llvm.ptr<3>
    %group_blocks = llvm.mlir.addressof @group_blocks : !llvm.ptr<3>
    %fetched = llvm.mlir.addressof @fetched : !llvm.ptr<3>

    %tid = rocdl.workitem.id.x : i32
    %lane = arith.andi %tid, %c63 : i32
    %wave_v = arith.shrui %tid, %c6 : i32
    %wave = rocdl.readfirstlane %wave_v : i32
    %wave_counts = llvm.getelementptr %counts[%wave] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<1024 x i32>

    // This wave's pairs are [begin, end): an eighth of all, rounded up to a multiple of 64.
    %pairs = arith.muli %tokens, %topk : i32
    %pairs_up = arith.addi %pairs, %c511 : i32
    %rounds = arith.shrui %pairs_up, %c9 : i32
    %range = arith.muli %rounds, %c64 : i32
    %begin = arith.muli %wave, %range : i32
    %range_end = arith.addi %begin, %range : i32
    %end = arith.minsi %range_end, %pairs : i32

    %zeros = arith.constant dense<0> : vector<4xi32>
    %clear0 = llvm.getelementptr %wave_counts[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %clear1 = llvm.getelementptr %clear0[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
    %clear2 = llvm.getelementptr %clear0[128] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
    %clear3 = llvm.getelementptr %clear0[192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, vector<4xi32>
    llvm.store %zeros, %clear0 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    llvm.store %zeros, %clear1 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    llvm.store %zeros, %clear2 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    llvm.store %zeros, %clear3 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
    llvm.fence syncscope("wavefront") acq_rel

    // A raw buffer of the ids up to this wave's end (flags 0x27000: untyped dwords), so that a fetch of whole
    // rounds may run past the end: it reads 0 there, and the lanes concerned are not in range below.
    %end_i64 = arith.extui %end : i32 to i64
    %ids_bytes = arith.shli %end_i64, %c2_i64 : i64
    %stride = arith.constant 0 : i16
    %flags = arith.constant 0x27000 : i32
    %ids = rocdl.make.buffer.rsrc %topk_ids, %stride, %ids_bytes, %flags : !llvm.ptr<1> to !llvm.ptr<8>
    %wave_fetched = llvm.getelementptr %fetched[%wave] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<512 x i32>
    %my_fetched = llvm.getelementptr %wave_fetched[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32

    // 1. Count.
    scf.for %at = %begin to %end step %c512 : i32 {
      %first_fetched = arith.addi %at, %lane : i32
      llvm.call @fetch(%ids, %first_fetched, %my_fetched) : (!llvm.ptr<8>, i32, !llvm.ptr<3>) -> ()
      %fetched_end = arith.addi %at, %c512 : i32
      %round_end = arith.minsi %fetched_end, %end : i32
      scf.for %round = %at to %round_end step %c64 : i32 {
        %done = arith.subi %round, %at : i32
        %id_p = llvm.getelementptr %my_fetched[%done] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        %id = llvm.load %id_p : !llvm.ptr<3> -> i32
        %pair = arith.addi %round, %lane : i32
        %in_range = arith.cmpi slt, %pair, %end : i32
        %is_expert = arith.cmpi ult, %id, %experts : i32
        %valid = arith.andi %in_range, %is_expert : i1
        scf.if %valid {
          %counter = llvm.getelementptr %wave_counts[%id] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
          %old = llvm.atomicrmw add %counter, %c1 syncscope("wavefront") monotonic : !llvm.ptr<3>, i32
        }
      }
    }
    gpu.barrier

    // 2. Scan. Thread t owns the experts 2t and 2t+1; a wave whose experts do not exist has nothing to do.
    //    In place, counts become row offsets within the group; what stays in registers is for the pads.
    %expert0 = arith.muli %tid, %c2 : i32
    %wave_expert0 = arith.shli %wave, %c7 : i32
    %scans = arith.cmpi ult, %wave_expert0, %experts : i32
    %my:3 = scf.if %scans -> (vector<2xi32>, vector<2xi32>, i32) {
      %cell0 = llvm.getelementptr %counts[%expert0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %cell1 = llvm.getelementptr %cell0[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell2 = llvm.getelementptr %cell0[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell3 = llvm.getelementptr %cell0[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell4 = llvm.getelementptr %cell0[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell5 = llvm.getelementptr %cell0[5] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell6 = llvm.getelementptr %cell0[6] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %cell7 = llvm.getelementptr %cell0[7] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1024 x i32>
      %count0 = llvm.load %cell0 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count1 = llvm.load %cell1 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count2 = llvm.load %cell2 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count3 = llvm.load %cell3 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count4 = llvm.load %cell4 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count5 = llvm.load %cell5 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count6 = llvm.load %cell6 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %count7 = llvm.load %cell7 {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
      %sum2 = arith.addi %count0, %count1 : vector<2xi32>
      %sum3 = arith.addi %sum2, %count2 : vector<2xi32>
      %sum4 = arith.addi %sum3, %count3 : vector<2xi32>
      %sum5 = arith.addi %sum4, %count4 : vector<2xi32>
      %sum6 = arith.addi %sum5, %count5 : vector<2xi32>
      %sum7 = arith.addi %sum6, %count6 : vector<2xi32>
      %sum8 = arith.addi %sum7, %count7 : vector<2xi32>
      // Blocks of the two experts, and an inclusive scan of their sum over the lanes: within rows of 16 by
      // shifts of 1, 2, 4 and 8 (row_shr), then lane 15 of rows 0 and 2 into rows 1 and 3 (row_bcast:15), then
      // lane 31 into the upper half (row_bcast:31).
      %fifteens = arith.constant dense<15> : vector<2xi32>
      %fours = arith.constant dense<4> : vector<2xi32>
      %rounded = arith.addi %sum8, %fifteens : vector<2xi32>
      %blocks = arith.shrui %rounded, %fours : vector<2xi32>
      %blocks0 = vector.extract %blocks[0] : i32 from vector<2xi32>
      %blocks1 = vector.extract %blocks[1] : i32 from vector<2xi32>
      %s0 = arith.addi %blocks0, %blocks1 : i32
      %d1 = rocdl.update.dpp %c0, %s0 with 0x111, 0xf, 0xf, false : i32
      %s1 = arith.addi %s0, %d1 : i32
      %d2 = rocdl.update.dpp %c0, %s1 with 0x112, 0xf, 0xf, false : i32
      %s2 = arith.addi %s1, %d2 : i32
      %d3 = rocdl.update.dpp %c0, %s2 with 0x114, 0xf, 0xf, false : i32
      %s3 = arith.addi %s2, %d3 : i32
      %d4 = rocdl.update.dpp %c0, %s3 with 0x118, 0xf, 0xf, false : i32
      %s4 = arith.addi %s3, %d4 : i32
      %d5 = rocdl.update.dpp %c0, %s4 with 0x142, 0xa, 0xf, false : i32
      %s5 = arith.addi %s4, %d5 : i32
      %d6 = rocdl.update.dpp %c0, %s5 with 0x143, 0xc, 0xf, false : i32
      %s6 = arith.addi %s5, %d6 : i32
      %total = rocdl.readlane %s6, %c63 : (i32, i32) -> i32
      %block0 = arith.subi %s6, %s0 : i32
      %block1 = arith.addi %block0, %blocks0 : i32
      %first_blocks = vector.from_elements %block0, %block1 : vector<2xi32>
      %row0 = arith.shli %first_blocks, %fours : vector<2xi32>
      llvm.store %row0, %cell0 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row1 = arith.addi %row0, %count0 : vector<2xi32>
      llvm.store %row1, %cell1 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row2 = arith.addi %row0, %sum2 : vector<2xi32>
      llvm.store %row2, %cell2 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row3 = arith.addi %row0, %sum3 : vector<2xi32>
      llvm.store %row3, %cell3 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row4 = arith.addi %row0, %sum4 : vector<2xi32>
      llvm.store %row4, %cell4 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row5 = arith.addi %row0, %sum5 : vector<2xi32>
      llvm.store %row5, %cell5 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row6 = arith.addi %row0, %sum6 : vector<2xi32>
      llvm.store %row6, %cell6 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row7 = arith.addi %row0, %sum7 : vector<2xi32>
      llvm.store %row7, %cell7 {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
      %row_end = arith.addi %row0, %sum8 : vector<2xi32>
      scf.yield %sum8, %row_end, %total : vector<2xi32>, vector<2xi32>, i32
    } else {
      %no_rows = arith.constant dense<0> : vector<2xi32>
      scf.yield %no_rows, %no_rows, %c0 : vector<2xi32>, vector<2xi32>, i32
    }
    %is_lane0 = arith.cmpi eq, %lane, %c0 : i32
    scf.if %is_lane0 {
      %p = llvm.getelementptr %group_blocks[%wave] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %my#2, %p : i32, !llvm.ptr<3>
    }
    gpu.barrier

    // Every wave scans the eight groups in its lanes 0..7: lane g holds the first row of group g.
    %group = arith.andi %lane, %c7 : i32
    %group_p = llvm.getelementptr %group_blocks[%group] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %g0 = llvm.load %group_p : !llvm.ptr<3> -> i32
    %e1 = rocdl.update.dpp %c0, %g0 with 0x111, 0xf, 0xf, false : i32
    %g1 = arith.addi %g0, %e1 : i32
    %e2 = rocdl.update.dpp %c0, %g1 with 0x112, 0xf, 0xf, false : i32
    %g2 = arith.addi %g1, %e2 : i32
    %e3 = rocdl.update.dpp %c0, %g2 with 0x114, 0xf, 0xf, false : i32
    %g3 = arith.addi %g2, %e3 : i32
    %group_block = arith.subi %g3, %g0 : i32
    %group_row = arith.shli %group_block, %c4 : i32

    %is_thread0 = arith.cmpi eq, %tid, %c0 : i32
    scf.if %is_thread0 {
      %all_blocks = rocdl.readlane %g3, %c7 : (i32, i32) -> i32
      %all_rows = arith.shli %all_blocks, %c4 : i32
      %both = vector.from_elements %all_rows, %tokens : vector<2xi32>
      llvm.store %both, %num_valid {alignment = 4 : i64} : vector<2xi32>, !llvm.ptr<1>
    }

    // 3. Place. (token, slot) of the lane's pair advances by 64 pairs a round without dividing again.
    %first_pair = arith.addi %begin, %lane : i32
    %first_token = arith.divui %first_pair, %topk : i32
    %first_token_pair = arith.muli %first_token, %topk : i32
    %first_slot = arith.subi %first_pair, %first_token_pair : i32
    %token_step = arith.divui %c64, %topk : i32
    %token_step_pairs = arith.muli %token_step, %topk : i32
    %slot_step = arith.subi %c64, %token_step_pairs : i32
    %fetches_again = arith.cmpi sgt, %range, %c512 : i32
    %place:2 = scf.for %at = %begin to %end step %c512
        iter_args(%at_token = %first_token, %at_slot = %first_slot) -> (i32, i32) : i32 {
      scf.if %fetches_again {
        %first_fetched = arith.addi %at, %lane : i32
        llvm.call @fetch(%ids, %first_fetched, %my_fetched) : (!llvm.ptr<8>, i32, !llvm.ptr<3>) -> ()
      }
      %fetched_end = arith.addi %at, %c512 : i32
      %round_end = arith.minsi %fetched_end, %end : i32
      %rounds_done:2 = scf.for %round = %at to %round_end step %c64
          iter_args(%token = %at_token, %slot = %at_slot) -> (i32, i32) : i32 {
        %done = arith.subi %round, %at : i32
        %id_p = llvm.getelementptr %my_fetched[%done] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        %id = llvm.load %id_p : !llvm.ptr<3> -> i32
        %pair = arith.addi %round, %lane : i32
        %in_range = arith.cmpi slt, %pair, %end : i32
        %is_expert = arith.cmpi ult, %id, %experts : i32
        %valid = arith.andi %in_range, %is_expert : i1
        %expert = arith.select %valid, %id, %c0 : i32
        %next_row_p = llvm.getelementptr %wave_counts[%expert] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
        %next_row = llvm.load %next_row_p : !llvm.ptr<3> -> i32
        %expert_group = arith.shrui %expert, %c7 : i32
        %expert_group_lane = arith.shli %expert_group, %c2 : i32
        %expert_group_row = rocdl.ds_bpermute %expert_group_lane, %group_row : (i32, i32) -> i32

        // Its peers: the valid lanes with the same expert, which are those that differ in none of ten bits. What
        // an invalid lane computes is not used.
        %valid_lanes = rocdl.ballot %valid : i64
        %other0 = llvm.call @differing(%expert, %c31) : (i32, i32) -> i64
        %other1 = llvm.call @differing(%expert, %c30) : (i32, i32) -> i64
        %other2 = llvm.call @differing(%expert, %c29) : (i32, i32) -> i64
        %other3 = llvm.call @differing(%expert, %c28) : (i32, i32) -> i64
        %other4 = llvm.call @differing(%expert, %c27) : (i32, i32) -> i64
        %other5 = llvm.call @differing(%expert, %c26) : (i32, i32) -> i64
        %other6 = llvm.call @differing(%expert, %c25) : (i32, i32) -> i64
        %other7 = llvm.call @differing(%expert, %c24) : (i32, i32) -> i64
        %other8 = llvm.call @differing(%expert, %c23) : (i32, i32) -> i64
        %other9 = llvm.call @differing(%expert, %c22) : (i32, i32) -> i64
        %others1 = arith.ori %other0, %other1 : i64
        %others2 = arith.ori %others1, %other2 : i64
        %others3 = arith.ori %others2, %other3 : i64
        %others4 = arith.ori %others3, %other4 : i64
        %others5 = arith.ori %others4, %other5 : i64
        %others6 = arith.ori %others5, %other6 : i64
        %others7 = arith.ori %others6, %other7 : i64
        %others8 = arith.ori %others7, %other8 : i64
        %others9 = arith.ori %others8, %other9 : i64
        %same_lanes = arith.xori %others9, %ones_i64 : i64
        %peers = arith.andi %valid_lanes, %same_lanes : i64
        %peers_lo = arith.trunci %peers : i64 to i32
        %peers_high = arith.shrui %peers, %c32_i64 : i64
        %peers_hi = arith.trunci %peers_high : i64 to i32
        %rank_lo = rocdl.mbcnt.lo %peers_lo, %c0 : (i32, i32) -> i32
        %rank = rocdl.mbcnt.hi %peers_hi, %rank_lo : (i32, i32) -> i32

        scf.if %valid {
          %is_leader = arith.cmpi eq, %rank, %c0 : i32
          scf.if %is_leader {
            %peer_count_i64 = llvm.intr.ctpop(%peers) : (i64) -> i64
            %peer_count = arith.trunci %peer_count_i64 : i64 to i32
            %advanced = arith.addi %next_row, %peer_count : i32
            llvm.store %advanced, %next_row_p : i32, !llvm.ptr<3>
          }
          %row_in_group = arith.addi %next_row, %rank : i32
          %row = arith.addi %row_in_group, %expert_group_row : i32
          %slot_field = arith.shli %slot, %c24 : i32
          %entry = arith.ori %slot_field, %token : i32
          %entry_p = llvm.getelementptr %sorted_ids[%row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
          llvm.store %entry, %entry_p : i32, !llvm.ptr<1>
          // Every block begins with a pair, whose lane names the expert.
          %row_in_block = arith.andi %row, %c15 : i32
          %begins_block = arith.cmpi eq, %row_in_block, %c0 : i32
          scf.if %begins_block {
            %block = arith.shrui %row, %c4 : i32
            %expert_p = llvm.getelementptr %expert_ids[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
            llvm.store %expert, %expert_p : i32, !llvm.ptr<1>
          }
        }
        // The next round's lanes read the rows that this round's leaders advanced.
        llvm.fence syncscope("wavefront") acq_rel

        %slot_sum = arith.addi %slot, %slot_step : i32
        %slot_wrapped = arith.subi %slot_sum, %topk : i32
        %wraps = arith.cmpi uge, %slot_sum, %topk : i32
        %next_slot = arith.select %wraps, %slot_wrapped, %slot_sum : i32
        %wrap = arith.extui %wraps : i1 to i32
        %token_sum = arith.addi %token, %token_step : i32
        %next_token = arith.addi %token_sum, %wrap : i32
        scf.yield %next_token, %next_slot : i32, i32
      }
      scf.yield %rounds_done#0, %rounds_done#1 : i32, i32
    }

    // Pads: the n < 16 rows after an expert's last pair, in stores of 4, 4, 4, 2 and 1 by the bits of n.
    scf.if %scans {
      %my_group_row = rocdl.readlane %group_row, %wave : (i32, i32) -> i32
      %pad_slot = arith.shli %topk, %c24 : i32
      %pad = arith.ori %pad_slot, %tokens : i32
      %pad2 = vector.broadcast %pad : i32 to vector<2xi32>
      %pad4 = vector.broadcast %pad : i32 to vector<4xi32>
      scf.for %which = %c0 to %c2 step %c1 : i32 {
        %is_second = arith.cmpi eq, %which, %c1 : i32
        %count_first = vector.extract %my#0[0] : i32 from vector<2xi32>
        %count_second = vector.extract %my#0[1] : i32 from vector<2xi32>
        %end_first = vector.extract %my#1[0] : i32 from vector<2xi32>
        %end_second = vector.extract %my#1[1] : i32 from vector<2xi32>
        %count = arith.select %is_second, %count_second, %count_first : i32
        %end_in_group = arith.select %is_second, %end_second, %end_first : i32
        %negated = arith.subi %c0, %count : i32
        %n = arith.andi %negated, %c15 : i32
        %end_row = arith.addi %end_in_group, %my_group_row : i32
        %at0 = llvm.getelementptr %sorted_ids[%end_row] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %n8 = arith.andi %n, %c8 : i32
        %has8 = arith.cmpi ne, %n8, %c0 : i32
        scf.if %has8 {
          %upper = llvm.getelementptr %at0[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
          llvm.store %pad4, %at0 {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
          llvm.store %pad4, %upper {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
        }
        %at1 = llvm.getelementptr %at0[%n8] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %n4 = arith.andi %n, %c4 : i32
        %has4 = arith.cmpi ne, %n4, %c0 : i32
        scf.if %has4 {
          llvm.store %pad4, %at1 {alignment = 4 : i64} : vector<4xi32>, !llvm.ptr<1>
        }
        %at2 = llvm.getelementptr %at1[%n4] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %n2 = arith.andi %n, %c2 : i32
        %has2 = arith.cmpi ne, %n2, %c0 : i32
        scf.if %has2 {
          llvm.store %pad2, %at2 {alignment = 4 : i64} : vector<2xi32>, !llvm.ptr<1>
        }
        %at3 = llvm.getelementptr %at2[%n2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        %n1 = arith.andi %n, %c1 : i32
        %has1 = arith.cmpi ne, %n1, %c0 : i32
        scf.if %has1 {
          llvm.store %pad, %at3 {alignment = 4 : i64} : i32, !llvm.ptr<1>
        }
      }
    }
    gpu.return
  }
}
