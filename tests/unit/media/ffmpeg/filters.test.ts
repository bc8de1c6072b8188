import { onWhite, toJpegPicture, toPreviewPicture } from '#core/media/ffmpeg/filters'
import { assert, suite } from '#support/runner/suite'
import { plain } from '../prepare/plainProbe'

const test = suite('filters for ffmpeg')

const size = { width: 64, height: 48 }

test('transparency, fields, and high dynamic range take a way of their own', () => {
  assert.match(toPreviewPicture(plain, size), 'in_color_matrix=bt601:out_color_matrix=bt709:out_range=tv')
  assert.match(toJpegPicture(plain, size), 'in_color_matrix=bt601:out_color_matrix=bt601:out_range=pc')
  assert.ok(toPreviewPicture({ ...plain, isInterlaced: true }, size).startsWith('bwdif='))
  const hdr = { ...plain, hdrTransfer: 'arib-std-b67' } as const
  const chain = toPreviewPicture(hdr, size)
  assert.ok(chain.indexOf('scale=w=') < chain.indexOf('tonemap=mobius'), 'after the downscale')
  assert.match(chain, 'sidedata=mode=delete:type=MASTERING_DISPLAY_METADATA')
  const pq = { ...plain, hdrTransfer: 'smpte2084' } as const
  assert.match(toJpegPicture(pq, { width: 63, height: 48 }), 'format=yuv444p10le')
  assert.match(onWhite('[in]', 'fps=30', size, plain, 'format=gbrp'), 'color=white:s=64x48')
})

test('primaries of BT.709 are left alone, wider ones are converted after the downscale', () => {
  assert.match(
    toPreviewPicture({ ...plain, matrix: 'bt709' }, size),
    /^scale=w='.*':flags=bicublin:in_color_matrix=bt709:out_color_matrix=bt709:out_range=tv,format=yuv420p,pad=64:48:[^,]*,setsar=1$/,
  )
  const p3 = { ...plain, matrix: 'bt709', primaries: 'smpte432' } as const
  const preview = toPreviewPicture(p3, size)
  assert.ok(preview.indexOf('scale=w=') < preview.indexOf('zscale=pin=smpte432'))
  assert.match(toJpegPicture(p3, size), 'zscale=m=170m:r=pc')
  assert.match(toPreviewPicture({ ...plain, matrix: 'bt2020', primaries: 'bt2020' }, size), 'min=2020_ncl')
  assert.not.match(preview, 'yuv444p')
  assert.match(toJpegPicture(p3, { width: 63, height: 48 }), 'format=yuv444p10le')
  const hdr = { ...p3, hdrTransfer: 'smpte2084' } as const
  assert.not.match(toPreviewPicture(hdr, size), 'pin=smpte432')
})

test('HLG becomes PQ by filters of which no version has another opinion', () => {
  const [hlg, pq] = (['arib-std-b67', 'smpte2084'] as const).map((hdrTransfer) =>
    toPreviewPicture({ ...plain, hdrTransfer }, size),
  )
  assert.not.match(`${hlg}${pq}`, /arib-std-b67|agamma/)
  assert.match(hlg ?? '', 'blend=all_mode=multiply')
  assert.not.match(pq ?? '', 'blend')
  const shared = /zscale=tin=smpte2084.*$/
  assert.is(shared.exec(hlg ?? '')?.[0], shared.exec(pq ?? '')?.[0])
  assert.match(pq ?? '', 'pin=bt2020:p=bt2020', 'also where the file does not say its primaries')
})

test.run()
