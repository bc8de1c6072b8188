import fc from 'fast-check'
import { decodeXmp, isClipItem, isMotionPhotoXmp, readXmpPacket } from '#internal/formats/xmp/readXmp'
import { readXmlElements } from '#internal/formats/xmp/xmlElements'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { loopMs, processorMs } from '../../../support/values/processorTime'

const test = suite('XMP reader')

const elementForm = `<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:Camera='http://ns.google.com/photos/1.0/camera/'
  xmlns:GContainer='http://ns.google.com/photos/1.0/container/'
  xmlns:I = 'http://ns.google.com/photos/1.0/container/item/'>
 <Camera:MotionPhoto>1</Camera:MotionPhoto>
 <Camera:MotionPhotoPresentationTimestampUs> -1 </Camera:MotionPhotoPresentationTimestampUs>
 <GContainer:Directory><rdf:Seq>
  <rdf:li rdf:parseType='Resource'><GContainer:Item rdf:parseType='Resource'>
    <I:Mime>image/jpeg</I:Mime><I:Semantic>Primary</I:Semantic><I:Padding>703611</I:Padding>
  </GContainer:Item></rdf:li>
  <rdf:li><rdf:Description><GContainer:Item><rdf:Description I:Mime='image/jpeg' I:Semantic='GainMap' I:Length='58180'/></GContainer:Item></rdf:Description></rdf:li>
  <rdf:li rdf:parseType='Resource'><GContainer:Item I:Mime='video/mp4' I:Semantic='MotionPhoto' I:Length='4082307'/></rdf:li>
 </rdf:Seq></GContainer:Directory>
</rdf:Description></rdf:RDF></x:xmpmeta>`

test('an element of a packet takes some hundred bytes', () => {
  const packet = '<b/>'.repeat(20_000)
  const before = process.resourceUsage().maxRSS
  const packets = Array.from({ length: 20 }, () => readXmlElements(packet, new Map()))
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024
  assert.is(packets.flat().length, 400_000)
  assert.ok(megabytes < 250, `${megabytes} MB`)
})

test('elements, single quotes and other prefixes are read alike', () => {
  const xmp = readXmpPacket(elementForm)
  assert.is(xmp.motionPhoto, 1)
  assert.is(xmp.presentationTimestampUs, -1)
  assert.equal(xmp.items, [
    { mime: 'image/jpeg', semantic: 'Primary', length: undefined, padding: 703_611 },
    { mime: 'image/jpeg', semantic: 'GainMap', length: 58_180, padding: undefined },
    { mime: 'video/mp4', semantic: 'MotionPhoto', length: 4_082_307, padding: undefined },
  ])
  assert.is(xmp.vivo, undefined)
  assert.is(xmp.oplus, undefined)
})

test('one name is not taken for a longer one', () => {
  const xmp = readXmpPacket(
    '<a GCamera:MotionPhotoVersion="7" XGCamera:MotionPhoto="1" GCamera:MicroVideoOffset="9"/>',
  )
  assert.equal([xmp.motionPhoto, xmp.motionPhotoVersion], [undefined, 7])
  assert.equal([xmp.microVideo, xmp.microVideoOffset], [undefined, 9])
})

test('nor is an element', () => {
  const xmp = readXmpPacket('<GCamera:MotionPhotoVersion>7</GCamera:MotionPhotoVersion>')
  assert.equal([xmp.motionPhoto, xmp.motionPhotoVersion], [undefined, 7])
})

for (const value of ['', 'one', '1.5', '1e9', '0x10', '99999999999999999999', '1"2']) {
  test(`"${value}" is no number`, () => {
    const { microVideoOffset } = readXmpPacket(`<a GCamera:MicroVideoOffset="${value}"/>`)
    assert.is(microVideoOffset, value === '1"2' ? 1 : undefined)
  })
}

test('an ordinary photo’s packet is none of a motion photo', () => {
  const plain = readXmpPacket(
    '<x:xmpmeta><rdf:Description dc:title="GCamera"><rdf:li>red</rdf:li></rdf:Description>',
  )
  assert.not.ok(isMotionPhotoXmp(plain))
  assert.equal(plain.items, [])
  assert.ok(isMotionPhotoXmp(readXmpPacket(elementForm)))
  assert.ok(isMotionPhotoXmp(readXmpPacket('<a GCamera:MicroVideo="1" GCamera:MicroVideoOffset="5"/>')))
})

test('every truncation is read, and none throws', () => {
  for (let length = 0; length <= elementForm.length; length++) readXmpPacket(elementForm.slice(0, length))
})

test('no text makes it throw', () => {
  const words = fc.constantFrom(
    '<rdf:li',
    'GCamera:',
    'MotionPhoto',
    '="',
    '"',
    "'",
    '1',
    '>',
    '<',
    '/',
    ' ',
    'Item:Length',
    'xmlns:',
  )
  assertProperty(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => void readXmpPacket(parts.join(''))),
    { numRuns: 1000 },
  )
})

