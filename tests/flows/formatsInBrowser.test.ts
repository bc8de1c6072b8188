import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  assembleMotionPhoto,
  bytesSource,
  cutClip,
  inspect,
  presentationTimestampUs,
  readNow,
} from '@lantern-room/formats'
import type { Browser } from 'playwright-core'
import { browserPath, launchBrowser, WHY_NO_BROWSER } from '#support/browser/browser'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// The library of formats as `npm run build` writes it, in a browser: it has no imports, and its bytes are those of Node.

const test = suite('core/formats in a browser', { timeoutMs: 60_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

const RANGE = { stream: 0, start: 0.7, end: 3.7, speed: 1 }
const SOFTWARE = 'Formats 1'

const folder = await mediaFolderOfSuite()
let site: Server
let browser: Browser | undefined

test.before(async () => {
  await folder.make('video.mp4', [...film('320x240', 5, 'sound'), '-g', '30'])
  await folder.make('cover.jpg', ['-i', folder.path('video.mp4'), '-frames:v', '1'])
  site = await serve()
  browser = await launchBrowser()
})
test.after(async () => {
  await browser?.close()
  site.close()
})

inBrowser('an MP4 of a File becomes a motion photo, byte by byte the one of Node', async () => {
  const video = new Uint8Array(await readFile(folder.path('video.mp4')))
  const cover = new Uint8Array(await readFile(folder.path('cover.jpg')))
  const clip = await cutClip(bytesSource(video), RANGE)
  if (!clip.mp4) throw new Error(clip.problem)
  const expected = assembleMotionPhoto({
    profile: 'universal',
    cover,
    thumbnail: cover,
    clip: clip.mp4,
    presentationTimestampUs: presentationTimestampUs(1.5, clip.times),
    takenAt: undefined,
    software: SOFTWARE,
  })
  assert.is(readNow(inspect({ size: expected.length }), expected).clip?.durationSeconds, 3)

  const page = await (await browser?.newContext())?.newPage()
  const { port } = site.address() as AddressInfo
  await page?.goto(`http://127.0.0.1:${port}/`)
  await page?.setInputFiles('#video', folder.path('video.mp4'))
  await page?.setInputFiles('#cover', folder.path('cover.jpg'))
  const made = await page?.evaluate(photoOfPage, { range: RANGE, software: SOFTWARE })
  assert.equal(made?.galleries, ['google', 'samsung', 'xiaomi', 'oppo', 'vivo', 'android'])
  assert.is(Buffer.compare(Buffer.from(made?.base64 ?? '', 'base64'), expected), 0)
})

/** Runs in the page. */
async function photoOfPage({ range, software }: { range: typeof RANGE; software: string }) {
  const address: string = '/formats.mjs'
  const formats: typeof import('@lantern-room/formats') = await import(address)
  const { document } = globalThis as unknown as {
    readonly document: { getElementById(id: string): { readonly files: readonly [Blob] } }
  }
  const fileOf = (id: string) => document.getElementById(id).files[0]
  const cover = new Uint8Array(await fileOf('cover').arrayBuffer())
  const clip = await formats.cutClip(formats.blobSource(fileOf('video')), range)
  if (!clip.mp4) throw new Error(clip.problem)
  const photo = formats.assembleMotionPhoto({
    profile: 'universal',
    cover,
    thumbnail: cover,
    clip: clip.mp4,
    presentationTimestampUs: formats.presentationTimestampUs(1.5, clip.times),
    takenAt: undefined,
    software,
  })
  const { galleries } = await formats.readFrom(
    formats.inspect({ size: photo.length }),
    formats.blobSource(new Blob([photo as Uint8Array<ArrayBuffer>])),
  )
  return {
    galleries: galleries.filter(({ plays }) => plays).map(({ gallery }) => gallery),
    base64: btoa(Array.from(photo, (byte) => String.fromCharCode(byte)).join('')),
  }
}

async function serve(): Promise<Server> {
  const library = await readFile(join(projectRoot, 'dist/formats/formats.mjs'))
  assert.not.match(library.toString(), /\bimport\b[^.(]/, 'it has no imports')
  const server = createServer(({ url }, response) => {
    const isLibrary = url === '/formats.mjs'
    response.setHeader('Content-Type', isLibrary ? 'text/javascript' : 'text/html')
    response.end(isLibrary ? library : '<input type="file" id="video"><input type="file" id="cover">')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

test.run()
