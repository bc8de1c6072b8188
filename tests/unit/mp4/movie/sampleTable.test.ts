import { concatBytes } from '@lantern-room/base/bytes'
import { type Box, readBoxes } from '#internal/mp4/movie/boxes'
import { readSampleTable, type SampleTable } from '#internal/mp4/movie/sampleTable'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('sample table')

// Seven samples: sizes 1–7; chunks of 2, 2 and 3 at 1000, 2000 and 3000; the last one lasts longer.
const tables = {
  stsz: '00000030 7374737a 00000000 00000000 00000007 00000001 00000002 00000003 00000004 00000005 00000006 00000007',
  stts: '00000020 73747473 00000000 00000002 00000006 00000200 00000001 00000201',
  stsc: '00000028 73747363 00000000 00000002 00000001 00000002 00000001 00000003 00000003 00000001',
  stco: '0000001c 7374636f 00000000 00000003 000003e8 000007d0 00000bb8',
  stss: '00000018 73747373 00000000 00000002 00000001 00000006',
}

function boxesOf(hexes: Record<string, string>): Box[] {
  const boxes = readBoxes(concatBytes(Object.values(hexes).map(hex)))
  assert.ok(boxes, 'the tables of the test are boxes')
  return boxes ?? []
}

function read(changes: Record<string, string> = {}): SampleTable | undefined {
  return readSampleTable(boxesOf({ ...tables, ...changes }), 1000)
}

test('every sample gets its size, place, duration and sync mark', () => {
  assert.equal(read(), {
    count: 7,
    sizes: Uint32Array.of(1, 2, 3, 4, 5, 6, 7),
    offsets: Float64Array.of(1000, 1001, 2000, 2003, 3000, 3005, 3011),
    durations: Uint32Array.of(512, 512, 512, 512, 512, 512, 513),
    sync: Uint8Array.of(1, 0, 0, 0, 0, 1, 0),
    compositionOffsets: undefined,
  })
})

test('without a sync table every sample is one', () => {
  const { stss: _, ...others } = tables
  assert.equal([...(readSampleTable(boxesOf(others), 1000)?.sync ?? [])], [1, 1, 1, 1, 1, 1, 1])
})

test('one size for all samples needs no list', () => {
  const samples = read({ stsz: '00000014 7374737a 00000000 00000009 00000007' })
  assert.equal([...(samples?.offsets ?? [])], [1000, 1009, 2000, 2009, 3000, 3009, 3018])
})

test('chunk offsets beyond 4 GiB come as 64-bit numbers', () => {
  const { stco: _, ...others } = tables
  const co64 = '00000028 636f3634 00000000 00000003 0000000100000000 0000000200000000 0000000300000007'
  const samples = readSampleTable(boxesOf({ ...others, co64 }), 1000)
  assert.is(samples?.offsets[1], 2 ** 32 + 1)
  assert.is(samples?.offsets[4], 3 * 2 ** 32 + 7)
})

test('composition offsets are unfolded, negative ones too', () => {
  const ctts = '00000028 63747473 01000000 00000003 00000001 00000400 00000005 fffffe00 00000001 00000000'
  assert.equal([...(read({ ctts })?.compositionOffsets ?? [])], [1024, -512, -512, -512, -512, -512, 0])
})

const contradictions: Record<string, Record<string, string>> = {
  'durations for fewer samples': { stts: '00000018 73747473 00000000 00000001 00000006 00000200' },
  'durations for more samples': { stts: '00000018 73747473 00000000 00000001 00000008 00000200' },
  'durations whose count wraps': {
    stts: '00000020 73747473 00000000 00000002 ffffffff 00000200 00000008 00000200',
  },
  'chunks for fewer samples': { stsc: '0000001c 73747363 00000000 00000001 00000001 00000002 00000001' },
  'chunks for more samples': { stsc: '0000001c 73747363 00000000 00000001 00000001 00000003 00000001' },
  'chunks that do not begin with the first': {
    stsc: '00000028 73747363 00000000 00000002 00000002 00000004 00000001 00000003 00000003 00000001',
  },
  'chunk runs that do not ascend': {
    stsc: '00000028 73747363 00000000 00000002 00000001 00000002 00000001 00000001 00000003 00000001',
  },
  'a chunk run beyond the last chunk': {
    stsc: '00000028 73747363 00000000 00000002 00000001 00000002 00000001 00000009 00000003 00000001',
  },
  'sample sizes that are cut': { stsz: '00000018 7374737a 00000000 00000000 00000007 00000001' },
  'chunk offsets that are cut': { stco: '00000014 7374636f 00000000 00000003 000003e8' },
  'a sync sample number 0': { stss: '00000014 73747373 00000000 00000001 00000000' },
  'a sync sample that does not exist': { stss: '00000014 73747373 00000000 00000001 00000008' },
  'composition offsets for fewer samples': { ctts: '00000018 63747473 00000000 00000001 00000006 00000200' },
  'both kinds of chunk offsets': { co64: '00000018 636f3634 00000000 00000001 0000000000000001' },
  'an offset beyond 2^53': { stco: '', co64: '00000018 636f3634 00000000 00000001 ffffffffffffffff' },
  'two sync tables': { stss: tables.stss + tables.stss },
  'no sizes': { stsz: '' },
  'no durations': { stts: '' },
  'no chunks': { stsc: '' },
  'no offsets': { stco: '' },
}

for (const [name, change] of Object.entries(contradictions)) {
  test(`refused: ${name}`, () => assert.is(read(change), undefined))
}

test('a table of 20 bytes that claims four billion samples is refused before any memory is taken', () => {
  assert.is(read({ stsz: '00000014 7374737a 00000000 00000001 ffffffff' }), undefined)
})

test('no samples are a table too', () => {
  const samples = readSampleTable(
    boxesOf({
      stsz: '00000014 7374737a 00000000 00000000 00000000',
      stts: '00000010 73747473 00000000 00000000',
      stsc: '00000010 73747363 00000000 00000000',
      stco: '00000010 7374636f 00000000 00000000',
    }),
    1000,
  )
  assert.is(samples?.count, 0)
})

test.run()
