import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { isMotionPhotoXmp, readXmpPacket } from '#core/media/motionPhoto/readXmp'
import { encodeXmpSegment, type XmpFields, xmpPacket } from '#core/media/motionPhoto/xmp'
import { latin1 } from '#core/media/mp4/bytes'
import { suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('XMP')

const fields: XmpFields = {
  profile: 'universal',
  presentationTimestampUs: 1_033_333,
  paddingBytes: 24,
  clipBytes: 5000,
  tailBytes: 5083,
}

const universal = `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about=""
        xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
        xmlns:Container="http://ns.google.com/photos/1.0/container/"
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"
        xmlns:VCamera="http://ns.vivo.com/photos/1.0/camera/"
        xmlns:OpCamera="http://ns.oplus.com/photos/1.0/camera/"
        GCamera:MotionPhoto="1"
        GCamera:MotionPhotoVersion="1"
        GCamera:MotionPhotoPresentationTimestampUs="1033333"
        VCamera:VMotionPhotoVersion="1"
        VCamera:VMotionPhotoSource="1"
        VCamera:VMediaKitVersion="1.0.0.5"
        OpCamera:MotionPhotoPrimaryPresentationTimestampUs="1033333"
        OpCamera:MotionPhotoOwner="oplus"
        OpCamera:OLivePhotoVersion="2"
        OpCamera:VideoLength="5000">
      <Container:Directory>
        <rdf:Seq>
          <rdf:li rdf:parseType="Resource">
            <Container:Item
                Item:Mime="image/jpeg"
                Item:Semantic="Primary"
                Item:Length="0"
                Item:Padding="24"/>
          </rdf:li>
          <rdf:li rdf:parseType="Resource">
            <Container:Item
                Item:Mime="video/mp4"
                Item:Semantic="MotionPhoto"
                Item:Length="5083"
                Item:Padding="0"/>
          </rdf:li>
        </rdf:Seq>
      </Container:Directory>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`

const vendorLine = /^ {8}(xmlns:)?(VCamera|OpCamera)\b.*\n/gm

test('the universal packet is this text', () => assert.is(xmpPacket(fields), universal))

test('the google packet is the same without other vendors', () => {
  const google = xmpPacket({ ...fields, profile: 'google', paddingBytes: 0, tailBytes: 5000 })
  const expected = universal
    .replace('"5000">', '">')
    .replace(vendorLine, '')
    .replace('Us="1033333"', 'Us="1033333">')
    .replace('"24"', '"0"')
    .replace('"5083"', '"5000"')
  assert.is(google, expected)
})

test('the legacy packet is the same with MicroVideo', () => {
  const added = xmpPacket({ ...fields, profile: 'legacy' })
    .split('\n')
    .filter((line) => !universal.split('\n').includes(line))
  assert.equal(added, [
    '        GCamera:MicroVideo="1"',
    '        GCamera:MicroVideoVersion="1"',
    '        GCamera:MicroVideoOffset="5083"',
    '        GCamera:MicroVideoPresentationTimestampUs="1033333"',
  ])
})

test('the segment is APP1 with Adobe’s name before the packet', () => {
  const segment = encodeXmpSegment(fields)
  assert.is(latin1(segment, 0, 2), '\xff\xe1')
  assert.is(((segment[2] ?? 0) << 8) | (segment[3] ?? 0), segment.length - 2)
  assert.is(latin1(segment, 4, 33), 'http://ns.adobe.com/xap/1.0/\0')
  assert.is(new TextDecoder('utf-8', { ignoreBOM: true }).decode(segment.subarray(33)), universal)
})

test('what was written is read', () => {
  const xmp = readXmpPacket(xmpPacket({ ...fields, profile: 'legacy' }))
  assert.equal(xmp, {
    motionPhoto: 1,
    motionPhotoVersion: 1,
    presentationTimestampUs: 1_033_333,
    microVideo: 1,
    microVideoVersion: 1,
    microVideoOffset: 5083,
    microVideoPresentationTimestampUs: 1_033_333,
    items: [
      { mime: 'image/jpeg', semantic: 'Primary', length: 0, padding: 24 },
      { mime: 'video/mp4', semantic: 'MotionPhoto', length: 5083, padding: 0 },
    ],
    vivo: { motionPhotoVersion: 1, motionPhotoSource: 1, mediaKitVersion: '1.0.0.5' },
    oplus: { presentationTimestampUs: 1_033_333, owner: 'oplus', oLivePhotoVersion: 2, videoLength: 5000 },
  })
})

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
  assert.is(xmp.motionPhoto, undefined)
  assert.is(xmp.motionPhotoVersion, 7)
  assert.is(xmp.microVideo, undefined)
  assert.is(xmp.microVideoOffset, 9)
})

test('nor is an element', () => {
  const xmp = readXmpPacket('<GCamera:MotionPhotoVersion>7</GCamera:MotionPhotoVersion>')
  assert.is(xmp.motionPhoto, undefined)
  assert.is(xmp.motionPhotoVersion, 7)
})

for (const value of ['', 'one', '1.5', '1e9', '0x10', '99999999999999999999', '1"2']) {
  test(`"${value}" is no number`, () => {
    assert.is(
      readXmpPacket(`<a GCamera:MicroVideoOffset="${value}"/>`).microVideoOffset,
      value === '1"2' ? 1 : undefined,
    )
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

for (const [name, part] of Object.entries({
  'opened elements': '<GCamera:MotionPhoto ',
  'opened attributes': ' GCamera:MotionPhoto="',
  'opened attributes in single quotes': " GCamera:MotionPhoto='",
  'opened items': '<rdf:li Item:Mime="',
  spaces: ' ',
  'names and spaces': ' GCamera:MotionPhoto         ',
  'namespace declarations': 'xmlns:aaaaaaaa=',
})) {
  test(`64 KiB of ${name} take no time`, () => {
    const text = part.repeat(Math.ceil(65_536 / part.length))
    const startedAt = performance.now()
    readXmpPacket(text)
    const took = performance.now() - startedAt
    assert.ok(took < 250, `${took.toFixed(0)} ms`)
  })
}

test.run()
