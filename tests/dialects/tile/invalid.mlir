// One negative test for each constraint of the tile dialect, named after its id.
// RUN: moec-opt %s -split-input-file -verify-diagnostics -o /dev/null

// program-target
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
// expected-error@+1 {{(program-target) has unknown target "gfx90a"; known: gfx942, gfx950}}
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx90a", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  tile.return
}

// -----
// program-arguments
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
// expected-error@+1 {{(program-arguments) argument 0 must be !moe.rows, !moe.experts or !moe.routing with all sizes bound, found '!moe.rows<token x H x bf16>'}}
tile.program @p(%x: !moe.rows<token x H x bf16>)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  tile.return
}

// -----
// program-schedule
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
// expected-error@+1 {{(program-schedule) waves is 0, must be 1, 2, 4 or 8}}
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 0, prefetch = 2>} {
  tile.return
}

// -----
// load-expert
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{(load-expert) the expert must be that of the program's tile.rows}}
  %b = tile.load %w[%c0, 0, %c0, %c0] : !w -> !b
  tile.return
}

// -----
// rows-top
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    // expected-error@+1 {{(rows-top) must stand directly in the body of a tile.program: blocks leave the program here}}
    %rows, %expert = tile.rows %route[%i] : !r
  }
  tile.return
}

// -----
// rows-top: once
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(rows-top) must stand once in a program}}
  %rows2, %expert2 = tile.rows %route[%c0] : !r
  tile.return
}

// -----
// fetch-role
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(fetch-role) must give a staged fragment of 'bf16', found '!tile.frag<16 x 256 x bf16, a>'}}
  %f = tile.fetch %x[%rows, %c0] : !x -> !a
  tile.return
}

// -----
// fetch-step
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(fetch-step) must fetch a multiple of 32 columns, found 48}}
  %f = tile.fetch %x[%rows, %c0] : !x -> !tile.frag<16 x 48 x bf16, staged>
  tile.return
}

// -----
// put-fit
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %f = tile.fetch %x[%rows, %c0] : !x -> !tile.frag<16 x 512 x bf16, staged>
  // expected-error@+1 {{(put-fit) cannot put '!tile.frag<16 x 512 x bf16, staged>' into a buffer of '!tile.lds<2 x 16 x 256 x bf16>'}}
  tile.put %f, %lds[%c0] : !tile.frag<16 x 512 x bf16, staged>, !lds
  tile.return
}

// -----
// read-fit
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  // expected-error@+1 {{(read-fit) cannot read '!tile.frag<16 x 256 x bf16, staged>' from a buffer of '!tile.lds<2 x 16 x 256 x bf16>'}}
  %a = tile.read %lds[%c0] : !lds -> !staged
  tile.return
}

// -----
// load-role
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(load-role) must give a b fragment of 16 channels of 'i4', found '!tile.frag<16 x 256 x bf16, a>'}}
  %b = tile.load %w[%expert, 0, %c0, %c0] : !w -> !a
  tile.return
}

// -----
// load-step
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(load-step) must load a multiple of 32 columns, found 40}}
  %b = tile.load %w[%expert, 0, %c0, %c0] : !w -> !tile.frag<16 x 40 x i4, b>
  tile.return
}

// -----
// load-projection
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(load-projection) projection 8 does not exist; the weights hold 1}}
  %b = tile.load %w[%expert, 8, %c0, %c0] : !w -> !b
  tile.return
}

// -----
// scale-role
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  // expected-error@+1 {{(scale-role) must give a scale fragment of 16 channels of 'bf16', found '!tile.frag<16 x 8 x f32, offset>'}}
  %b = tile.load_scale %w[%expert, 0, %c0, %c0] : !w -> !o
  tile.return
}

// -----
// offset-groups
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %a = tile.read %lds[%c0] : !lds -> !a
  // expected-error@+1 {{(offset-groups) must give an offset fragment with 4 columns for groups of 64, found '!tile.frag<16 x 8 x f32, offset>'}}
  %o = tile.offset %a {group = 64} : !a -> !o
  tile.return
}

