import * as assert from 'uvu/assert'
import { encodeClipArgs } from '#core/media/clip/encodeClipArgs'
import type { ClipPlan } from '#core/media/convert/clip'
import { coverTries, previewCoverArgs, rawCoverArgs } from '#core/media/cover/coverArgs'
import { aacAudio, mp4Output } from '#core/media/ffmpeg/encodeArgs'
import { ownInput, untrustedInput } from '#core/media/ffmpeg/ffmpegInput'
import { onWhite, toJpegPicture, toPreviewPicture } from '#core/media/ffmpeg/filters'
import { seekToFrame } from '#core/media/frames'
import { previewArgs, soundArgs, soundTries } from '#core/media/prepare/previewArgs'
import { type Probe, probeArgs } from '#core/media/prepare/probe'
import { thumbnailArgs } from '#core/media/thumbnails/takeThumbnails'
import { type PictureTraits, UNKNOWN_CAPTURE } from '#core/media/traits'
import { suite } from '#support/runner/suite'

// What these arguments do is proved on real files in tests/flows; here is what must never be missing from them.

const test = suite('arguments for ffmpeg')

const plain: PictureTraits = {
  matrix: 'bt601',
  primaries: 'bt709',
  hdrTransfer: undefined,
  hasAlpha: false,
  isInterlaced: false,
  decoder: undefined,
}
const probe: Probe = {
  ...plain,
  coded: { width: 64, height: 48 },
  shown: { width: 64, height: 48 },
  alphaDecoder: undefined,
  stream: 0,
  seekSeconds: 0,
  pictureFrame: 0,
  movingStream: 0,
  isSeekable: true,
  hasIndex: true,
  audio: undefined,
  startsAtZero: true,
  durationSeconds: 1,
  capture: UNKNOWN_CAPTURE,
}
const whole = { firstFrame: 0, maxFrames: 18_000 }
const order = {
  path: '/u',
  probe,
  size: { width: 64, height: 48 },
  firstFrame: 0,
  maxSeconds: 600,
  frames: undefined,
  strip: undefined,
}
const video = {
  ...plain,
  ...({
    kind: 'video',
    firstFrame: 0,
    isSeekable: true,
    startsAtZero: true,
    stream: 0,
    size: { width: 64, height: 48 },
  } as const),
}
const files = { cover: '/c', thumbnail: '/t' }
const guard =
  '-protocol_whitelist file,pipe -format_whitelist mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,mpeg,flv,ogg,asf,apng -max_pixels 36000000'

test('every reading of an upload is guarded, whatever is asked of it', () => {
  const readings = [
    untrustedInput('/u'),
    previewArgs(order, []),
    previewArgs({ ...order, part: 'first' }, []),
    soundArgs(order, []),
    previewArgs({ ...order, frames: 30, probe: { ...probe, hasAlpha: true } }, []),
    ...coverTries('/u', video, 900, files),
    ...coverTries('/u', { ...video, kind: 'animated-image' }, 3, files),
    ...coverTries('/u', { ...video, hasAlpha: true, decoder: 'libvpx' }, 3, files),
  ]
  for (const args of readings) {
    const text = args.join(' ')
    assert.ok(text.startsWith(guard), text)
    assert.match(text, / -i file:\/u/)
    assert.is(args.filter((word) => word === '-i').length, 1)
  }
})

test('the options of an input stand before it', () => {
  const options = {
    seekSeconds: 1.5,
    fromKeyFrame: true,
    decoder: 'libvpx',
    maxSeconds: 2,
    threads: 1,
  } as const
  assert.is(
    untrustedInput('/u', options).join(' '),
    `${guard} -threads 1 -c:v libvpx -noaccurate_seek -copyts -start_at_zero -ss 1.500000 -t 2.000000 -i file:/u`,
  )
  assert.is(ownInput('/p', { seekSeconds: -0.002 }).join(' '), '-protocol_whitelist file -f mp4 -i file:/p')
})

test('the length of a preview is limited on the way in and on the way out', () => {
  const video = previewArgs(order, ['-map', '0:a:0']).join(' ')
  assert.match(video, '-t 600.000000 -i file:/u -filter_complex ')
  assert.match(video, '-map [v] -map 0:a:0 -t 600.000000 -c:v libx264')
  assert.match(previewArgs({ ...order, frames: 48 }, []).join(' '), '-map [v] -frames:v 48 -c:v libx264')
})

