import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { assembleHeic } from '@lantern-room/formats/make'
import { normalizeClip } from '@lantern-room/mp4/clip'
import { build } from 'esbuild'
import type { BrowserContextOptions } from 'playwright-core'
import { accessProblems, browserPath, type OpenPage, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite } from '#support/browser/browserOfSuite'
import { servePictures } from '#support/browser/servePictures'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'

// The element on pages of a real browser, with pictures of a server that counts what it sends.

const test = suite('<motion-photo>', { timeoutMs: 60_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)
const { open } = browserOfSuite(test)
/** What may be fetched besides the clip, to find it. */
const MORE_BYTES = 33 * 1024

const media = await mediaFolderOfSuite()

const { outputFiles } = await build({
  entryPoints: ['core/player/define.ts'],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2022',
})
const component = outputFiles[0]?.text ?? ''

const files = new Map<string, Uint8Array | string>([['motion-photo.js', component]])
let site: Awaited<ReturnType<typeof servePictures>>
let foreign: typeof site
let clipBytes = 0

test.before(async () => {
  await media.make('clip.mp4', [...film('480x360', 1, 'sound'), '-b:v', '4M'])
  // Of noise, so that it is larger than what is read of a file at first.
  const noise = 'testsrc2=size=800x600,noise=alls=90'
  await media.make('cover.jpg', ['-f', 'lavfi', '-i', noise, '-frames:v', '1', '-q:v', '2'])
  await media.make('small.jpg', ['-i', media.path('cover.jpg'), '-vf', 'scale=160:-1'])
  await media.make('pair.mov', ['-i', media.path('clip.mp4'), '-c', 'copy'])
  const [cover, thumbnail, movie, pair] = await Promise.all(
    ['cover.jpg', 'small.jpg', 'clip.mp4', 'pair.mov'].map((name) => readFile(media.path(name))),
  )
  if (!cover || !thumbnail || !movie || !pair) throw new Error('no media')
  const clip = normalizeClip(movie)
  clipBytes = clip.length
  const parts = { thumbnail, presentationTimestampUs: 0, takenAt: undefined }
  const photo = assembleMotionPhoto({ ...parts, cover, clip, profile: 'universal', software: 'Test' })
  const other = assembleMotionPhoto({ ...parts, cover: thumbnail, clip, profile: 'universal', software: 'T' })
  files.set('other.jpg', other)
  const heic = new Uint8Array(await readFile('tests/fixtures/media/rotated.heic'))
  files.set('photo.jpg', photo)
  files.set('cut.jpg', photo.subarray(0, photo.length - 100_000))
  files.set('plain.jpg', cover)
  files.set('small.jpg', thumbnail)
  files.set('photo.heic', assembleHeic({ cover: heic, clip, profile: 'google', presentationTimestampUs: 0 }))
  files.set('pair.mov', pair)
  site = await servePictures(files)
  foreign = await servePictures(files)
})
test.after.each(() => void site.takeFetched())
test.after(() => {
  site.close()
  foreign.close()
})

test('is one module of at most 15 kB, with everything that it needs', () => {
  const size = gzipSync(component, { level: 9 }).length
  assert.ok(size <= 15_000, `${size} bytes`)
  assert.not.match(component, /\bimport\b[^.(]/)
})

inBrowser(
  'shows the picture, and fetches of its file only the clip, once the pointer rests on it',
  async () => {
    const page = await openElement('src="/ranges/photo.jpg" alt="A wave"')
    assert.equal(site.takeFetched(), [])
    await page.locator('motion-photo').hover()
    await page.waitForFunction("states.at(-1) === 'play'")
    const fetched = site.takeFetched()
    const bytes = fetched.reduce((sum, request) => sum + request.bytes, 0)
    assert.ok(bytes >= clipBytes && bytes <= clipBytes + MORE_BYTES, `${bytes} bytes for ${clipBytes}`)
    assert.ok(fetched.length <= 3 && fetched.every(({ range }) => range !== undefined))
    assert.is(await page.evaluate("element.shadowRoot.querySelector('video').muted"), true)

    await page.mouse.move(0, 0)
    await page.waitForFunction("states.at(-1) === 'pause' && element.state === 'idle'")
    await page.locator('motion-photo').hover()
    await page.waitForFunction("states.at(-1) === 'ended'")
    assert.equal(site.takeFetched(), [])
    assert.equal(await page.evaluate('states'), ['load', 'ready', 'play', 'pause', 'play', 'ended'])
  },
)

inBrowser('takes the whole file of a server without ranges', async () => {
  const page = await openElement('src="/whole/photo.jpg"')
  await page.locator('motion-photo').hover()
  await page.waitForFunction("states.at(-1) === 'play'")
  const [whole, ...others] = site.takeFetched()
  assert.equal([whole?.bytes, others], [files.get('photo.jpg')?.length, []])
})

inBrowser('on a slow line goes on where it was left, and leaves nothing for another picture', async () => {
  const page = await openElement('src="/gated/photo.jpg"')
  const half = () => site.requests.find(({ bytes, range }) => range && bytes > 100_000)
  await page.locator('motion-photo').hover()
  await until(page, () => half() !== undefined)
  await page.waitForFunction('received > 100_000')
  await page.mouse.move(0, 0)
  await until(page, () => half()?.isCut === true)
  const before = site.takeFetched().reduce((sum, request) => sum + request.bytes, 0)
  await page.locator('motion-photo').hover()
  await until(page, () => half() !== undefined)
  site.release()
  await page.waitForFunction("states.at(-1) === 'play'")
  const after = site.takeFetched().reduce((sum, request) => sum + request.bytes, 0)
  assert.ok(before + after <= clipBytes + MORE_BYTES, `${before} and ${after} bytes for ${clipBytes}`)

  const address = await page.evaluate<string>("element.shadowRoot.querySelector('video').src")
  assert.match(address, /^blob:/)
  await page.evaluate("element.src = '/gated/photo.jpg?other'")
  assert.is(await page.evaluate(`fetch('${address}').then(() => 'kept', () => 'revoked')`), 'revoked')
  await page.evaluate('void element.play()')
  await until(page, () => half() !== undefined)
  await page.evaluate('element.remove()')
  await until(page, () => half()?.isCut === true)
  assert.is(await page.evaluate('element.state'), 'idle')
})

inBrowser('reads a file anew that has changed since its last part came', async () => {
  const photo = files.get('photo.jpg') ?? ''
  const page = await openElement('poster="/ranges/small.jpg" src="/gated/photo.jpg"')
  await page.locator('motion-photo').hover()
  await page.waitForFunction('received > 100_000')
  await page.mouse.move(0, 0)
  site.takeFetched()
  files.set('photo.jpg', files.get('other.jpg') ?? '')
  await page.evaluate('void element.play()')
  for (let isPlaying = false; !isPlaying; ) {
    site.release()
    isPlaying = await page.evaluate("states.at(-1) === 'play'")
    assert.is(await page.evaluate('element.error?.code'), undefined)
  }
  files.set('photo.jpg', photo)
})

inBrowser('plays by focus and by keys, by a long press, and once when it comes into view', async () => {
  const page = await openElement('src="/ranges/photo.jpg" loop')
  await page.keyboard.press('Tab')
  await page.waitForFunction("states.at(-1) === 'play'")
  await page.keyboard.press('Enter')
  await page.waitForFunction("states.at(-1) === 'pause'")
  await page.keyboard.press('Space')
  await page.waitForFunction("states.at(-1) === 'play'")
  await page.keyboard.press('Escape')
  await page.waitForFunction("states.at(-1) === 'pause'")

  await page.evaluate(`{
    globalThis.clicks = 0
    element.addEventListener('click', () => { clicks += 1 })
    globalThis.touch = (type, timeStamp) => {
      const options = { pointerType: 'touch', composed: true, bubbles: true, cancelable: true, clientX: 90, clientY: 90 }
      const event = new PointerEvent(type, options)
      if (timeStamp !== undefined) Object.defineProperty(event, 'timeStamp', { value: timeStamp })
      element.shadowRoot.querySelector('.picture').dispatchEvent(event)
      return event.timeStamp
    }
  }`)
  const press = async (lasts?: number) => {
    const began = await page.evaluate<number>("touch('pointerdown')")
    await page.waitForFunction("states.at(-1) === 'play'")
    await page.evaluate(`touch('pointerup', ${lasts && began + lasts})`)
    await page.waitForFunction("states.at(-1) === 'pause'")
    await page.evaluate("touch('click')")
  }
  await press()
  assert.is(await page.evaluate('clicks'), 0)
  // A short press whose end is handled late is still a tap.
  await press(100)
  assert.is(await page.evaluate('clicks'), 1)

  await page.evaluate("states.length = 0; element.loop = false; element.setAttribute('autoplay-once', '')")
  await page.waitForFunction("states.join() === 'play,ended'")
})

inBrowser('with less motion or less data wanted, moves by a press or key alone', async () => {
  for (const options of [{ reducedMotion: 'reduce' } as const, 'saveData'] as const) {
    const page = await openElement('src="/ranges/photo.jpg" autoplay-once', options)
    await page.locator('motion-photo').hover()
    await page.keyboard.press('Tab')
    await page.waitForTimeout(500)
    assert.equal([await page.evaluate('states'), site.takeFetched()], [['load'], []])
    await page.keyboard.press('Enter')
    await page.waitForFunction("states.at(-1) === 'play'")
    await page.context().close()
  }
})

inBrowser('has its sound off until that is asked for', async () => {
  const page = await openElement('src="/ranges/photo.jpg" loop')
  await page.locator('motion-photo').hover()
  await page.waitForFunction("states.at(-1) === 'play'")
  const sound = page.getByRole('button', { name: 'Sound' })
  assert.is(await sound.getAttribute('aria-pressed'), 'false')
  await sound.click()
  await page.waitForFunction(
    "!element.shadowRoot.querySelector('video').muted && element.state === 'playing'",
  )
  assert.is(await sound.getAttribute('aria-pressed'), 'true')
  assert.is(await page.evaluate('element.sound'), true)
})

const FAILURES: Readonly<Record<string, readonly [attributes: string, code: string]>> = {
  'a plain picture': ['src="/ranges/plain.jpg"', 'no-clip'],
  'a cut file': ['src="/ranges/cut.jpg"', 'damaged'],
  'a broken connection': ['poster="/ranges/plain.jpg" src="/drop/photo.jpg"', 'unreachable'],
  'a picture that may not be had': ['src="/refused/photo.jpg"', 'refused'],
  'a movie that is not there': ['src="/ranges/photo.jpg" video="/ranges/none.mov"', 'refused'],
  'a movie that is none': ['src="/ranges/photo.jpg" video="/ranges/plain.jpg"', 'clip-format'],
  'a site that lets nobody read': ['src="FOREIGN/ranges/photo.jpg"', 'cors'],
}

inBrowser('says by a code and a sentence why nothing plays, and keeps the picture', async () => {
  const page = await openElement('')
  for (const [what, [attributes, code]] of Object.entries(FAILURES)) {
    await page.evaluate(`show(${JSON.stringify(attributes.replace('FOREIGN', foreign.url))})`)
    await page.evaluate('element.play()')
    await page.waitForFunction('states.includes("error")')
    assert.is(await page.evaluate('element.error.code'), code, what)
    const said = await page.evaluate<string>("element.shadowRoot.querySelector('[role=status]').textContent")
    assert.is(said, await page.evaluate('element.error.message'), what)
    assert.ok(said.length > 20, what)
    const isShown = "element.shadowRoot.querySelector('img').naturalWidth > 0"
    if (code !== 'refused') assert.ok(await page.evaluate(isShown), what)
  }
})

inBrowser('plays of another site what that lets pages read, and the movie of a Live Photo', async () => {
  const page = await openElement('')
  for (const attributes of [
    `src="${foreign.url}/open/photo.jpg"`,
    'src="/ranges/plain.jpg" video="/ranges/pair.mov"',
    `src="/ranges/plain.jpg" video="${foreign.url}/ranges/pair.mov"`,
  ]) {
    await page.evaluate(`show(${JSON.stringify(attributes)})`)
    await page.locator('motion-photo').hover()
    await page.waitForFunction("states.at(-1) === 'play'")
    await page.mouse.move(0, 0)
  }
})

inBrowser('of a HEIC that the browser does not show says so, and plays its clip', async () => {
  const page = await openElement('src="/ranges/photo.heic" alt="A harbour"')
  await page.waitForFunction("element.error?.code === 'picture-format'")
  assert.match(await page.evaluate('element.error.message'), /cannot show this kind of picture/)
  assert.equal(await accessProblems(page), [])
  await page.getByRole('button', { name: /A harbour/ }).click()
  await page.waitForFunction("states.at(-1) === 'ended'")
  await page.evaluate(
    'show(\'src="/ranges/photo.heic"\'); element.innerHTML = \'<p slot="fallback">Harbour</p>\'',
  )
  await page.waitForFunction("element.error?.code === 'picture-format'")
  assert.ok(await page.getByText('Harbour').isVisible())
  assert.is(await page.getByText('This browser').count(), 0)
  await page.evaluate("document.documentElement.lang = 'zh-CN'; show('src=\"/ranges/photo.heic\"')")
  await page.waitForFunction("element.error?.message.includes('浏览器')")
})

const examples = [...(await readFile('docs/player.md', 'utf8')).matchAll(/^```html\n(.*?)^```$/gms)]

for (const [index, [, example = '']] of examples.entries())
  inBrowser(`example ${index + 1} of its page is accessible and plays`, async () => {
    files.set('example.html', example)
    const page = await open(`${site.url}/ranges/example.html`)
    await page.waitForFunction(
      "document.querySelector('motion-photo').shadowRoot?.querySelector('img').naturalWidth > 0",
    )
    assert.equal(await accessProblems(page), [])
    await page.locator('motion-photo').hover()
    await page.waitForFunction("document.querySelector('motion-photo').state === 'playing'")
    if (example.includes('autoplay-once')) await page.getByText('played', { exact: true }).waitFor()
    assert.equal(page.complaints, [])
  })

inBrowser('is accessible, at rest and while it plays', async () => {
  const page = await openElement('src="/ranges/photo.jpg" alt="A wave" loop')
  assert.equal(await accessProblems(page), [])
  await page.getByRole('button', { name: 'Play the moving picture: A wave' }).click()
  await page.waitForFunction("states.at(-1) === 'play'")
  assert.equal(await accessProblems(page), [])
  assert.ok(await page.getByRole('button', { name: 'Stop the moving picture' }).isVisible())
  assert.equal(page.complaints, [])
})

/** A page with one such element, once its picture is shown. `states` has the events. */
async function openElement(attributes: string, options: BrowserContextOptions | 'saveData' = {}) {
  const isSaving = options === 'saveData'
  const saving = isSaving
    ? "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
    : ''
  files.set(
    'page.html',
    `<!doctype html><html lang="en"><title>Test</title><main><h1>Pictures</h1>
    <motion-photo width="400" ${attributes}></motion-photo></main>
    <script>${saving}
    const states = []
    let received = 0
    const reader = ReadableStreamDefaultReader.prototype
    const { read } = reader
    reader.read = async function () {
      const step = await read.call(this)
      received += step.value?.length ?? 0
      return step
    }
    let element
    const listen = () => {
      states.length = 0
      element = document.querySelector('motion-photo')
      for (const type of ['load', 'ready', 'play', 'pause', 'ended', 'error'])
        element.addEventListener(type, () => states.push(type))
    }
    const show = (attributes) => {
      document.querySelector('main').innerHTML = '<motion-photo width="400" ' + attributes + '></motion-photo>'
      listen()
    }
    listen()
    </script><script type="module" src="/ranges/motion-photo.js"></script>`,
  )
  const page = await open(`${site.url}/ranges/page.html`, isSaving ? {} : options)
  if (attributes !== '') await page.waitForFunction('states.length > 0')
  site.takeFetched()
  return page
}

/** Waits for something that the server sees. */
async function until(page: OpenPage, isTrue: () => boolean): Promise<void> {
  for (let frames = 0; !isTrue(); frames++) {
    if (frames > 3000) throw new Error('The server saw nothing of it.')
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
}

test.run()
