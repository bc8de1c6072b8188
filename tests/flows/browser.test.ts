import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { browserPath, launchBrowser, WHY_NO_BROWSER } from '#support/browser/browser'
import { type Host, startNodeHost } from '#support/hosts/hosts'
import { mediaFolderOfSuite } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { bytesOf, convert, type Prepared, prepared } from '../contract/http/requests'

const test = suite('a browser', { timeoutMs: 60_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)

const media = await mediaFolderOfSuite()
let host: Host
let site: Server
let browser: Browser | undefined
let page: Page | undefined
let session: Prepared
let photo: Uint8Array

test.before(async () => {
  host = await startNodeHost()
  session = await prepared(host, await readFile(await makeVideo()))
  const range = { range_start: '1', range_end: '3', cover_time: '2', speed: '1' }
  photo = await bytesOf(await convert(host, { session_id: session.session_id, ...range }))
  site = await serveIsolatedSite()
  if (browserPath) browser = await launchBrowser([], '--autoplay-policy=no-user-gesture-required')
  page = await browser?.newPage()
})

test.after(async () => {
  await browser?.close()
  site?.close()
  await host?.stop()
})

inBrowser('shows the motion photo as a picture at full size', async () => {
  assert.equal(await inIsolatedPage('pictureSize', '/photo.jpg'), [480, 270])
})

inBrowser('plays the embedded clip to its end', async () => {
  const played = await inIsolatedPage<{ how: string; duration: number; at: number; height: number }>(
    'playToEnd',
    '/clip.mp4',
  )
  assert.is(played.how, 'ended')
  assert.ok(Math.abs(played.duration - 2) < 1 / 30, `the clip lasts ${played.duration} s`)
  assert.ok(played.at > 1.9)
  assert.is(played.height, 270)
})

inBrowser(
  'seeks in the preview from a cross-origin isolated page, to the frame that was asked for',
  async () => {
    const seen = await inIsolatedPage<{ isIsolated: boolean; greys: number[] }>(
      'greysAt',
      session.preview_url,
      [0.5, 3.5, 1.5],
    )
    assert.is(seen.isIsolated, true)
    // The picture grows lighter second by second: 40, 80, 120, 160.
    for (const [index, expected] of [40, 160, 80].entries()) {
      assert.ok(Math.abs((seen.greys[index] ?? -1) - expected) <= 6, `greys ${seen.greys}`)
    }
  },
)

inBrowser('plays the preview in a plain video tag of an isolated page', async () => {
  const duration = await inIsolatedPage<number>('plainDuration', session.preview_url)
  assert.ok(Math.abs(duration - session.duration) < 0.1, `it lasts ${duration} s`)
})

inBrowser('reads errors across origins, with credentials', async () => {
  const answer = await inIsolatedPage<{ status: number; body: { code: string } }>(
    'post',
    `${host.url}/cleanup`,
    { session_id: 'unknown' },
  )
  assert.is(answer.status, 404)
  assert.is(answer.body.code, 'not-found')
})

/** Calls a function of tests/fixtures/browser/page.js in a page of another origin. */
async function inIsolatedPage<T>(name: string, ...args: readonly unknown[]): Promise<T> {
  if (!page) throw new Error('no browser')
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const result = await page.evaluate(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`)
  return result as T
}

/** Another origin than the service's, isolated as pages are that use shared memory. */
async function serveIsolatedSite(): Promise<Server> {
  const motionPhoto = readMotionPhoto(photo)
  if (!motionPhoto?.clip) throw new Error('no motion photo came back')
  const { offset, length } = motionPhoto.clip
  const files: Record<string, [string, Uint8Array]> = {
    '/': ['text/html', new TextEncoder().encode('<!doctype html><script src="page.js"></script>')],
    '/page.js': ['text/javascript', await readFile(join(projectRoot, 'tests/fixtures/browser/page.js'))],
    '/photo.jpg': ['image/jpeg', photo],
    '/clip.mp4': ['video/mp4', photo.subarray(offset, offset + length)],
  }
  const server = createServer((request, response) => {
    const [type, body] = files[request.url ?? ''] ?? ['text/plain', new Uint8Array()]
    response.writeHead(files[request.url ?? ''] ? 200 : 404, {
      'Content-Type': type,
      'Content-Length': body.length,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Four seconds, each of one grey. */
function makeVideo(): Promise<string> {
  const second = (level: number) => `color=0x${level.toString(16).repeat(3)}:s=480x270:r=30:d=1,format=rgb24`
  return media.make('video.mp4', [
    ...[40, 80, 120, 160].flatMap((level) => ['-f', 'lavfi', '-i', second(level)]),
    ...['-f', 'lavfi', '-i', 'sine=440:d=4', '-filter_complex', '[0][1][2][3]concat=n=4,format=yuv420p[v]'],
    ...['-map', '[v]', '-map', '4:a', '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'],
  ])
}

test.run()
