import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { type Box, encodeBox, encodeFullBox, readBoxes, uint32s } from '@lantern-room/mp4/boxes'
import { encodeMetadata, readMetadataItem, withMetadataItem } from '#internal/formats/livePhoto/metadataItems'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('QuickTime metadata')

const items = new Map(Object.entries({ 'com.x.a': 'one', 'com.x.b': 'zwölf' }))

const read = (moov: readonly Box[]) =>
  ['com.x.a', 'com.x.b', 'com.x.c'].map((key) => readMetadataItem(moov, key))

test('keys are numbered from 1, and values say which they are of', () => {
  const [meta] = readBoxes(encodeMetadata(new Map([['k', 'v']]))) ?? []
  const [hdlr, keys, ilst] = readBoxes(meta?.body ?? new Uint8Array()) ?? []
  assert.equal([hdlr?.type, hdlr?.size], ['hdlr', 34])
  equalBytes(keys?.body ?? hex(''), concatBytes([hex('00000000 00000001 00000009'), asciiBytes('mdtak')]))
  equalBytes(ilst?.body ?? hex(''), hex('00000019 00000001 00000011 64617461 00000001 00000000 76'))
})

test('what was written is read, from QuickTime and from MP4', () => {
  const moov = readBoxes(encodeMetadata(items)) ?? []
  assert.equal(read(moov), ['one', 'zwölf', undefined])
  const versioned = encodeFullBox('meta', 0, moov[0]?.body ?? new Uint8Array())
  assert.is(readMetadataItem(readBoxes(versioned) ?? [], 'com.x.b'), 'zwölf')
})

test('boxes that are missing or cut give nothing', () => {
  const keys = encodeFullBox('keys', 0, uint32s(1), encodeBox('mdta', asciiBytes('k')))
  for (const box of [
    encodeBox('udta'),
    encodeBox('meta'),
    encodeBox('meta', uint32s(1, 2, 3)),
    encodeBox('meta', keys),
    encodeBox('meta', keys, encodeBox('ilst')),
  ])
    assert.is(readMetadataItem(readBoxes(box) ?? [], 'k'), undefined)
})

test('an item is added or replaced, and the others stay, in the form that is there', () => {
  const forms = [encodeMetadata(items), encodeFullBox('meta', 0, encodeMetadata(items).subarray(8))]
  for (const form of forms) {
    const [meta] = readBoxes(form) ?? []
    const added = readBoxes(withMetadataItem(meta, 'com.x.c', 'three') ?? hex('')) ?? []
    const replaced = readBoxes(withMetadataItem(added[0], 'com.x.a', 'eins') ?? hex('')) ?? []
    assert.equal(read(added), ['one', 'zwölf', 'three'])
    assert.equal(read(replaced), ['eins', 'zwölf', 'three'])
    assert.is(added[0]?.body[3], meta?.body[3], 'its version')
  }
  equalBytes(withMetadataItem(undefined, 'k', 'v') ?? hex(''), encodeMetadata(new Map([['k', 'v']])))
})

test('metadata of another kind gets no item', () => {
  const [other] = readBoxes(encodeBox('meta', encodeFullBox('hdlr', 0, uint32s(0)), encodeBox('ilst'))) ?? []
  assert.is(withMetadataItem(other, 'k', 'v'), undefined)
})

test.run()
