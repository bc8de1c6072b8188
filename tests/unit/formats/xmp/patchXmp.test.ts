import fc from 'fast-check'
import { clearXmp } from '#internal/formats/xmp/clearXmp'
import { patchXmp } from '#internal/formats/xmp/patchXmp'
import { isMotionPhotoXmp, readXmpPacket } from '#internal/formats/xmp/readXmp'
import { type XmpFields, xmpPacket } from '#internal/formats/xmp/xmp'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'

const test = suite('motion photo fields in XMP')

const GCAMERA = 'http://ns.google.com/photos/1.0/camera/'
const CONTAINER = 'http://ns.google.com/photos/1.0/container/'
const ITEM = 'http://ns.google.com/photos/1.0/container/item/'

const google: XmpFields = {
  profile: 'google',
  presentationTimestampUs: 500_000,
  paddingBytes: 0,
  clipBytes: 1000,
  tailBytes: 1000,
}

/** A packet with one description of these attributes and this content. */
function packet(attributes: string, content = ''): string {
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`
}

test('without a packet a new one is written', () => {
  assert.is(patchXmp(undefined, google), xmpPacket(google))
})

test('a packet that has the fields stays as it is, to the byte', () => {
  for (const profile of ['universal', 'google', 'legacy', 'huawei'] as const) {
    const fields = { ...google, profile }
    const whole = `${xmpPacket(fields)}   `
    assert.is(patchXmp(whole, fields), whole, profile)
  }
})

test('the fields are written into the first description, and all else of the packet stays', () => {
  const before = packet(
    'xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="5"',
    '<dc:title>Lake</dc:title>',
  )
  const added = /rdf:about=""(\n[^>]*)>(\n {6}<Container:Directory>.*<\/Container:Directory>)/s.exec(
    xmpPacket(google),
  )
  const expected = before.replace('xmp:Rating="5">', `xmp:Rating="5"${added?.[1]}>${added?.[2]}`)
  assert.is(patchXmp(before, google), expected)
})

test('an empty description is opened', () => {
  const patched = patchXmp('<rdf:RDF><rdf:Description rdf:about="" a:b="c" /></rdf:RDF>', google) ?? ''
  assert.match(patched, /^<rdf:RDF><rdf:Description rdf:about="" a:b="c"\n {8}xmlns:GCamera=[^<]*[^/]>\n/)
  assert.match(patched, /<\/Container:Directory>\n {4}<\/rdf:Description><\/rdf:RDF>$/)
})

test('old values and an old directory are replaced, and a prefix is declared once', () => {
  const before = packet(
    `xmlns:GCamera="${GCAMERA}" xmlns:Container="${CONTAINER}" GCamera:MotionPhoto="0" GCamera:MicroVideo="1" GCamera:MicroVideoOffset="7" GCamera:Other="kept"`,
    '<Container:Directory><rdf:Seq><rdf:li>old</rdf:li></rdf:Seq></Container:Directory>',
  )
  const patched = patchXmp(before, google) ?? ''
  assert.is(patched.match(/xmlns:GCamera=/g)?.length, 1)
  assert.is(patched.match(/xmlns:Container=/g)?.length, 1)
  assert.is(patched.match(/GCamera:MotionPhoto=/g)?.length, 1)
  assert.is(patched.match(/<Container:Directory>/g)?.length, 1)
  assert.not.match(patched, /MicroVideo|old/)
  assert.match(patched, / GCamera:Other="kept"/)
})

test("what a profile does not write of a phone's namespace may stay", () => {
  const universal = xmpPacket({ ...google, profile: 'universal' })
  assert.is(patchXmp(universal, google), universal)
})

test('a value may hold the sign that ends a tag', () => {
  const before = packet(`dc:title="a > b" dc:format='"x">'`, '<dc:title>Lake</dc:title>')
  const patched = patchXmp(before, google) ?? ''
  assert.ok(
    patched.includes(
      `<rdf:Description rdf:about="" dc:title="a > b" dc:format='"x">'\n        xmlns:GCamera=`,
    ),
    patched,
  )
})

test('a packet without a place for the fields is not patched', () => {
  const cut = ['<rdf:Description', '<rdf:DescriptionOfElse>', '<rdf:Description a="']
  for (const text of ['<x:xmpmeta/>', ...cut]) assert.is(patchXmp(text, google), undefined, text)
})

const marks = (prefix: string) => `${prefix}:MotionPhoto="1" ${prefix}:MotionPhotoVersion="1"`
const directory = (container: string, item: string) =>
  `<${container}:Directory><rdf:Seq><rdf:li><${container}:Item ${item}:Mime="video/mp4" ${item}:Length="5"/></rdf:li></rdf:Seq></${container}:Directory>`
const written: Record<string, string> = {
  'prefixes that nobody else uses': packet(
    `xmlns:Camera="${GCAMERA}" xmlns:Container_1_="${CONTAINER}" xmlns:i.j-k="${ITEM}" ${marks('Camera')} Camera:BurstID="kept"`,
    directory('Container_1_', 'i.j-k'),
  ),
  'a namespace without a prefix': packet('a:b="kept"', `<MotionPhoto xmlns="${GCAMERA}">1</MotionPhoto>`),
  'another prefix for RDF': packet(`xmlns:GCamera="${GCAMERA}" ${marks('GCamera')} a:b="kept"`)
    .replaceAll('rdf:', 'r:')
    .replace('xmlns:rdf', 'xmlns:r'),
  'comments, CDATA and entities': packet(
    `xmlns:Camera="${GCAMERA}" a:b="kept &lt;rdf:li>"`,
    `<!-- <Container:Directory> --><Camera:MotionPhoto><![CDATA[1]]></Camera:MotionPhoto><Camera:MotionPhotoVersion>&#x31;</Camera:MotionPhotoVersion><dc:source><![CDATA[<Container:Directory>]]></dc:source>`,
  ),
}
for (const [form, before] of Object.entries(written)) {
  test(`the usual fields are written into a packet with ${form}`, () => {
    const patched = patchXmp(before, google) ?? ''
    // Android compares the prefix of RDF, too, which stays.
    const isSpecialFormat = form !== 'another prefix for RDF'
    assert.equal(readXmpPacket(patched), { ...readXmpPacket(xmpPacket(google)), isSpecialFormat })
    assert.match(patched, /GCamera:MotionPhoto="1"[^>]*>\n {6}<Container:Directory>/)
    assert.match(patched, /kept/)
    assert.is(patched.match(/:MotionPhoto[="]|MotionPhoto>/g)?.length, 1, patched)
    assert.is(patchXmp(patched, google), patched)
  })
}

test('several descriptions become one, in whatever order they were', () => {
  const descriptions = [
    '<rdf:Description rdf:about="" xmlns:dc="d" dc:format="f"><dc:title>Lake</dc:title></rdf:Description>',
    `<rdf:Description rdf:about="" xmlns:c="${CONTAINER}" xmlns:i="${ITEM}">${directory('c', 'i')}</rdf:Description>`,
    `<rdf:Description rdf:about="" xmlns:Camera="${GCAMERA}" ${marks('Camera')}/>`,
    '<rdf:Description rdf:about="" xmlns:xmp="x" xmp:Rating="5"/>',
  ]
  for (const order of [descriptions, [...descriptions].reverse()]) {
    const [head = '', tail = ''] = packet('').split(/<rdf:Description.*<\/rdf:Description>/)
    const patched = patchXmp(head + order.join('') + tail, google) ?? ''
    assert.equal(readXmpPacket(patched), readXmpPacket(xmpPacket(google)))
    assert.is(patched.match(/<rdf:Description/g)?.length, 1)
    for (const kept of ['dc:format="f"', '<dc:title>Lake</dc:title>', 'xmp:Rating="5"', 'xmlns:xmp="x"'])
      assert.is(patched.split(kept).length, 2, kept)
  }
})

test('what would change the meaning of a packet is not written', () => {
  const taken = packet(`xmlns:GCamera="other" GCamera:A="1" xmlns:Camera="${GCAMERA}" ${marks('Camera')}`)
  assert.is(patchXmp(taken, google), undefined, 'the prefix stands for something else')
  assert.is(patchXmp(packet(`xmlns:Camera="${GCAMERA}"`).slice(0, -20), google), undefined, 'cut')
})

test("of phone makers' namespaces a cleared packet has nothing, of a gain map all or nothing", () => {
  const makers = ['vivo', 'oplus', 'xiaomi'].map(
    (maker) => `xmlns:${maker}="http://ns.${maker}.com/photos/1.0/camera/" ${maker}:A="1"`,
  )
  const before = packet(
    `${makers.join(' ')} xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" a:b="c"`,
  )
  const nothing = { lengths: [], paddings: [0] }
  assert.is(clearXmp(before, nothing), packet('a:b="c"').replace('about=""  ', 'about="" '))
  const others = [
    { mime: 'image/jpeg', semantic: 'Depth', length: 5, padding: 0 },
    { mime: 'image/jpeg', semantic: 'GainMap', length: 7, padding: 0 },
  ]
  const listed = patchXmp(before, { ...google, others, paddingBytes: 24 }) ?? ''
  const withMap = clearXmp(listed, { lengths: [5, 7], paddings: [2, 0, 0] })
  assert.match(withMap, /hdrgm:Version="1.0"/)
  assert.equal(
    readXmpPacket(withMap).items.map(({ semantic, length, padding }) => `${semantic} ${length} ${padding}`),
    ['Primary 0 2', 'Depth 5 0', 'GainMap 7 0'],
  )
  assert.is(isMotionPhotoXmp(readXmpPacket(withMap)), false)
})

const NAMES = [
  'MotionPhoto',
  'MotionPhotoVersion',
  'MotionPhotoPresentationTimestampUs',
  'MicroVideo',
  'MicroVideoVersion',
  'MicroVideoOffset',
  'MicroVideoPresentationTimestampUs',
]

const forms: Record<string, (name: string, prefix: string) => string> = {
  'an attribute': (name, prefix) => packet(`xmlns:${prefix}="${GCAMERA}" ${prefix}:${name}="1" a:b="c"`),
  'an attribute in single quotes': (name, prefix) =>
    packet(`xmlns:${prefix} = '${GCAMERA}' ${prefix}:${name} = '1' a:b="c"`),
  'an element': (name, prefix) =>
    packet(`xmlns:${prefix}="${GCAMERA}" a:b="c"`, `<${prefix}:${name}>1</${prefix}:${name}>`),
  'an element with spaces in its tags': (name, prefix) =>
    packet(`xmlns:${prefix}="${GCAMERA}" a:b="c"`, `<${prefix}:${name} >1</${prefix}:${name}\n>`),
}
for (const [form, build] of Object.entries(forms)) {
  test(`${form} of the motion photo is cleared, under any prefix`, () => {
    for (const prefix of ['GCamera', 'g', 'my-camera', '_a.b']) {
      for (const name of NAMES) {
        const before = build(name, prefix)
        const cleared = clearXmp(before)
        assert.not.match(cleared, new RegExp(`:${name}\\b`), before)
        assert.ok(cleared.includes('a:b="c"') && !cleared.includes(GCAMERA), cleared)
      }
    }
  })
}

test('properties whose names only begin alike stay', () => {
  const before = packet(`xmlns:GCamera="${GCAMERA}" GCamera:MotionPhotoOfElse="1" XGCamera:MotionPhoto="1"`)
  assert.is(clearXmp(before), before)
})

test('a directory is cleared under any prefix, with all that is in it', () => {
  const item = (prefix: string) =>
    `<rdf:li><${prefix}:Item Item:Mime="video/mp4" Item:Semantic="MotionPhoto"/></rdf:li>`
  for (const prefix of ['Container', 'c', 'a.b']) {
    const directory = `<${prefix}:Directory rdf:parseType="Resource">${item(prefix)}</${prefix}:Directory>`
    const attributes = `xmlns:${prefix}="${CONTAINER}" xmlns:Item="${ITEM}"`
    assert.is(
      clearXmp(packet(attributes, `1${directory}2${directory}3`)),
      packet('', '123').replace('"" >', '"">'),
      prefix,
    )
  }
})

test('what is cleared is no motion photo, and can be patched to be one', () => {
  const field = fc
    .tuple(fc.constantFrom(...NAMES, 'HdrPlus'), fc.nat({ max: 99 }), fc.constantFrom('"', "'"))
    .map(([name, value, quote]) => [name, `GCamera:${name}=${quote}${value}${quote}`] as const)
  const fields = fc.uniqueArray(field, { selector: ([name]) => name, maxLength: 8 })
  const wanted = fc.record({
    profile: fc.constantFrom('universal' as const, 'google' as const, 'legacy' as const),
    presentationTimestampUs: fc.nat({ max: 1e9 }),
    paddingBytes: fc.constantFrom(0, 24),
    clipBytes: fc.nat({ max: 1e9 }),
    tailBytes: fc.nat({ max: 1e9 }),
  })
  assertProperty(
    fc.property(fields, fc.boolean(), wanted, (attributes, hasDirectory, target) => {
      const directory = `<Container:Directory><rdf:Seq><rdf:li><Container:Item Item:Mime="video/mp4" Item:Length="5"/></rdf:li></rdf:Seq></Container:Directory>`
      const before = packet(
        `xmlns:GCamera="${GCAMERA}" ${attributes.map(([, text]) => text).join(' ')} a:b="c"`,
        hasDirectory ? directory : '',
      )
      const cleared = clearXmp(before)
      assert.is(isMotionPhotoXmp(readXmpPacket(cleared)), false)
      assert.is(clearXmp(cleared), cleared)
      const patched = patchXmp(before, target) ?? ''
      assert.match(patched, /a:b="c"/)
      const read = readXmpPacket(patched)
      assert.equal(
        [read.motionPhoto, read.presentationTimestampUs, read.items.at(-1)?.length, read.items[0]?.padding],
        [1, target.presentationTimestampUs, target.tailBytes, target.paddingBytes],
      )
      assert.is(read.microVideoOffset, target.profile === 'legacy' ? target.tailBytes : undefined)
      assert.is(patchXmp(patched, target), patched)
    }),
    { numRuns: 200 },
  )
})

test('no text makes it throw or takes long', () => {
  const piece = fc.constantFrom(
    '<rdf:Description',
    ' GCamera:MotionPhoto="',
    `xmlns:a.b="${GCAMERA}"`,
    `xmlns:c='${CONTAINER}'`,
    '<c:Directory',
    '</Container:Directory>',
    '<GCamera:MicroVideo>',
    '</GCamera:MicroVideo>',
    '"',
    "'",
    '>',
    '/>',
    ' ',
    '1',
  )
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const text = pieces.join('')
      const patched = patchXmp(text, google)
      if (patched !== undefined) assert.is(readXmpPacket(patched).motionPhoto, 1)
      assert.ok(clearXmp(text).length <= text.length)
    }),
    { numRuns: 500 },
  )
  for (const part of [
    '<rdf:Description ',
    '<GCamera:MotionPhoto ',
    ' GCamera:MotionPhoto="',
    `"'`,
    '<Container:Directory ',
  ])
    assert.is(patchXmp(part.repeat(60_000 / part.length), google), undefined, part)
})

test.run()
