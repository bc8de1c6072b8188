import { encodeClipArgs } from '#core/media/clip/encodeClipArgs'
import type { ClipPlan } from '#core/media/convert/clip'
import { coverTries, previewCoverArgs, rawCoverArgs } from '#core/media/cover/coverArgs'
import { UPLOAD_DECODERS } from '#core/media/ffmpeg/decoders'
import { aacAudio, clipAudio, mp4Output } from '#core/media/ffmpeg/encodeArgs'
import { ownInput, untrustedInput } from '#core/media/ffmpeg/ffmpegInput'
import { seekToFrame } from '#core/media/frames'
import { previewArgs } from '#core/media/prepare/previewArgs'
import { probeArgs } from '#core/media/prepare/probe'
import { thumbnailArgs } from '#core/media/thumbnails/sessionThumbnails'
import { PREVIEW } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { order, plain, probe } from './prepare/plainProbe'

// What these arguments do is proved on real files in tests/flows; here is what must never be missing from them.

const test = suite('arguments for ffmpeg')

const video = { ...PREVIEW.original, ...plain, size: { width: 64, height: 48 } }
const plan: ClipPlan = { startFrame: 30, sourceFrames: 90, clipFrames: 45, speed: 2, coverFrame: 40 }
const files = { cover: '/c', thumbnail: '/t' }
const guard = `-protocol_whitelist file,pipe -format_whitelist mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,mpeg,flv,ogg,asf,apng -codec_whitelist ${UPLOAD_DECODERS.join(',')} -max_pixels 36000000`

test('every reading of an upload is guarded, whatever is asked of it', () => {
  const readings = [
    untrustedInput('/u'),
    previewArgs(order, []),
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
  assert.match(untrustedInput('/u', { decoder: 'theora', threads: 4 }).join(' '), ' -threads 1 -c:v theora ')
  assert.is(
    ownInput('/p', { seekSeconds: -0.002 }).join(' '),
    '-protocol_whitelist file -codec_whitelist h264,aac -f mp4 -i file:/p',
  )
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
  const args = encodeClipArgs(plan, 7, true, '/o')
  const text = args.join(' ')
  assert.match(
    text,
    '-protocol_whitelist pipe -codec_whitelist h264,aac -nofind_stream_info -f mp4 -i pipe:0',
  )
  assert.match(text, /trim=start_frame=7:end_frame=97,.*round=up.*trim=end_frame=45/)
  assert.match(text, 'atrim=end_sample=72000')
  assert.not.match(text, '-frames:v')
  const muted = encodeClipArgs(plan, 7, false, '/o')
  assert.ok(muted.includes('-an') && !muted.includes('-af'))
  assert.is(seekToFrame(30), 0.998)
})

test('what we wrote ourselves is not probed before it is read', () => {
  for (const args of [encodeClipArgs(plan, 7, true, '/o'), thumbnailArgs([3], 320)])
    assert.ok(args.slice(0, args.indexOf('-i')).includes('-nofind_stream_info'))
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
  const parts = ['-map_metadata -1', '-map_chapters -1', '+bitexact', '+faststart', '-abort_on empty_output']
  for (const words of parts) assert.match(text, words)
  assert.ok(text.endsWith('-f mp4 -y file:/o'))
  assert.is(aacAudio(6).join(' '), '-c:a aac -b:a 128k -ar 48000 -ac 2')
  assert.is(clipAudio(0).join(' '), '-c:a aac -q:a 1 -ar 48000 -ac 1')
})

test.run()
