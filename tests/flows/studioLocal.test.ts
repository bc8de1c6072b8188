import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { inspect, readNow } from '@lantern-room/formats'
import sharp from 'sharp'
import { accessProblems, type OpenPage } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { serveStudio } from '#support/browser/serveStudio'
import { cutOf, keptFiles, savedBy, studioSuite } from '#support/browser/studioSuite'
import { startNodeHost } from '#support/hosts/hosts'
import { exiftool } from '#support/media/exiftool'
import { ffmpeg, film, packetsOf } from '#support/media/media'
import { colourAt, pictureOf, sameColour } from '#support/media/pixels'
import { freePort } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { bytesOf, formOf, post } from '../contract/http/requests'

// Photos that the studio makes in the browser, of files that are not sent anywhere.

const recorded = ['-metadata', 'creation_time=2024-05-06T10:00:00Z', '-g', '25']
const FILM = ['VID_0001.mp4', '640x360', 6, 'sound', recorded] as const
const { test, inBrowser, media, video, open, host } = await studioSuite('the studio on this device', FILM)

/** @returns the page, and what it asks of the service after it has been loaded */
async function openWith(path: string, { url = host().url, locale = 'en-US', timezoneId = 'UTC' } = {}) {
  const page = await open(url, { locale, timezoneId })
  const asked: string[] = []
  page.on('request', (request) => {
    // Its own script may still be on its way.
    if (!/^blob:|\?script$/.test(request.url()))
      asked.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  await page.setInputFiles('input[type=file]', path)
  await page.locator('.timeline').waitFor()
  // What is expected counts from the beginning.
  await page.getByRole('slider', { name: /Move the selection|移动所选片段/ }).press('Home')
  return { page, asked }
}

async function make(page: OpenPage, photos = 1): Promise<string> {
  await page.locator('.editor > .main').click()
  await page
    .locator('.result')
    .nth(photos - 1)
    .waitFor()
  return savedBy(media, page, () => page.locator('.result a').first().click())
}

/** The photo that the service makes of the whole film. */
async function photoOfService(order: Readonly<Record<string, string>>): Promise<Buffer> {
  const response = await post(host(), '/motion-photo', formOf(await readFile(video), 'file', order))
  assert.is(response.status, 200, await response.clone().text())
  return Buffer.from(await bytesOf(response))
}

function clipOf(photo: Buffer): Buffer {
  const { clip } = readNow(inspect({ size: photo.length }), photo).photo
  return photo.subarray(clip?.offset, (clip?.offset ?? 0) + (clip?.length ?? 0))
}

async function writeClip(name: string, photo: Buffer): Promise<string> {
  await writeFile(media.path(name), clipOf(photo))
  return media.path(name)
}

/** The frame of the video that a picture shows: of the frames around `near` the one that differs least. */
async function frameOf(picture: Buffer, near: number): Promise<number> {
  const size = { width: 160, height: 90 }
  const shown = await sharp(picture).resize(size).removeAlpha().raw().toBuffer()
  const filter = `select=between(n\\,${near - 3}\\,${near + 3}),setpts=PTS-STARTPTS,scale=${size.width}:${size.height}`
  const raw = ['-pix_fmt', 'rgb24', '-f', 'rawvideo', '-']
  const frames = await ffmpeg(['-i', video, '-vf', filter, ...raw])
  assert.is(frames.length, 7 * shown.length)
  const differences = Array.from({ length: 7 }, (_, frame) =>
    shown.reduce((sum, value, at) => sum + Math.abs(value - (frames[frame * shown.length + at] ?? 0)), 0),
  )
  return near - 3 + differences.indexOf(Math.min(...differences))
}

inBrowser(
  'a photo is made of the file without a request, and it is the one that the service makes',
  async () => {
    const { page, asked } = await openWith(video)
    await says(page, 'does not leave this device')
    await page.locator('.estimate', { hasText: /MB|kB/ }).waitFor()
    await page.locator('.estimate', { hasText: /MB|kB/ }).waitFor()
    await page.getByRole('slider', { name: 'Start' }).focus()
    for (const key of ['ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key)
    await page.getByRole('slider', { name: 'Cover' }).focus()
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    const heard = await writeClip('heard.mp4', await readFile(await make(page)))
    assert.match(await page.locator('.verdicts').innerText(), /Google Photos, Pixel\s+yes/)
    const sizes = async (path: string) => (await packetsOf(path, 'a:0')).map(({ bytes }) => bytes).join(' ')
    const inside = (await sizes(heard)).split(' ').slice(2, -2).join(' ')
    assert.ok((await sizes(video)).includes(inside), 'the sound is that of the file')
    await page.getByLabel('Keep the sound').uncheck()
    const path = await make(page, 2)
    assert.equal(asked, [])
    assert.equal(page.complaints, [])
    const own = await readFile(path)
    assert.is(await frameOf(own, 47), 47)

    const range = { range_start: `${11 / 30}`, range_end: '3', cover_time: `${47 / 30}`, speed: '1' }
    const made = await photoOfService({ ...range, quality: 'source', mute: 'true' })
    assert.is(Buffer.compare(clipOf(own), clipOf(made)), 0, 'the clips are equal')
    await writeFile(media.path('service.jpg'), made)
    // The browser's JPEG has a colour profile of its own.
    const tags = async (photo: string) => {
      const wanted = ['-j', '-EXIF:all', '-XMP:all', '--ColorSpace', '--Thumbnail*']
      const [read] = JSON.parse((await exiftool(...wanted, photo)).toString()) as Record<string, unknown>[]
      return { ...read, SourceFile: '' }
    }
    assert.equal(await tags(path), await tags(media.path('service.jpg')))
  },
)

inBrowser('the first picture is shown before the file is read', async () => {
  const page = await open(host().url)
  await page.evaluate(`{
    const send = Worker.prototype.postMessage
    Worker.prototype.postMessage = function (...args) { globalThis.letGo = () => send.apply(this, args) }
  }`)
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.screen video').waitFor()
  await page.evaluate(`(async () => {
    while (document.querySelector('video').readyState < 2 || !globalThis.letGo) await new Promise(requestAnimationFrame)
  })()`)
  assert.is(await page.locator('.timeline').count(), 0)
  await says(page, 'VID_0001.mp4')
  await page.evaluate('letGo()')
  await page.locator('.timeline').waitFor()
  assert.equal(page.complaints, [])
})

inBrowser('with the service gone photos are made, and what needs it says so and is tried again', async () => {
  const port = String(await freePort())
  const other = await startNodeHost({ MEDIA_PORT: port })
  const { page } = await openWith(video, { url: other.url, locale: 'zh-CN' })
  await other.stop()
  await page.getByLabel('保留声音').uncheck()
  await page.getByLabel('速度').selectOption('2')
  const tags = await exiftool('-s3', '-MotionPhoto', '-Microsoft:all', await make(page))
  assert.match(tags.toString(), /^1\s*$/)
  await page.getByText('更多选项').click()
  await page.getByLabel('裁剪').selectOption('1:1')
  await says(page, '裁剪：这项设置只需把所选片段发送到服务处理，约')
  const makeButton = page.locator('.editor > .main')
  const alert = page.getByRole('alert')
  await makeButton.click()
  await alert.waitFor()
  await page.getByLabel('裁剪').selectOption('')
  await make(page, 2)

  // On a phone the reason is led to, and behind it is the next step.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByLabel('裁剪').selectOption('1:1')
  await makeButton.click()
  await alert.waitFor()
  await eventually(
    () => alert.boundingBox(),
    (box) => box !== null && box.y >= 0 && box.y + box.height <= 740,
  )
  await page.keyboard.press('Tab')
  assert.is(await page.evaluate('document.activeElement.textContent'), '重试')
  const again = await startNodeHost({ MEDIA_PORT: port })
  await page.keyboard.press('Enter')
  await page.locator('.result').nth(2).waitFor()
  assert.is(await alert.count(), 0)
  await again.stop()
})

inBrowser(
  'for what the browser cannot do the range alone is sent, once, and gives what the file gives',
  async () => {
    const { page, asked } = await openWith(video)
    const sizes: number[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/uploads')) sizes.push(request.postDataJSON().size)
    })
    await page.getByRole('slider', { name: 'Move the selection' }).press('PageUp')
    await page.getByText('More options').click()
    await page.getByLabel('Crop').selectOption('1:1')
    await says(
      page,
      /^Crop: for this choice only the selected part is sent to the service, about \d+ [kM]B\.$/,
    )
    const cropped = await readFile(await make(page))
    assert.match(await page.locator('.result').first().innerText(), /VID_0001_2500ms_1x1_MP.jpg/)
    await page.getByLabel('Your phone').selectOption('apple')
    await make(page, 2)
    assert.is(asked.filter((one) => /^PUT .*\/uploads\//.test(one)).length, 1)
    assert.ok((sizes[0] ?? 0) < 0.7 * (await readFile(video)).length, sizes.join())

    const range = { range_start: '1', range_end: '4', cover_time: '2.5', speed: '1' }
    const whole = await photoOfService({ ...range, quality: 'source', crop: '1:1' })
    const pictures = async (name: string, photo: Buffer) => {
      const size = ['-vf', 'scale=90:90,format=gray', '-f', 'rawvideo', '-']
      return ffmpeg(['-i', await writeClip(name, photo), '-map', '0:v', ...size])
    }
    const [ofPart, ofWhole] = [await pictures('part.mp4', cropped), await pictures('whole.mp4', whole)]
    assert.is(ofPart.length, 90 * 90 * 90)
    assert.is(ofWhole.length, ofPart.length)
    // Encoded apart, the same pictures differ less than each from the one after it.
    const differenceAt = (shift: number) =>
      ofWhole
        .subarray(0, -shift || undefined)
        .reduce((sum, value, at) => sum + Math.abs(value - (ofPart[at + shift] ?? 0)), 0)
    assert.ok(3 * differenceAt(0) < differenceAt(90 * 90), `${differenceAt(0)} ${differenceAt(90 * 90)}`)
    await writeFile(media.path('whole.jpg'), whole)
    await writeFile(media.path('part.jpg'), cropped)
    const taken = async (name: string) =>
      (await exiftool('-s3', '-SubSecDateTimeOriginal', media.path(name))).toString()
    assert.is(await taken('part.jpg'), await taken('whole.jpg'))

    await page.getByLabel('Details to keep').selectOption('all')
    await says(page, 'Details to keep: for this choice the whole video is sent to the service.')
    await page.getByRole('button', { name: 'Another file' }).click()
    await says(page, 'Earlier videos')
  },
)

inBrowser('what stays is drawn on the picture, and dragged, sized and turned with it', async () => {
  const { page } = await openWith(video)
  await page.getByText('More options').click()
  await page.getByLabel('Crop').selectOption('1:1')
  const frame = page.getByRole('button', { name: /^Part that stays/ })
  const isSaid = (box: string) => frame.and(page.locator(`[aria-label*="${box}:"]`)).waitFor()
  await isSaid('360 × 360')
  await frame.scrollIntoViewIfNeeded()
  const boxOf = async () => (await frame.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const first = await boxOf()
  await frame.hover()
  const colour = await page.evaluate('getComputedStyle(document.querySelector(".crop")).backgroundColor')
  assert.is(colour, 'rgba(0, 0, 0, 0)')
  const drag = async (fromX: number, fromY: number, right: number, down: number) => {
    await page.mouse.move(fromX, fromY)
    await page.mouse.down()
    await page.mouse.move(fromX + right, fromY + down, { steps: 3 })
    await page.mouse.up()
  }
  await drag(first.x + 50, first.y + 50, -1000, 0)
  assert.ok((await boxOf()).x < first.x - 50)
  const { x, y, width } = await boxOf()
  await drag(x + width - 8, y + width - 8, -width / 2, -width / 2)
  await isSaid('180 × 180')
  await frame.press('+')
  await isSaid('186 × 186')
  await page.getByLabel('Rotate').selectOption('90')
  const turned = await boxOf()
  await frame.press('Shift+ArrowDown')
  const moved = await boxOf()
  assert.ok(moved.y > turned.y + 5 && Math.abs(moved.x - turned.x) < 1, 'it moves as it is seen')
  assert.equal(await accessProblems(page), [])
  const photo = await sharp(await make(page)).metadata()
  assert.equal([photo.width, photo.height], [186, 186])
  assert.equal(page.complaints, [])
})

inBrowser('a MOV as phones write it is cut here, turned and with its sound', async () => {
  const reordered = ['-preset', 'fast', '-bf', '3']
  const plain = await media.make('plain.mov', [...film('640x360', 3, 'sound'), ...reordered])
  const copy = ['-i', plain, '-c', 'copy']
  // The former is for newer versions of ffmpeg, the latter for older ones.
  const turned = await media
    .make('turned.mov', ['-display_rotation', '90', ...copy])
    .catch(() => media.make('turned.mov', [...copy, '-metadata:s:v', 'rotate=90']))
  const { page, asked } = await openWith(turned)
  const photo = await readFile(await make(page))
  assert.equal(asked, [])
  const { width, height } = await sharp(photo).metadata()
  assert.equal([width, height], [360, 640])
  const clip = await writeClip('turned.mp4', photo)
  assert.is((await packetsOf(clip, 'a:0')).length > 100, true)
  await ffmpeg(['-xerror', '-i', clip, '-f', 'null', '-'])
})

inBrowser('the tiles of a strip are the pictures of their time, as they are shown', async () => {
  const lavfi = 'color=red:s=320x90:d=2[a];color=blue:s=320x90:d=2[b];color=lime:s=320x90:r=25:d=4[c]'
  const encoded = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']
  const graph = `${lavfi};[a][b]concat[ab];[ab][c]vstack`
  const plain = await media.make('two.mp4', ['-filter_complex', graph, ...encoded])
  const copy = ['-i', plain, '-c', 'copy']
  const over = await media
    .make('over.mp4', ['-display_rotation', '180', ...copy])
    .catch(() => media.make('over.mp4', [...copy, '-metadata:s:v', 'rotate=180']))
  const page = await open(host().url)
  for (const [path, top, bottom] of [
    [plain, ['red', 'blue'], ['green', 'green']],
    [over, ['green', 'green'], ['red', 'blue']],
  ] as const) {
    await page.setInputFiles('input[type=file]', path)
    await page.locator('.timeline').waitFor()
    const shown = `(() => {
      const canvas = document.querySelector('.track canvas')
      const at = (x, y) => {
        const [...rgb] = canvas.getContext('2d').getImageData(canvas.width * x, canvas.height * y, 1, 1).data.slice(0, 3)
        return Math.max(...rgb) < 100 ? '' : ['red', 'green', 'blue'][rgb.indexOf(Math.max(...rgb))]
      }
      return [0.25, 0.75].map((y) => [0.1, 0.9].map((x) => at(x, y)))
    })()`
    const wanted = JSON.stringify([top, bottom])
    await eventually(
      () => page.evaluate(shown),
      (seen) => JSON.stringify(seen) === wanted,
      { everyMs: 100 },
    )
    assert.equal(page.complaints, [])
    await page.reload()
  }
})

inBrowser('the still has the colours of the video, by any matrix and range', async () => {
  for (const [matrix, range] of [
    ['bt709', 'tv'],
    ['smpte170m', 'pc'],
  ] as const) {
    const name = `${matrix}-${range}.mp4`
    const plain = ['-f', 'lavfi', '-i', 'color=0xC04020:s=320x240:r=25:d=2', '-c:v', 'libx264']
    const coded = `scale=out_color_matrix=${matrix}:out_range=${range},format=yuv420p`
    const told = ['-colorspace', matrix, '-color_primaries', 'bt709', '-color_trc', 'bt709']
    const path = await media.make(name, [...plain, '-vf', coded, ...told, '-color_range', range])
    const { page } = await openWith(path)
    const photo = await pictureOf(await readFile(await make(page)))
    sameColour(colourAt(photo, 0.5, 0.5), [192, 64, 32], 4, name)
  }
})

inBrowser('where the decoder never answers a player shows the still', async () => {
  // In place of the ten seconds for which it is waited.
  const silent = `VideoDecoder.prototype.flush = () => new Promise(() => undefined)
    const wait = setTimeout
    setTimeout = (act, ms) => wait(act, ms / 50)\n`
  const script = await readFile('dist/local-runner/ui/studio-photos.js', 'utf8')
  const { server, url } = await serveStudio({ 'studio-photos.js': silent + script })
  const { page } = await openWith(video, { url })
  assert.is(await frameOf(await readFile(await make(page)), 45), 45)
  assert.equal(page.complaints, [])
  server.closeAllConnections()
  server.close()
})

inBrowser(
  'the player of a large video rests while a photo is made, and goes on where it is moved to',
  async () => {
    const page = await open(host().url)
    await page.setInputFiles('input[type=file]', await media.make('large.mp4', film('2560x1600', 1)))
    await page.locator('.timeline').waitFor()
    await page.evaluate(`{
    const send = Worker.prototype.postMessage
    Worker.prototype.postMessage = function (...args) {
      if (args[0].name === 'make') globalThis.letGo = () => send.apply(this, args)
      else send.apply(this, args)
    }
  }`)
    await page.locator('.editor > .main').click()
    await page.locator('.stand-in').waitFor()
    const player = `(({ readyState, currentTime }) => [readyState > 1, Math.floor(currentTime * 30)])(document.querySelector('video'))`
    assert.equal(await page.evaluate(player), [false, 15])
    await page.getByRole('slider', { name: 'Cover' }).press('ArrowRight')
    await page.evaluate('letGo()')
    await page.locator('.stand-in').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(player), [true, 16])
    await page.locator('.result').waitFor()
    await page.locator('.estimate', { hasText: /MB|kB/ }).waitFor()
    assert.equal(page.complaints, [])
  },
)

inBrowser('files whose sound or pictures cannot be copied go to the service', async () => {
  const silent = film('320x240', 2)
  const mp3 = await media.make('mp3.mov', [
    ...['-f', 'lavfi', '-i', 'sine=duration=2', ...silent],
    ...['-c:a', 'libmp3lame'],
  ])
  const { page, asked } = await openWith(mp3)
  await make(page)
  assert.ok(asked.includes('POST /convert'), asked.join())
  const mpeg4 = await media.make('mpeg4.mp4', [...silent, '-c:v', 'mpeg4'])
  const other = await openWith(mpeg4)
  assert.ok(other.asked.includes('POST /prepare'), other.asked.join())
})

inBrowser(
  'of a download that broke off what is there is made, and of one without an index nothing',
  async () => {
    const whole = await media.make('whole.mp4', ['-i', video, '-c', 'copy', '-movflags', '+faststart'])
    const bytes = await readFile(whole)
    const part = await media.write('part.mp4', bytes.subarray(0, bytes.length * 0.6))
    const { page, asked } = await openWith(part)
    const [, seconds = ''] =
      /breaks off at 0:0([\d.]+)\. Make a photo/.exec(await page.getByRole('status').innerText()) ?? []
    assert.ok(Number(seconds) > 2 && Number(seconds) < 5, seconds)
    const end = page.getByRole('slider', { name: 'End' })
    await end.press('End')
    const frames = Number(await end.getAttribute('aria-valuenow'))
    assert.ok(Math.abs(frames / 30 - Number(seconds)) < 0.1, String(frames))
    const clip = await writeClip('part-clip.mp4', await readFile(await make(page)))
    assert.ok(Math.abs((await packetsOf(clip, 'v:0')).length - frames) <= 1)
    await page.getByRole('button', { name: 'Another file' }).click()

    const head = await media.write('head.mp4', (await readFile(video)).subarray(0, 20_000))
    await page.setInputFiles('input[type=file]', head)
    await says(page, /head\.mp4 The file is incomplete: its copy or download broke off/)
    assert.equal(asked, [], 'neither is sent')
  },
)

inBrowser('a file that changes while it is open is said, and the page goes on', async () => {
  const changing = media.path('changing.mp4')
  await writeFile(changing, await readFile(video))
  const { page } = await openWith(changing)
  await writeFile(changing, 'something else')
  await page.locator('.editor > .main').click()
  await says(page, 'The file has changed or is gone since it was chosen.')
  await page.getByRole('button', { name: 'Another file' }).click()
  await page.setInputFiles('input[type=file]', video)
  await make(page)
})

inBrowser('photos that are not downloaded are asked about before they are lost', async () => {
  const { page } = await openWith(video)
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.type())
    void dialog.accept()
  })
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  assert.is(await page.evaluate('document.activeElement.textContent'), 'Your motion photos')
  await page.getByRole('button', { name: 'Another file' }).click()
  await page.getByRole('dialog', { name: 'One photo is not downloaded yet.' }).waitFor()
  assert.equal(await accessProblems(page), [])
  await page.getByRole('button', { name: 'Stay' }).click()
  assert.is(await page.locator('.result').count(), 1)
  await drop(page, 'a.jpg', '')
  await says(page, 'The file is empty: ')
  assert.is(await page.locator('.result').count(), 1)
  // The same question for the browser's own way back, which is no way out of the page.
  await page.evaluate('history.back()')
  const leaving = page.getByRole('button', { name: 'Download, then leave' })
  assert.ok((await readFile(await savedBy(media, page, () => leaving.click()))).length > 1000)
  await says(page, 'Drop a video here')
  await page.setInputFiles('input[type=file]', video)
  await make(page)
  await page.locator('.editor > .main').click()
  await page.locator('.result').nth(1).waitFor()
  await page.getByRole('slider', { name: 'Start' }).press('Shift+ArrowRight')
  const chosen = await cutOf(page)
  await eventually(
    () => kept(page),
    (kept) => JSON.stringify(kept) === JSON.stringify([chosen[0], 2]),
  )
  await page.reload()
  assert.equal(questions, ['beforeunload'])
  await page.getByRole('button', { name: 'Continue VID_0001.mp4' }).click()
  await page.locator('.result').nth(1).waitFor()
  assert.equal(await cutOf(page), chosen)
  assert.equal(page.complaints, [])
})

/** The start and the number of photos of what the browser has kept for after a reload. */
async function kept(page: OpenPage) {
  const [[file] = []] = await keptFiles(page)
  return [file?.cut?.start, file?.photos.length]
}

/** Drops a file on the page. */
function drop(page: OpenPage, name: string, text: string): Promise<unknown> {
  return page.evaluate(`{
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(${JSON.stringify([text])}, '${name}'))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  }`)
}

inBrowser('a file that is refused leaves what is edited as it is', async () => {
  const { page } = await openWith(video)
  await page.getByRole('slider', { name: 'End' }).press('PageUp')
  await drop(page, 'notes.txt', 'this is no video')
  await page.getByRole('alert').waitFor()
  assert.equal(await cutOf(page), [0, 45, 120])
  await says(page, 'VID_0001.mp4')
  await make(page)
})

/** What is to be in view at once, and where of the window: left, top, right, bottom. */
const PARTS = `[...document.querySelectorAll('.tracks .track, .handle.cover, .moments, .cutting > .settings select, .editor > .main')]
  .map((one) => one.getBoundingClientRect()).map(({ left, top, right, bottom }) => [left, top, right, bottom].map(Math.round))`

inBrowser(
  'track, cover, times, phone and button are in view at once, and nothing moves when a photo comes',
  async () => {
    const { page } = await openWith(await media.make('tall.mp4', film('180x320', 2)))
    await page.locator('.editor > .main').waitFor()
    for (const [width, height] of [
      [1280, 720],
      [844, 390],
      [360, 740],
    ] as const) {
      await page.setViewportSize({ width, height })
      const parts = (await page.evaluate(PARTS)) as [number, number, number, number][]
      assert.is(parts.length, 6)
      const isIn = ([left, top, right, bottom]: (typeof parts)[number]) =>
        left >= 0 && top >= 0 && right <= width && bottom <= height
      assert.ok(parts.every(isIn), `${width} × ${height}: ${JSON.stringify(parts)}`)
      const [track, flag, ...others] = parts
      const solid = track ? [track, ...others] : others
      const isApart = ([left, top, right, bottom]: (typeof parts)[number], at: number) =>
        solid
          .slice(at + 1)
          .every(([x, y, xEnd, yEnd]) => left >= xEnd || right <= x || top >= yEnd || bottom <= y)
      assert.ok(solid.every(isApart), `${width} × ${height}: ${JSON.stringify(parts)}`)
      assert.ok(flag && track && flag[0] > track[0] && flag[3] === track[3], 'the flag stands on the track')
    }
    await page.setViewportSize({ width: 1280, height: 720 })
    const before = await page.evaluate(PARTS)
    await page.locator('.editor > .main').click()
    await page.locator('.result').waitFor()
    await page.locator('.editor > .main').waitFor()
    assert.equal(await page.evaluate(PARTS), before)
    assert.is(await page.evaluate('scrollY'), 0)
  },
)

inBrowser('changes of the range, the cover and the crop are taken back and done again', async () => {
  const { page } = await openWith(video)
  const picked = () => page.getByLabel('Crop').inputValue()
  await page.getByRole('slider', { name: 'End' }).press('PageUp')
  await page.getByText('More options').click()
  await page.getByLabel('Crop').selectOption('1:1')
  await page.keyboard.press('Control+z')
  assert.equal([await picked(), await cutOf(page)], ['', [0, 45, 120]])
  await page.keyboard.press('Control+z')
  assert.equal(await cutOf(page), [0, 45, 90])
  for (const key of ['Control+y', 'Control+Shift+Z']) await page.keyboard.press(key)
  assert.equal([await picked(), await cutOf(page)], ['1:1', [0, 45, 120]])
  assert.is(await page.getByRole('button', { name: 'Redo' }).isDisabled(), true)
})

inBrowser('a handle that the mouse has taken is not ringed until keys are used', async () => {
  const page = await open(host().url)
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.handle.end').hover()
  await page.mouse.down()
  await page.mouse.up()
  const ring = 'getComputedStyle(document.querySelector(".handle.end:focus")).outlineStyle'
  assert.is(await page.evaluate(ring), 'none')
  await page.keyboard.press('Shift')
  assert.is(await page.evaluate(ring), 'solid')
})

const shownFrame = 'Math.floor(document.querySelector("video").currentTime * 30)'

inBrowser(
  'a click shows a frame, a drag moves an end or all of the range, keys and times are exact',
  async () => {
    const { page } = await openWith(video)
    const track = await page.locator('.tracks .track').boundingBox()
    if (!track) throw new Error('no track')
    const y = track.y + track.height / 2
    const xOf = (frame: number) => track.x + (track.width * frame) / 180
    await page.mouse.click(xOf(150.5), y)
    assert.is(await page.evaluate(shownFrame), 150)
    assert.equal(await cutOf(page), [0, 45, 90])
    await page.mouse.move(xOf(88), y)
    await page.mouse.down()
    await page.mouse.move(xOf(119), y, { steps: 3 })
    await page.mouse.up()
    assert.equal(await cutOf(page), [0, 45, 119])
    const grip = await page.locator('.grip').boundingBox()
    if (!grip) throw new Error('no grip')
    await page.mouse.move(xOf(50), grip.y + 8)
    await page.mouse.down()
    await page.mouse.move(xOf(80), grip.y + 8, { steps: 5 })
    await page.mouse.up()
    assert.equal(await cutOf(page), [30, 75, 149])
    await page.getByRole('slider', { name: 'Move the selection' }).press('PageDown')
    assert.equal(await cutOf(page), [0, 45, 119])

    await page.getByRole('textbox', { name: 'Start' }).fill('0:01.5')
    await page.keyboard.press('Tab')
    await page.getByRole('textbox', { name: 'End' }).fill('what')
    await page.keyboard.press('Tab')
    assert.is(await page.getByRole('textbox', { name: 'End' }).inputValue(), '0:03.97')
    await page.getByRole('button', { name: 'End: one frame later' }).click()
    assert.equal(await cutOf(page), [45, 45, 120])
    // The keys work where the mouse has left the focus: on a handle, or on a button.
    await page.evaluate('scrollTo(0, 0)')
    await page.mouse.click(xOf(60.5), y)
    for (const key of ['l', 'ArrowRight', 'o', 'j', 'i', 'c']) await page.keyboard.press(key)
    assert.equal(await cutOf(page), [61, 61, 92])
    await page.keyboard.press(' ')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    assert.equal(page.complaints, [])
  },
)

inBrowser(
  'ten minutes are cut to a frame on a phone, and nothing covers the field that has the focus',
  async () => {
    const minute = await media.make('minute.mp4', film('160x120', 60))
    const minutes = await media.make('minutes.mp4', ['-stream_loop', '9', '-i', minute, '-c', 'copy'])
    const page = await open(host().url, {
      viewport: { width: 360, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    await page.setInputFiles('input[type=file]', minutes)
    const overview = await page.locator('.overview').boundingBox()
    if (!overview) throw new Error('no overview')
    await page.touchscreen.tap(overview.x + overview.width / 2, overview.y + overview.height / 2)
    const [start = 0, , end = 0] = await cutOf(page)
    assert.is(end - start, 90)
    assert.ok(Math.abs(start - 8955) < 60, String(start))
    await page.getByRole('button', { name: 'Start: one frame later' }).click()
    const ends = await page
      .locator('.handle')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().x))
    assert.ok((ends[1] ?? 0) - (ends[0] ?? 0) > 60, 'the handles are apart')
    await page.getByRole('textbox', { name: 'End' }).fill('5:00.1')
    await page.getByRole('textbox', { name: 'End' }).press('Enter')
    assert.equal([(await cutOf(page))[0], (await cutOf(page))[2]], [start + 1, 9003])
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 360)

    // No field that has the focus is below the button that stays in view.
    await page.setViewportSize({ width: 360, height: 640 })
    await page.locator('.more summary').click()
    await page.locator('.more select').first().waitFor()
    const covered = await page.evaluate(`(() => {
    const button = document.querySelector('.editor > .main')
    const fields = [...document.querySelectorAll('.editor :is(input, select, summary, button)')].filter((one) => one !== button && one.offsetParent)
    return fields.length < 15 ? ['too few'] : fields.flatMap((field) => {
      scrollTo(0, 0)
      field.focus()
      const [a, b] = [field, button].map((one) => one.getBoundingClientRect())
      return a.bottom > b.top && a.top < b.bottom ? [field.outerHTML.slice(0, 80)] : []
    })
  })()`)
    assert.equal(covered, [])
  },
)

inBrowser('of a photo the page says where it plays, what is wrong, and gives what is in it', async () => {
  const { page } = await openWith(video)
  const whole = await readFile(await make(page))
  const broken = Buffer.from(whole)
  const at = broken.indexOf('Item:Length="', broken.indexOf('MotionPhoto"')) + 'Item:Length="'.length
  broken[at] = broken[at] === 0x31 ? 0x32 : 0x31
  const { clip } = readNow(inspect({ size: whole.length }), whole).photo
  const files = {
    'whole.jpg': [whole, 'Nothing has to be mended.'],
    'cut.jpg': [whole.subarray(0, clip?.offset), 'cut off by a chat program'],
    'still.jpg': [await sharp(whole).jpeg().toBuffer(), 'This is a still'],
    'broken.jpg': [broken, 'can be mended'],
  } as const
  await page.reload()
  for (const [name, [bytes, sentence]] of Object.entries(files)) {
    await page.setInputFiles('input[type=file]', { name, mimeType: 'image/jpeg', buffer: bytes })
    await says(page, sentence)
    assert.equal(await accessProblems(page), [], name)
    if (name !== 'broken.jpg') await page.getByRole('button', { name: 'Another file' }).click()
  }
  const saved = async (role: 'button' | 'link', name: string) =>
    readFile(await savedBy(media, page, () => page.getByRole(role, { name }).click()))
  assert.is(Buffer.compare(await saved('link', 'Save the video'), clipOf(whole)), 0)
  const mended = await saved('button', 'Save the mended photo')
  assert.is(readNow(inspect({ size: mended.length }), mended).galleries[0]?.plays, true)
  const still = await saved('button', 'Save the still')
  assert.throws(() => readNow(inspect({ size: still.length }), still), /without a video/)
})

inBrowser(
  'a moment without a zone is shown by the clock of the browser, on this device as by the service',
  async () => {
    const remuxed = ['-i', video, '-c', 'copy', '-map_metadata', '0']
    const [moved, named] = [await media.make('moved.mkv', remuxed), media.path('VID_20240506_120000.mp4')]
    await copyFile(video, named)
    for (const [path, isSent, wanted] of [
      [video, false, '2024:05:06 19:00:01.500+09:00'],
      [moved, true, '2024:05:06 19:00:01.500+09:00'],
      [named, false, '2024:05:06 12:00:01.500+02:00'],
    ] as const) {
      const { page, asked } = await openWith(path, { timezoneId: 'Asia/Tokyo' })
      const photo = await make(page)
      const when = await exiftool('-s3', '-SubSecDateTimeOriginal', photo)
      assert.is(when.toString().trim(), wanted, path)
      assert.is(asked.includes('POST /convert'), isSent, asked.join(', '))
      await page.close()
    }
  },
)

test.run()