test('a window is read from a key frame before it, and its frames are counted from the beginning of the upload', () => {
  const sought = { ...order, firstFrame: 9000, maxSeconds: 3, probe: { ...probe, seekSeconds: 290 } }
  const trimmed = 'fps=30:start_time=0,trim=start_frame=9000:end_frame=9090,setpts=PTS-STARTPTS,'
  const video = previewArgs(sought, []).join(' ')
  assert.match(video, '-noaccurate_seek -copyts -start_at_zero -ss 290.000000 -i file:/u -filter_complex ')
  assert.ok(video.includes(trimmed), video)
  assert.match(video, '-map [v] -t 3.000000 -c:v')
  const fromStart = previewArgs({ ...sought, probe }, []).join(' ')
  assert.match(fromStart, '-max_pixels 36000000 -t 303.000000 -i file:/u')
  assert.ok(fromStart.includes(trimmed), fromStart)
  const image = previewArgs({ ...order, firstFrame: 15, frames: 20 }, []).join(' ')
  assert.match(image, 'trim=start_frame=15:end_frame=35,setpts=PTS-STARTPTS')
})

test('the sound of a window is encoded, because packets do not begin where a picture does', () => {
  const tries = soundTries({ channels: 2, isPlainAac: true }, { firstFrame: 45, maxFrames: 30 })
  assert.equal(
    tries.map(({ args }) => args[args.indexOf('-af') + 1]),
    ['atrim=start=1.500000:end=2.500000,asetpts=PTS-1.500000/TB,aresample=async=1:first_pts=0', undefined],
  )
})

test('sound is copied, else encoded, else left out', () => {
  const args = (audio: Probe['audio']) => soundTries(audio, whole).map((sound) => sound.args.join(' '))
  assert.equal(args(undefined), [''])
  const [copied, encoded, none] = args({ channels: 2, isPlainAac: true })
  assert.is(copied, '-map 0:a:0 -c:a copy')
  assert.match(encoded ?? '', '-map 0:a:0 -c:a aac -b:a 128k -ar 48000 -ac 2')
  assert.is(none, '')
  assert.match(args({ channels: 6, isPlainAac: true })[0] ?? '', '-c:a aac')
  assert.match(args({ channels: 1, isPlainAac: false })[0] ?? '', '-ac 1')
})

test('only a missing decoder is a reason to leave the sound out', () => {
  const [copy, encode, none] = soundTries({ channels: 2, isPlainAac: true }, whole)
  const failed = (stderr: string) => ({ exitCode: 1, stdout: new Uint8Array(), stderr })
  assert.ok(copy?.isWorthNextTry(failed('anything')))
  assert.ok(encode?.isWorthNextTry(failed('Decoder (codec mpegh_3d_audio) not found for input stream #0:1')))
  assert.ok(
    encode?.isWorthNextTry(failed('[aist#0:1/ac4 @ 0x1] Decoding requested, but no decoder found for: ac4')),
  )
  assert.not.ok(encode?.isWorthNextTry(failed('Conversion failed!')))
  assert.not.ok(
    encode?.isWorthNextTry(failed('    title : Decoder (codec x) not found for input stream #0:1')),
  )
  assert.not.ok(none?.isWorthNextTry(failed('anything')))
})

test('a cover is looked for at the key frame before, then earlier, then from the start', () => {
  const seeks = (frame: number, isSeekable = true) =>
    coverTries('/u', { ...video, isSeekable }, frame, files).map((args) => args[args.indexOf('-ss') + 1])
  assert.equal(seeks(900).slice(0, 2), ['30.000000', '20.000000'])
  assert.is(coverTries('/u', video, 900, files).length, 3)
  assert.is(coverTries('/u', video, 900, files)[2]?.includes('-ss'), false)
  assert.is(coverTries('/u', video, 150, files).length, 2, 'the start is less than 10 s away')
  assert.is(coverTries('/u', video, 0, files).length, 1)
  assert.is(coverTries('/u', { ...video, isSeekable: false }, 900, files).length, 1)
  assert.is(coverTries('/u', { ...video, kind: 'animated-image' }, 900, files).length, 1)
})

test('a clip is cut by filters, and muted when it must be', () => {
  const plan: ClipPlan = { startFrame: 30, sourceFrames: 90, clipFrames: 45, speed: 2, coverFrame: 40 }
  const args = encodeClipArgs(plan, 7, true, '/o')
  const text = args.join(' ')
  assert.match(text, '-protocol_whitelist pipe -f mp4 -i pipe:0')
  assert.match(text, /trim=start_frame=7:end_frame=97,.*round=up.*trim=end_frame=45/)
  assert.match(text, 'atrim=end_sample=72000')
  assert.not.match(text, '-frames:v')
  const muted = encodeClipArgs(plan, 7, false, '/o')
  assert.ok(muted.includes('-an') && !muted.includes('-af'))
  assert.is(seekToFrame(30), 0.998)
})

