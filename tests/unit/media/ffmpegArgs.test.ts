import { UPLOAD_DECODERS } from '#internal/media/ffmpeg/decoders'
import { aacAudio, clipAudio, mp4Output } from '#internal/media/ffmpeg/encodeArgs'
import { ownInput, untrustedInput } from '#internal/media/ffmpeg/ffmpegInput'
import { coverTries } from '#internal/media/photo/cover/coverArgs'
import { previewArgs } from '#internal/media/preview/previewArgs'
import { PREVIEW, UNEDITED } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { order, plain, probe } from './preview/plainProbe'

// What these arguments do is proved on real files in tests/flows; here is what must never be missing from them.

const test = suite('arguments for ffmpeg')

const video = { ...PREVIEW.original, ...plain, size: { width: 64, height: 48 } }
const files = { cover: '/c', thumbnail: '/t' }
const guard = `-protocol_whitelist file,pipe -format_whitelist mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,gif,avi,mpegts,mpeg,flv,ogg,asf,apng -codec_whitelist ${UPLOAD_DECODERS.join(',')} -max_pixels 36000000`

test('every reading of an upload is guarded, whatever is asked of it', () => {
  const readings = [
    untrustedInput('/u'),
    previewArgs(order, []),
    previewArgs({ ...order, frames: 30, probe: { ...probe, hasAlpha: true } }, []),
    ...coverTries('/u', video, 900, files, UNEDITED),
    ...coverTries('/u', { ...video, kind: 'animated-image' }, 3, files, UNEDITED),
    ...coverTries('/u', { ...video, hasAlpha: true, decoder: 'libvpx' }, 3, files, UNEDITED),
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

test('what is written carries nothing of what was read', () => {
  const text = mp4Output('/o').join(' ')
  const parts = ['-map_metadata -1', '-map_chapters -1', '+bitexact', '+faststart', '-abort_on empty_output']
  for (const words of parts) assert.match(text, words)
  assert.ok(text.endsWith('-f mp4 -y file:/o'))
  assert.is(aacAudio(6).join(' '), '-c:a aac -b:a 128k -ar 48000 -ac 2')
  assert.is(clipAudio(0).join(' '), '-c:a aac -q:a 1 -ar 48000 -ac 1')
})

test.run()
