import { latin1 } from '@lantern-room/base/bytes'
import { readXmpPacket } from '#internal/formats/xmp/readXmp'
import { encodeXmpSegment, type XmpFields, xmpPacket } from '#internal/formats/xmp/xmp'
import { assert, suite } from '../../../support/runner/suite'

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
        OpCamera:VideoLength="5000"
        OpCamera:MotionPhotoFeatureFlag="1">
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
    isSpecialFormat: true,
    vivo: { motionPhotoVersion: 1, motionPhotoSource: 1, mediaKitVersion: '1.0.0.5' },
    oplus: {
      presentationTimestampUs: 1_033_333,
      owner: 'oplus',
      oLivePhotoVersion: 2,
      videoLength: 5000,
      featureFlag: 1,
    },
  })
})

test.run()