test('transparency, fields, and high dynamic range take a way of their own', () => {
  const size = { width: 64, height: 48 }
  assert.match(toPreviewPicture(plain, size), 'in_color_matrix=bt601:out_color_matrix=bt709:out_range=tv')
  assert.match(toJpegPicture(plain, size), 'in_color_matrix=bt601:out_color_matrix=bt601:out_range=pc')
  assert.ok(toPreviewPicture({ ...plain, isInterlaced: true }, size).startsWith('bwdif='))
  const hdr = { ...plain, hdrTransfer: 'arib-std-b67' } as const
  const chain = toPreviewPicture(hdr, size)
  assert.ok(chain.indexOf('scale=64:48') < chain.indexOf('tonemap=mobius'), 'after the downscale')
  const pq = { ...plain, hdrTransfer: 'smpte2084' } as const
  assert.match(toJpegPicture(pq, { width: 63, height: 48 }), 'format=yuv444p10le')
  assert.match(onWhite('[in]', 'fps=30', size, plain, 'format=gbrp'), 'color=white:s=64x48')
})

test('primaries of BT.709 are left alone, wider ones are converted after the downscale', () => {
  const size = { width: 64, height: 48 }
  assert.is(
    toPreviewPicture({ ...plain, matrix: 'bt709' }, size),
    'scale=64:48:flags=bicubic:in_color_matrix=bt709:out_color_matrix=bt709:out_range=tv,format=yuv420p,setsar=1',
  )
  const p3 = { ...plain, matrix: 'bt709', primaries: 'smpte432' } as const
  const preview = toPreviewPicture(p3, size)
  assert.ok(preview.indexOf('scale=64:48') < preview.indexOf('zscale=pin=smpte432'))
  assert.match(toJpegPicture(p3, size), 'zscale=m=170m:r=pc')
  assert.match(toPreviewPicture({ ...plain, matrix: 'bt2020', primaries: 'bt2020' }, size), 'min=2020_ncl')
  assert.not.match(preview, 'yuv444p')
  assert.match(toJpegPicture(p3, { width: 63, height: 48 }), 'format=yuv444p10le')
  const hdr = { ...p3, hdrTransfer: 'smpte2084' } as const
  assert.not.match(toPreviewPicture(hdr, size), 'pin=smpte432')
})

test('HLG becomes PQ by filters of which no version has another opinion', () => {
  const size = { width: 64, height: 48 }
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

test('the range of a JPEG is told by the range, never by a format', () => {
  const pictures = [
    ...coverTries('/u', video, 3, files),
    ...coverTries('/u', { ...video, hasAlpha: true }, 3, files),
    ...coverTries('/u', { ...video, hdrTransfer: 'smpte2084' }, 3, files),
    rawCoverArgs({ width: 64, height: 48 }, files),
    previewCoverArgs('/p', 3, files),
    thumbnailArgs([3], 320),
  ]
  for (const args of pictures) {
    const text = args.join(' ')
    assert.not.match(text, 'yuvj')
    assert.match(text, /out_color_matrix=bt601:out_range=pc,format=yuv420p/)
    const encoders = text.match(/-c:v mjpeg/g) ?? []
    assert.is(text.match(/-c:v mjpeg -color_range pc -strict unofficial/g)?.length, encoders.length)
  }
})

test('delays of an animated image are counted as browsers do, those of a video as they are', () => {
  const rule =
    "setpts='if(eq(N,0),PTS,PREV_OUTPTS+if(lt((PTS-PREV_INPTS)*TB,0.015),0.1/TB,PTS-PREV_INPTS))',fps=30"
  const cover = (kind: 'video' | 'animated-image') => coverTries('/u', { ...video, kind }, 3, files).join(' ')
  const preview = (frames: number | undefined) => previewArgs({ ...order, frames }, []).join(' ')
  assert.ok(cover('animated-image').includes(rule) && preview(30).includes(rule))
  assert.not.ok(cover('video').includes('PREV_OUTPTS') || preview(undefined).includes('PREV_OUTPTS'))
})

test('the picture is taken from the stream that was probed', () => {
  const second = { ...probe, stream: 1 }
  for (const args of [
    probeArgs('/u', second),
    previewArgs({ ...order, probe: second }, []),
    previewArgs({ ...order, probe: { ...second, hasAlpha: true } }, []),
    ...coverTries('/u', { ...video, stream: 1 }, 900, files),
  ]) {
    assert.match(args.join(' '), '0:V:1')
    assert.not.match(args.join(' '), '0:V:0')
  }
})

test('what is written carries nothing of what was read', () => {
  const text = mp4Output('/o').join(' ')
  for (const words of [
    '-map_metadata -1',
    '-map_chapters -1',
    '+bitexact',
    '+faststart',
    '-abort_on empty_output',
  ])
    assert.match(text, words)
  assert.ok(text.endsWith('-f mp4 -y file:/o'))
  assert.ok(aacAudio(6).join(' ').endsWith('-ac 2'))
})

test.run()
