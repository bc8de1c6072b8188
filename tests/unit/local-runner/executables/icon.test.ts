import { assert, suite } from '#support/runner/suite'
import { ICON_SIZES, iconBitmap } from '../../../../local-runner/executables/icon'

const test = suite('the icon')

for (const size of ICON_SIZES) {
  test(`${size} pixels: a bitmap with an empty mask, transparent in the corners and bright in the middle`, () => {
    const bitmap = iconBitmap(size)
    const view = new DataView(bitmap.buffer)
    assert.equal(
      [0, 4, 8].map((at) => view.getUint32(at, true)),
      [40, size, size * 2],
    )
    assert.is(bitmap.length, 40 + size * size * 4 + Math.ceil(size / 32) * 4 * size)
    const pixel = (x: number, y: number) => [
      ...bitmap.subarray(40 + (y * size + x) * 4, 44 + (y * size + x) * 4),
    ]
    assert.equal(pixel(0, 0), [0, 0, 0, 0])
    const [blue = 0, green = 0, red = 0, opacity] = pixel(size / 2, Math.floor(size * 0.42))
    assert.is(opacity, 255)
    assert.ok(red > 200 && green > 150 && blue < red, `${red} ${green} ${blue}`)
  })
}
