import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import sharp from 'sharp'
import { startProgram } from '#support/process/commandLine'
import { folderOfSuite } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { movie } from '../unit/formats/livePhoto/sampleLivePhoto'
import { heicOf } from '../unit/formats/motionPhoto/sampleHeic'
import { baselineJpeg } from '../unit/formats/motionPhoto/sampleJpeg'
import { clip, description, motion, primary, video, withXmp } from '../unit/formats/motionPhoto/samplePhones'

// The commands of motion-photo that take a motion photo: inspect, extract, repair. `strip` has a file of its own.

const test = suite('motion-photo inspect, extract, repair', { timeoutMs: 60_000 })

const photo = Buffer.concat([withXmp(baselineJpeg, description(motion, primary + video(clip.length))), clip])
const folder = await folderOfSuite('lantern-photos')
const path = (name: string) => join(folder, name)
const run = (...args: string[]) => startProgram(args, { cwd: folder }).ended

test.before(async () => {
  await writeFile(path('a.jpg'), photo)
  await writeFile(path('still.jpg'), baselineJpeg)
})

test('inspect prints a verdict for each gallery, with the reason and the repair', async () => {
  const { exit, stdout, stderr } = await run('inspect', 'a.jpg')
  assert.equal([exit, stderr], [0, ''])
  assert.match(
    stdout,
    /a\.jpg: jpeg, video avc1 \(Baseline, level 3\.1, 8 bit, 4:2:0\), 640 × 360, 30 fps, 0\.2 s, \d+ bytes at \d+\n/,
  )
  assert.match(stdout, /^ {2}google {3}yes$/m)
  assert.match(stdout, /^ {2}xiaomi {3}no\n {11}EXIF does not have Xiaomi's tag 0x8897\. Repair: write tag/m)
  assert.match(stdout, /^ {2}chats {4}Sent as a picture.*a still.*\n {11}Sent as a file.*every byte/m)
})

test('inspect of several files prints JSON lines, and goes on after one that is refused', async () => {
  const { exit, stdout, stderr } = await run('inspect', '--json', 'still.jpg', 'a.jpg', 'none.jpg')
  assert.is(exit, 1)
  const [line, ...more] = stdout.trim().split('\n')
  assert.equal(more, [])
  const found = JSON.parse(line ?? '')
  assert.equal([found.file, found.galleries.length], [path('a.jpg'), 8])
  assert.match(stderr, /still\.jpg: The file is a photo without a video.*none\.jpg: There is no such file/s)
})

test('an option that no longer exists is refused, and the sentence says what to use instead', async () => {
  const refused = await run('inspect', 'a.jpg', '--donor', 'b.jpg')
  assert.is(refused.exit, 2)
  assert.match(refused.stderr, /--donor no longer exists: inspect both photos/)
})

test('repair writes beside the photo, never over it, and says what changed', async () => {
  const { exit, stdout, stderr } = await run('repair', 'a.jpg')
  assert.equal([exit, stdout.trim()], [0, path('a_repaired_MP.jpg')], stderr)
  assert.match(stderr, /recognised by google, samsung, xiaomi, oppo, vivo, android; before: google/)
  equalBytes(await readFile(path('a.jpg')), photo)
  const itself = await run('repair', 'a.jpg', '-f', '-o', 'a.jpg')
  assert.is(itself.exit, 1)
  assert.match(itself.stderr, /never overwritten/)
  equalBytes(await readFile(path('a.jpg')), photo)
  const again = await run('repair', 'a.jpg')
  assert.match(again.stderr, /exists already.*--force/)
  assert.is((await run('repair', 'a.jpg', '--force', '--profile', 'google')).exit, 0)
})

test('extract takes out clip, still and animations', async () => {
  assert.is((await run('extract', 'a.jpg')).stdout.trim(), path('a.mp4'))
  equalBytes(await readFile(path('a.mp4')), clip)
  assert.is((await run('extract', 'a.jpg', '--what', 'still')).stdout.trim(), path('a_still.jpg'))
  const { width, height } = await sharp(path('a_still.jpg'), { failOn: 'warning' }).metadata()
  assert.equal([width, height], [16, 8])
})

test('a compressed .livp is taken apart into HEIC and MOV, and mended into another one', async () => {
  const whole = heicOf({ xmp: '', movie: clip, itemsIn: 'file' })
  const heic = whole.subarray(0, whole.length - clip.length - 8)
  const pair = zipSync({ 'IMG_7.HEIC.heic': [heic, { level: 9 }], 'IMG_7.HEIC.mov': [movie, { level: 9 }] })
  await writeFile(path('b.livp'), pair)
  const taken = await run('extract', 'b.livp', '--what', 'still')
  assert.is(taken.stdout, `${path('b_still.heic')}\n`, taken.stderr)
  equalBytes(await readFile(path('b_still.heic')), heic)
  assert.is((await run('extract', 'b.livp')).stdout, `${path('b.mov')}\n`)
  equalBytes(await readFile(path('b.mov')), movie)
  await copyFile('tests/fixtures/media/live-photo-deflated.zip', path('c.livp'))
  assert.is((await run('repair', 'c.livp')).stdout, `${path('c_repaired.livp')}\n`)
  assert.match((await run('inspect', 'c_repaired.livp')).stdout, /live-photo, video avc1[\s\S]*apple {4}yes/)
})

test('what is typed wrong is 2; help is printed', async () => {
  for (const args of [['inspect'], ['extract', 'a.jpg', 'b.jpg'], ['repair', 'a.jpg', '--what', 'clip']]) {
    assert.is((await run(...args)).exit, 2, args.join(' '))
  }
  assert.match((await run('extract', 'a.jpg', '--what', 'x')).stderr, /must be one of still, clip, gif, webp/)
  for (const command of ['inspect', 'extract', 'strip', 'repair']) {
    const { exit, stdout } = await run(command, '--help')
    assert.is(exit, 0)
    assert.ok(stdout.split('\n').every((line) => line.length <= 80))
  }
})

test.run()
