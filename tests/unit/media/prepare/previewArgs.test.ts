import { type PreviewSettings, previewArgs, soundTries } from '#core/media/prepare/previewArgs'
import type { Probe } from '#core/media/prepare/probe'
import { assert, suite } from '#support/runner/suite'
import { order, probe } from './plainProbe'

const test = suite('arguments for a preview')

const graphOf = (settings: PreviewSettings) => {
  const args = previewArgs(settings, [])
  return args[args.indexOf('-filter_complex') + 1] ?? ''
}

const whole = { firstFrame: 0, maxFrames: 18_000 }
test('the length of a preview is limited on the way in and on the way out', () => {
  const video = previewArgs(order, ['-map', '0:a:0']).join(' ')
  assert.match(video, '-t 600.000000 -i file:/u -filter_complex ')
  assert.match(video, '-map [v] -map 0:a:0 -t 600.000000 -c:v libx264')
  assert.match(previewArgs({ ...order, frames: 48 }, []).join(' '), '-map [v] -frames:v 48 -c:v libx264')
})

test('the decoder and the encoder of the pictures have the threads that are asked for', () => {
  const args = previewArgs({ ...order, threads: 3 }, []).join(' ')
  assert.match(args, /-threads 3 .*-i file:.* -map \[v\] .*-threads:v 2/)
  assert.match(previewArgs({ ...order, threads: 1 }, []).join(' '), /-threads 1 .*-threads:v 1/)
})

test('a window is read from a key frame before it, and its frames are counted from the beginning of the upload', () => {
  const sought = { ...order, firstFrame: 9000, maxSeconds: 3, probe: { ...probe, seekSeconds: 290 } }
  const trimmed = 'fps=30:start_time=0,trim=start_frame=9000:end_frame=9090,setpts=PTS-STARTPTS,'
  const video = previewArgs(sought, []).join(' ')
  assert.match(video, '-noaccurate_seek -copyts -start_at_zero -ss 290.000000 -i file:/u -filter_complex ')
  assert.ok(video.includes(trimmed), video)
  assert.match(video, '-map [v] -t 3.000000 -c:v')
  const fromStart = previewArgs({ ...sought, probe }, []).join(' ')
  assert.match(fromStart, '-max_pixels 36000000 -threads 2 -t 303.000000 -i file:/u')
  assert.ok(fromStart.includes(trimmed), fromStart)
  const image = previewArgs({ ...order, firstFrame: 15, frames: 20 }, []).join(' ')
  assert.match(image, 'trim=start_frame=15:end_frame=35,setpts=PTS-STARTPTS')
})

test('of a slow video, each picture is scaled once; of a window, only its own are', () => {
  const ofCinema = { ...probe, picturesPerSecond: 24 }
  const slow = (changed: Partial<PreviewSettings>) => graphOf({ ...order, probe: ofCinema, ...changed })
  assert.match(slow({}), /^\[0:V:0\]scale=.*,setsar=1,fps=30:start_time=0[^,]*\[v\]$/)
  const rateFirst = /^\[0:V:0\]fps=30:start_time=0,.*scale=/
  assert.match(slow({ firstFrame: 15 }), rateFirst)
  for (const picturesPerSecond of [undefined, 30, 59.94])
    assert.match(slow({ probe: { ...probe, picturesPerSecond } }), rateFirst)
  assert.match(slow({ probe: { ...ofCinema, isInterlaced: true } }), rateFirst)
  assert.ok(slow({ frames: 30 }).indexOf('fps=30') < slow({ frames: 30 }).indexOf('scale='))
})

test('the sound of a window is encoded, because packets do not begin where a picture does', () => {
  const tries = soundTries(
    { stream: 0, id: undefined, channels: 2, isPlainAac: true },
    { firstFrame: 45, maxFrames: 30 },
  )
  assert.equal(
    tries.map(({ args }) => args[args.indexOf('-af') + 1]),
    ['atrim=start=1.500000:end=2.500000,asetpts=PTS-1.500000/TB,aresample=async=1:first_pts=0', undefined],
  )
})

test('sound is copied, else encoded, else left out', () => {
  const args = (audio: Probe['audio']) => soundTries(audio, whole).map((sound) => sound.args.join(' '))
  assert.equal(args(undefined), [''])
  const [copied, encoded, none] = args({ stream: 0, id: undefined, channels: 2, isPlainAac: true })
  assert.is(copied, '-map 0:a:0 -c:a copy')
  assert.match(encoded ?? '', '-map 0:a:0 -c:a aac -b:a 128k -ar 48000 -ac 2')
  assert.is(none, '')
  assert.match(args({ stream: 0, id: undefined, channels: 6, isPlainAac: true })[0] ?? '', '-c:a aac')
  assert.match(args({ stream: 0, id: undefined, channels: 1, isPlainAac: false })[0] ?? '', '-ac 1')
})

test('only a missing decoder is a reason to leave the sound out', () => {
  const [copy, encode, none] = soundTries({ stream: 0, id: undefined, channels: 2, isPlainAac: true }, whole)
  const failed = (message: string, kind = 'Audio') => {
    const stderr = `  Stream #0:1: ${kind}: ac4 (ac-4 / 0x342D6361), 48000 Hz\n${message}`
    return { exitCode: 1, stdout: new Uint8Array(), stderr }
  }
  assert.ok(copy?.isWorthNextTry(failed('anything')))
  for (const missing of [
    'Decoder (codec ac4) not found for input stream #0:1',
    '[aist#0:1/ac4 @ 0x1] Decoding requested, but no decoder found for: ac4',
    'Error while opening decoder for input stream #0:1 : Invalid argument',
    '[aist#0:1/ac4 @ 0x1] [dec:ac4 @ 0x2] Error while opening decoder: Invalid argument',
  ]) {
    assert.ok(encode?.isWorthNextTry(failed(missing)), missing)
    assert.not.ok(encode?.isWorthNextTry(failed(missing, 'Video')), missing)
  }
  assert.not.ok(encode?.isWorthNextTry(failed('Conversion failed!')))
  assert.not.ok(
    encode?.isWorthNextTry(failed('    title : Decoder (codec x) not found for input stream #0:1')),
  )
  assert.not.ok(none?.isWorthNextTry(failed('anything')))
})

test.run()
