import { readFile, stat } from 'node:fs/promises'
import type { BrowserContextOptions, Locator } from 'playwright-core'
import sharp from 'sharp'
import { accessProblems, type OpenPage, tabTo } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { savedBy, studioSuite } from '#support/browser/studioSuite'
import { type Host, startNodeHost } from '#support/hosts/hosts'
import { exiftool } from '#support/media/exiftool'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import type { Settings } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'
import { until } from '#support/values/until'

// The studio in a real browser, as a person uses it, against the built service.

const FILM = ['holiday.mkv', '320x180', 6, 'sound'] as const
const studio = await studioSuite('the studio', FILM)
const { test, inBrowser, media, video, closing, host } = studio
const open = (options: BrowserContextOptions = {}, url = host().url) => studio.open(url, options)

async function startHost(settings: Settings): Promise<Host> {
  const other = await startNodeHost(settings)
  closing.push(() => other.stop())
  return other
}

/** Drops a file on the page. */
async function drop(page: OpenPage, name: string, bytes: Uint8Array, type: string): Promise<void> {
  const base64 = Buffer.from(bytes).toString('base64')
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (character) => character.charCodeAt(0))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }))
    window.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }))
  }`)
}

async function choose(page: OpenPage, path = video): Promise<void> {
  await page.setInputFiles('input[type=file]', path)
  await page.locator('.timeline').waitFor()
}

/** Waits until an expression is true in the page. Playwright's `waitForFunction` polls with `eval`, which the page's policy forbids. */
async function becomes(page: OpenPage, expression: string): Promise<void> {
  await until(expression, async () => (await page.evaluate(expression)) === true)
}

/** Taps again, as a person would: on a busy machine Chromium sometimes fires no click for a tap. */
async function tapUntil(place: Locator, isSo: () => Promise<boolean>): Promise<void> {
  for (let taps = 1; taps <= 5; taps += 1) {
    await place.tap()
    const isReached = await until('it is so after a tap', isSo, { ms: 5000 }).catch(() => undefined)
    if (isReached !== undefined) return
  }
  throw new Error('no tap does it')
}

async function tagsOf(path: string): Promise<Record<string, unknown>> {
  const tags = ['-j', '-n', '-MotionPhoto', '-EmbeddedVideoFile', '-MotionPhotoPresentationTimestampUs']
  const printed = await exiftool(...tags, path)
  return (JSON.parse(printed.toString()) as Record<string, unknown>[])[0] ?? {}
}

inBrowser(
  'a dropped video becomes a file that exiftool accepts, and another cut needs no upload',
  async () => {
    const page = await open()
    await drop(page, 'holiday.mkv', await readFile(video), 'video/x-matroska')
    await page.locator('.timeline').waitFor()
    assert.is(await page.getByRole('slider', { name: 'End' }).getAttribute('aria-valuenow'), '135')
    await page.getByLabel('Full quality').uncheck()
    // The size is known a moment after the timeline.
    await page.locator('.estimate', { hasText: /MB|kB/ }).waitFor()
    assert.match(await page.locator('.estimate').innerText(), /3\.0 s[\s\S]*(MB|kB)/)
    await page.getByRole('button', { name: 'Make the motion photo' }).click()
    await page.locator('.result').waitFor()
    const verdicts = await page.locator('.verdicts').innerText()
    assert.match(verdicts, /Google Photos, Pixel\s+yes/)
    assert.match(verdicts, /vivo\s+yes\s+Reported to play on: vivo X300 Pro \(OriginOS\)/)
    assert.match(verdicts, /Android 17\s+should play/)
    assert.match(verdicts, /Huawei, Honor\s+Make one\s/)

    const photo = await downloaded(page)
    assert.match(photo, /_MP\.jpg$/)
    const read = await tagsOf(photo)
    assert.is(read.MotionPhoto, 1)
    assert.is(read.MotionPhotoPresentationTimestampUs, 1_500_000)
    assert.match(String(read.EmbeddedVideoFile), /Binary data \d+ bytes/)

    const uploads: string[] = []
    page.on('request', (request) => /upload|prepare/.test(request.url()) && uploads.push(request.url()))
    await page.getByLabel('Speed').selectOption('2')
    await page.getByLabel('Your phone').selectOption('huawei')
    await page.getByRole('button', { name: 'Make the motion photo' }).click()
    await page.locator('.result').nth(1).waitFor()
    assert.match(await page.locator('.own').first().innerText(), /Should play: Huawei, Honor/)
    assert.equal(uploads, [])
    assert.equal(page.complaints, [])
  },
)

inBrowser('on a narrow phone a finger moves the range, and taps play the photo and stop it', async () => {
  const page = await open({ hasTouch: true, isMobile: true, viewport: { width: 320, height: 800 } })
  await choose(page)
  const box = await page.locator('.handle.end').boundingBox()
  const track = await page.locator('.tracks .track').boundingBox()
  if (!box || !track) throw new Error('no track')
  const client = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: x === undefined ? [] : [{ x, y: track.y + 20 }],
    })
  await touch('touchStart', box.x + 8)
  await touch('touchMove', box.x - 20)
  await touch('touchMove', track.x + track.width / 3)
  await touch('touchEnd')
  const now = Number(await page.getByRole('slider', { name: 'End' }).getAttribute('aria-valuenow'))
  assert.ok(Math.abs(now - 60) <= 2, String(now))
  await page.getByText('More options').click()
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320)
  await page.getByText('More options').click()

  // By the mouse: on a busy machine a touch lasts long enough to be a long press.
  await page.getByRole('button', { name: 'Make the motion photo' }).click()
  const isPlaying = 'document.querySelector(".live").state === "playing"'
  const live = page.locator('.live')
  await live.waitFor()
  assert.is(await live.getAttribute('data-hint'), 'Tap to play')
  for (const wanted of [true, false, true]) {
    await tapUntil(live, async () => (await page.evaluate(isPlaying)) === wanted)
    // A tap that plays and stops at once would be seen as the one or the other.
    await page.waitForTimeout(300)
    assert.is(await page.evaluate(isPlaying), wanted)
  }
})

inBrowser('the selection plays over and over at its speed, the result while it is pointed at', async () => {
  const page = await open()
  await choose(page)
  await page.getByLabel('Speed').selectOption('4')
  await page.getByRole('button', { name: 'Play the selection' }).click()
  await becomes(page, '!document.querySelector("video").paused')
  await page.waitForTimeout(1500)
  const player = (await page.evaluate(
    '(({ currentTime, paused, playbackRate }) => ({ currentTime, paused, playbackRate }))(document.querySelector("video"))',
  )) as { currentTime: number; paused: boolean; playbackRate: number }
  assert.is(player.paused, false)
  assert.is(player.playbackRate, 4)
  assert.ok(player.currentTime < 5, `at ${player.currentTime}`)
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Make the motion photo' }).click()
  const isPlaying = 'document.querySelector(".live").state === "playing"'
  await page.locator('.live').waitFor()
  assert.is(await page.evaluate(isPlaying), false)
  await page.locator('.live').hover()
  await becomes(page, isPlaying)
  await page.mouse.move(0, 0)
  await becomes(page, `!(${isPlaying})`)
  await tabTo(page, '.live')
  await becomes(page, isPlaying)
})

inBrowser('too large a file, a service that is gone, and a session that is over are told apart', async () => {
  const small = await startHost({ MAX_UPLOAD_BYTES: '1024' })
  const page = await open({}, small.url)
  await page.setInputFiles('input[type=file]', video)
  await says(page, /1024 bytes|larger than|too large/i)
  const other = await startNodeHost()
  const left = await open({}, other.url)
  await choose(left)
  const { id } = JSON.parse(String(await left.evaluate('localStorage.sessions')))[0] as { id: string }
  const headers = { 'Content-Type': 'application/json' }
  await other.send('/cleanup', { method: 'POST', headers, body: JSON.stringify({ session_id: id }) })
  await left.getByRole('button', { name: 'Make the motion photo' }).click()
  await says(left, 'This video has expired. Choose it again.')
  assert.is(await left.evaluate('localStorage.sessions'), '[]')
  await other.stop()
  await left.getByRole('button', { name: 'Make the motion photo' }).click()
  await says(left, 'The service does not answer.')
})

inBrowser('an upload and the making of its preview are shown, and can be cancelled', async () => {
  const page = await open()
  const long = await media.make('long.mkv', ['-stream_loop', '49', '-i', video, '-c', 'copy'])
  await page.setInputFiles('input[type=file]', long)
  await says(page, 'Preparing the preview')
  await becomes(page, 'document.querySelector("progress")?.value > 0')
  const cancelled = page.waitForRequest((request) => request.method() === 'DELETE')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await says(page, 'Drop a video here')
  assert.match((await cancelled).url(), /\/uploads\/\w+$/)
  assert.is(await page.getByRole('alert').count(), 0)
})

inBrowser('sessions are remembered, opened again, and deleted', async () => {
  const page = await open()
  await choose(page)
  await page.reload()
  await says(page, 'Earlier videos')
  await page.getByRole('button', { name: 'Continue holiday.mkv' }).click()
  await page.locator('.timeline').waitFor()
  await page.getByRole('button', { name: 'Another file' }).click()
  const { id } = JSON.parse(String(await page.evaluate('localStorage.sessions')))[0] as { id: string }
  await page.getByRole('button', { name: 'Delete holiday.mkv' }).click()
  await page.getByText('Earlier videos').waitFor({ state: 'detached' })
  assert.is((await host().send(`/sessions/${id}`)).status, 404)
})

inBrowser('with a token it asks for it once and keeps it in the tab', async () => {
  const { url } = await startHost({ MEDIA_SERVICE_TOKEN: 'secret-word' })
  const page = await open({}, url)
  await page.setInputFiles('input[type=file]', video)
  await page.getByLabel('Token').fill('secret-word')
  await page.getByRole('button', { name: 'Continue' }).click()
  await choose(page)
  await page.getByRole('button', { name: 'Make the motion photo' }).click()
  await page.locator('.result').waitFor()
  assert.is(await page.evaluate('sessionStorage.token'), 'secret-word')
  assert.not.match(String(await page.evaluate('JSON.stringify(localStorage)')), /secret-word/)
  assert.is(await page.evaluate('document.cookie'), '')
})

inBrowser('a photo is made by the keyboard alone', async () => {
  const page = await open()
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, '.drop button')
  await page.keyboard.press('Enter')
  await (await chooser).setFiles(video)
  await page.locator('.timeline').waitFor()
  await tabTo(page, '.handle.start')
  assert.is(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid')
  await page.keyboard.press('Shift+ArrowRight')
  await tabTo(page, '.editor > .main')
  await page.keyboard.press('Enter')
  await page.locator('.result').waitFor()
  await tabTo(page, '.result a')
  const photo = await savedBy(media, page, () => page.keyboard.press('Enter'))
  assert.is((await tagsOf(photo)).MotionPhoto, 1)
})

inBrowser('axe finds nothing to object to, in both languages and both colour schemes', async () => {
  for (const look of [
    { locale: 'en-US', colorScheme: 'light' },
    { locale: 'zh-CN', colorScheme: 'dark' },
  ] as const) {
    const page = await open(look)
    assert.equal(await accessProblems(page), [], `empty, ${look.locale}`)
    await choose(page)
    await page.locator('.more summary').click()
    assert.equal(await accessProblems(page), [], `editing, ${look.locale}`)
    await page.locator('.editor > .main').click()
    await page.locator('.result').waitFor()
    assert.equal(await accessProblems(page), [], `done, ${look.locale}`)
  }
})

inBrowser('more options: crop, turn, own picture, metadata and a Live Photo reach the file', async () => {
  const page = await open()
  await choose(page)
  await page.getByText('More options').click()
  assert.is(await page.getByLabel('Repeat').isDisabled(), true)
  assert.equal(await page.getByLabel('Cover picture').locator('option').allInnerTexts(), [
    'From the video',
    'My own picture',
  ])
  await page.getByLabel('Crop').selectOption('1:1')
  await page.getByLabel('Rotate').selectOption('90')
  await page.getByLabel('Details to keep').selectOption('none')
  await page.getByLabel('Ultra HDR').check()
  await page.getByRole('button', { name: 'Make the motion photo' }).click()
  await page.locator('.result').waitFor()
  assert.match(await page.locator('.result').innerText(), /no HDR: the video has none/)
  const first = await downloaded(page)
  assert.equal(await sizeOf(first), [180, 180])
  assert.is((await exiftool('-s3', '-DateTimeOriginal', first)).toString(), '')

  const picture = media.path('own.png')
  await sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
    .png()
    .toFile(picture)
  await page.getByLabel('Crop').selectOption('')
  await page.getByLabel('Cover picture').selectOption('file')
  await page.getByLabel('Picture file').setInputFiles(picture)
  assert.is(await page.getByLabel('Ultra HDR').isDisabled(), true)
  await page.getByLabel('Keep the sound').uncheck()
  await page.getByLabel('Repeat').fill('2')
  await page.getByLabel('Your phone').selectOption('apple')
  await page.getByRole('button', { name: 'Make the motion photo' }).click()
  await page.locator('.result').nth(1).waitFor()
  assert.match(await page.locator('.own').first().innerText(), /Should play: iPhone/)
  assert.equal(await page.evaluate(NATURAL_SIZE), [48, 64])
  const zip = await downloaded(page)
  const { format, clip } = JSON.parse((await runProgram(['inspect', '--json', zip])).stdout)
  assert.equal([format, clip.frames, clip.has_audio], ['live-photo', 180, false])
  assert.equal(page.complaints, [])
})

const NATURAL_SIZE = `{
  const image = document.querySelector('.live').shadowRoot.querySelector('img')
  image.decode().then(() => [image.naturalWidth, image.naturalHeight])
}`

/** The newest photo. @returns its path */
function downloaded(page: OpenPage, name = 'Download'): Promise<string> {
  return savedBy(media, page, () => page.getByRole('link', { name }).first().click())
}

async function sizeOf(path: string): Promise<unknown> {
  const { width, height } = await sharp(path).metadata()
  return [width, height]
}

inBrowser('of a video that the service has the size of a photo is told by parts of its preview', async () => {
  const page = await open()
  const asked: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.resourceType() === 'fetch' && /\/preview\//.test(request.url()))
      asked.push(request.headers().range)
  })
  await choose(page)
  await page.getByLabel('Full quality').uncheck()
  await page.getByText('More options').click()
  for (const [photos, shape] of ['', '1:1'].entries()) {
    await page.getByLabel('Crop').selectOption(shape)
    const told = await page.locator('.estimate dd[aria-busy=false]').innerText()
    await page.getByRole('button', { name: 'Make the motion photo' }).click()
    await page.locator('.result').nth(photos).waitFor()
    const { size } = await stat(await downloaded(page))
    const bytes = Number.parseFloat(told) * (told.endsWith('MB') ? 1e6 : 1e3)
    assert.ok(Math.abs(bytes / size - 1) < 0.25, `${told} of ${size} bytes`)
  }
  assert.ok(asked.length > 1 && asked.every((range) => /^bytes=\d+-\d+$/.test(range ?? '')), String(asked))
})

inBrowser('of a photo its own picture is offered, and notes are refused, in Chinese', async () => {
  const photo = media.path('source_MP.jpg')
  await mustRunProgram([video, '-qfo', photo, '--end', '1'])
  const page = await open({ locale: 'zh-CN' })
  await drop(page, 'notes.txt', new TextEncoder().encode('this is no video'), 'text/plain')
  await page
    .getByRole('alert')
    .filter({ hasText: /文件|无法读取/ })
    .waitFor()
  await page.setInputFiles('input[type=file]', photo)
  await page.getByRole('button', { name: '重新剪辑' }).click()
  await page.locator('.timeline').waitFor()
  await page.getByText('更多选项').click()
  await page.getByLabel('封面图片').selectOption('source')
  await page.getByRole('button', { name: '生成动态照片' }).click()
  await page.locator('.result').waitFor()
  assert.equal(await sizeOf(await downloaded(page, '下载')), await sizeOf(photo))
})

test.run()