let limit: number | undefined
for (const [name, part] of Object.entries({
  'opened elements': '<GCamera:MotionPhoto ',
  'opened attributes': ' GCamera:MotionPhoto="',
  'opened attributes in single quotes': " GCamera:MotionPhoto='",
  'opened items': '<rdf:li Item:Mime="',
  spaces: ' ',
  'names and spaces': ' GCamera:MotionPhoto         ',
  'namespace declarations': 'xmlns:aaaaaaaa=',
  'elements in each other': '<a b:c="d">',
  'ends of elements': '<a></b>',
  'namespaces in elements': '<a xmlns:a="b">',
  comments: '<!--',
})) {
  test(`64 KiB of ${name} take no time`, () => {
    const text = part.repeat(Math.ceil(65_536 / part.length))
    // To look at the rest of the text again from each of its characters takes several times as many steps.
    limit ??= loopMs(50_000_000)
    const most = limit
    // Other work on the machine can only make it longer.
    const isQuick = () => processorMs(() => void readXmpPacket(text)) < most
    assert.ok([1, 2, 3].some(isQuick), `never within ${most.toFixed(0)} ms`)
  })
}

test('the clip is the item that says so or is a video', () => {
  const item = { mime: undefined, semantic: undefined, length: 1, padding: 0 }
  assert.ok(isClipItem({ ...item, semantic: 'MotionPhoto' }))
  assert.ok(isClipItem({ ...item, mime: 'video/quicktime' }))
  assert.not.ok(isClipItem({ ...item, mime: 'image/jpeg', semantic: 'Primary' }))
  assert.not.ok(isClipItem(item))
})

test('a packet in UTF-16 is read, with a byte order mark or without', () => {
  for (const order of ['be', 'le']) {
    for (const mark of ['', '\ufeff']) {
      const bytes = Buffer.from(mark + elementForm, 'utf16le')
      assert.is(readXmpPacket(decodeXmp(order === 'be' ? bytes.swap16() : bytes)).motionPhoto, 1)
    }
  }
})

test('no more than 32 items are read', () => {
  const packet = '<rdf:li Item:Semantic="Primary"/>'.repeat(40)
  assert.is(readXmpPacket(packet).items.length, 32)
})

// As in Android's own test of photos: what MediaStore takes for a motion photo goes by letters, not by name spaces.
const special = (attributes: string, directory: string, before = '') =>
  readXmpPacket(
    `<?xpacket?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>${before}<rdf:Description rdf:about="" a:b=">" ${attributes}>${directory}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  ).isSpecialFormat
const directoryOf = (prefix: string, item: string, length = '9') =>
  `<${prefix}:Directory><rdf:Seq>${['Primary', 'MotionPhoto']
    .map(
      (semantic) =>
        `<rdf:li><${prefix}:Item ${item}:Mime="a/b" ${item}:Semantic="${semantic}" ${item}:Length="${length}"/></rdf:li>`,
    )
    .join('')}</rdf:Seq></${prefix}:Directory>`
const listed = directoryOf('Container', 'Item')

for (const [what, isSpecial, found] of [
  ['our own prefixes', true, special('GCamera:MotionPhoto="1"', listed)],
  ['the shorter prefix', true, special("Camera:MotionPhoto='1'", listed)],
  [
    'the older directory',
    true,
    special('GCamera:MotionPhoto="1"', directoryOf('GContainer', 'GContainerItem')),
  ],
  ['MicroVideo', true, special('GCamera:MicroVideo="1" GCamera:MicroVideoOffset="9"', '')],
  ['another prefix', false, special('C1:MotionPhoto="1"', listed)],
  ['another prefix of the directory', false, special('GCamera:MotionPhoto="1"', directoryOf('C1', 'Item'))],
  ['mixed prefixes', false, special('GCamera:MotionPhoto="1"', directoryOf('GContainer', 'Item'))],
  ['an element', false, special('', `<GCamera:MotionPhoto>1</GCamera:MotionPhoto>${listed}`)],
  [
    'a second description',
    false,
    special('GCamera:MotionPhoto="1"', listed, '<rdf:Description rdf:about=""/>'),
  ],
  [
    'MotionPhoto 0 before MicroVideo 1',
    false,
    special('GCamera:MotionPhoto="0" GCamera:MicroVideo="1"', listed),
  ],
  ['no length', false, special('GCamera:MotionPhoto="1"', directoryOf('Container', 'Item', '0'))],
] as const) {
  test(`Android and ${what}: ${isSpecial ? 'a motion photo' : 'a still'}`, () => assert.is(found, isSpecial))
}

test.run()