// -----
// mma-roles
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %z = tile.zero : !acc
  %b = tile.load %w[%expert, 0, %c0, %c0] : !w -> !b
  %s = tile.load_scale %w[%expert, 0, %c0, %c0] : !w -> !s
  // expected-error@+1 {{(mma-roles) takes fragments of roles a, b, acc, scale and offset, in this order}}
  %m = tile.mma %b, %b, %z scaled %s offset %s {group = 32} : !b, !b, !s, !s -> !acc
  tile.return
}

// -----
// mma-depth
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %z = tile.zero : !acc
  %a = tile.read %lds[%c0] : !lds -> !a
  %o = tile.offset %a {group = 32} : !a -> !o
  %b = tile.load %w[%expert, 0, %c0, %c0] : !w -> !tile.frag<16 x 128 x i4, b>
  %s = tile.load_scale %w[%expert, 0, %c0, %c0] : !w -> !s
  // expected-error@+1 {{(mma-depth) contracts 256 columns of a with 128 of b}}
  %m = tile.mma %a, %b, %z scaled %s offset %o {group = 32} : !a, !tile.frag<16 x 128 x i4, b>, !s, !o -> !acc
  tile.return
}

// -----
// mma-groups
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %z = tile.zero : !acc
  %a = tile.read %lds[%c0] : !lds -> !a
  %o = tile.offset %a {group = 32} : !a -> !o
  %b = tile.load %w[%expert, 0, %c0, %c0] : !w -> !b
  %s = tile.load_scale %w[%expert, 0, %c0, %c0] : !w -> !s
  // expected-error@+1 {{(mma-groups) needs 4 columns of scales and offsets for groups of 64, found 8 and 8}}
  %m = tile.mma %a, %b, %z scaled %s offset %o {group = 64} : !a, !b, !s, !o -> !acc
  tile.return
}

// -----
// map-types
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %a = tile.read %lds[%c0] : !lds -> !a
  // expected-error@+1 {{(map-types) operands and result must be acc fragments of one shape}}
  %y = tile.map (%v = %a) : (!a) -> !acc {
    tile.yield %v : f32
  }
  tile.return
}

// -----
// store-role
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %lds = tile.alloc : !lds
  %a = tile.read %lds[%c0] : !lds -> !a
  // expected-error@+1 {{(store-role) must store an acc fragment, found '!tile.frag<16 x 256 x bf16, a>'}}
  tile.store %a, %out[%rows, %c0] : !a, !out
  tile.return
}

// -----
// store-element
!x = !moe.rows<token x 512 x bf16>
!w = !moe.experts<8 x 128 x 512, #moe.quant<i4, group = 32, scale = bf16>>
!r = !moe.routing<2 of 8>
!out = !moe.rows<pair x 128 x bf16>
!lds = !tile.lds<2 x 16 x 256 x bf16>
!a = !tile.frag<16 x 256 x bf16, a>
!b = !tile.frag<16 x 256 x i4, b>
!s = !tile.frag<16 x 8 x bf16, scale>
!o = !tile.frag<16 x 8 x f32, offset>
!acc = !tile.frag<16 x 16 x f32, acc>
!staged = !tile.frag<16 x 256 x bf16, staged>
tile.program @p(%x: !x, %w: !w, %route: !r, %out: !out)
    attributes {target = "gfx942", schedule = #tile.schedule<block_m = 16, block_n = 64, block_k = 256, waves = 4, prefetch = 2>} {
  %c0 = arith.constant 0 : index
  %rows, %expert = tile.rows %route[%c0] : !r
  %z = tile.zero : !acc
  // expected-error@+1 {{(store-element) stores to rows of bf16 or f32, one a pair; found '!moe.rows<token x 512 x bf16>'}}
  tile.store %z, %x[%rows, %c0] : !acc, !x
  tile.return
}

// -----
// role syntax
// expected-error@+1 {{expected a role of a fragment: a, b, acc, scale, offset or staged; found `c`}}
func.func private @f(!tile.frag<16 x 16 x f32, c>)

// -----
// size syntax
// expected-error@+1 {{a size of a tile is at least 1, found 0}}
func.func private @f(!tile.lds<0 x 16 x 256 x bf16>)
