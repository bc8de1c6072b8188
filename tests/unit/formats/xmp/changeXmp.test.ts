import { PixelChange } from '#internal/formats/exif/pixelChange'
import { changeXmp } from '#internal/formats/xmp/changeXmp'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('what XMP says of a photo whose pixels moved')

const pixels = PixelChange.none({ width: 100, height: 100 }).cropped({ x: 50, y: 0, width: 50, height: 100 })
const change = { orientation: 1, takenAt: undefined, isDateGiven: false, pixels }

const packet = (attributes: string, content = '') =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" xmlns:MPReg="http://ns.microsoft.com/photo/1.2/t/Region#"${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`

test('orientation and sizes are changed where they are, as attributes and as elements', () => {
  const old = packet(' tiff:Orientation="6" a="b"', '<tiff:ImageWidth>100</tiff:ImageWidth>')
  assert.equal(changeXmp(old, change), {
    packet: packet(' tiff:Orientation="1" a="b"', '<tiff:ImageWidth>50</tiff:ImageWidth>'),
    lost: [],
  })
})

test("Microsoft's rectangles move, one outside goes with its item, and a panorama is named", () => {
  const item = (place: string) => `<rdf:li MPReg:Rectangle="${place}"/>`
  const old = packet(' GPano:UsePanoramaViewer="True"', item('0.5, 0, 0.25, 0.5') + item('0, 0, 0.2, 0.2'))
  assert.equal(changeXmp(old, change), {
    packet: packet('', item('0, 0, 0.5, 0.5')),
    lost: ['panorama'],
  })
})

test.run()
