;; The two loops of AES-GCM over a payload (NIST SP 800-38D): adding the key stream, and GHASH.
;; gcmWasm.ts has the layout of the memory, and why this is not left to Node's own cipher.
;;
;;       0  32 tables of 16 products, 16 bytes each: of each half byte of a block with the hash key
;;    8192  the hash so far, one block
;;    8208  the text, and room for the block of lengths: 65,552 bytes
;;   73760  the key stream: the block for the tag, then those for the text
(module
  (type $loop (func (param i32)))
  (memory (export "memory") 3)

  ;; XORs the key stream into the text, up to $end bytes: a multiple of 16, not 0.
  (func (export "addKeyStream") (type $loop) (param $end i32)
    (local $at i32)
    (loop $block
      (v128.store offset=8208 align=1
        (local.get $at)
        (v128.xor
          (v128.load offset=8208 align=1 (local.get $at))
          (v128.load offset=73776 align=1 (local.get $at))))
      (br_if $block
        (i32.lt_u
          (local.tee $at (i32.add (local.get $at) (i32.const 16)))
          (local.get $end)))))

  ;; Takes the text into the hash, up to $end bytes: a multiple of 16, not 0. Multiplication by the hash key is linear:
  ;; the product of a block is the sum of the products of its half bytes, looked up one by one.
  (func (export "hash") (type $loop) (param $end i32)
    (local $at i32)
    (local $sum v128)
    (local $word i64)
    (local.set $sum (v128.load offset=8192 align=1 (i32.const 0)))
    (loop $block
      (local.set $sum
        (v128.xor (local.get $sum) (v128.load offset=8208 align=1 (local.get $at))))

      ;; The offset of a product in its table is the value of the half byte, times 16. Within a byte the lower half is first.
      (local.set $word (i64x2.extract_lane 0 (local.get $sum)))
      (v128.load offset=0 align=1 (i32.and (i32.wrap_i64 (i64.shl (local.get $word) (i64.const 4))) (i32.const 0xf0)))
      (v128.load offset=256 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 0))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=512 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 4))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=768 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 8))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=1024 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 12))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=1280 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 16))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=1536 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 20))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=1792 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 24))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=2048 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 28))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=2304 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 32))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=2560 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 36))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=2816 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 40))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=3072 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 44))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=3328 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 48))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=3584 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 52))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=3840 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 56))) (i32.const 0xf0))) (v128.xor)

      (local.set $word (i64x2.extract_lane 1 (local.get $sum)))
      (v128.load offset=4096 align=1 (i32.and (i32.wrap_i64 (i64.shl (local.get $word) (i64.const 4))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=4352 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 0))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=4608 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 4))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=4864 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 8))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=5120 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 12))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=5376 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 16))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=5632 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 20))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=5888 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 24))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=6144 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 28))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=6400 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 32))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=6656 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 36))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=6912 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 40))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=7168 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 44))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=7424 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 48))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=7680 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 52))) (i32.const 0xf0))) (v128.xor)
      (v128.load offset=7936 align=1 (i32.and (i32.wrap_i64 (i64.shr_u (local.get $word) (i64.const 56))) (i32.const 0xf0))) (v128.xor)

      (local.set $sum)
      (br_if $block
        (i32.lt_u
          (local.tee $at (i32.add (local.get $at) (i32.const 16)))
          (local.get $end))))
    (v128.store offset=8192 align=1 (i32.const 0) (local.get $sum)))
)
