import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { browserPath, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, says } from '#support/browser/browserOfSuite'
import { exiftool } from '#support/media/exiftool'
import { film, mediaFolderOf } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

// The studio as two files on a web server that knows nothing of it, and without a network after the first visit.

const test = suite('the studio on a web server', { timeoutMs: 200_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)
const media = await mediaFolderOf(test)
const { open } = browserOfSuite(test)

const TYPES: Readonly<Record<string, string>> = {
  'studio.html': 'text/html; charset=utf-8',
  'studio-worker.js': 'text/javascript; charset=utf-8',
  'studio-photos.js': 'text/javascript; charset=utf-8',
}

/** A web server with the files of the studio, and none of those that `other` says something else of. */
async function serve(other: Readonly<Record<string, string>> = {}) {
  const server = createServer(async ({ url = '' }, response) => {
    const name = basename(new URL(url, 'http://a').pathname)
    const type = TYPES[name]
    if (type === undefined || other[name] === '') response.writeHead(404).end()
    else {
      const file = await readFile(`dist/local-runner/ui/${name}`)
      response.writeHead(200, { 'Content-Type': type }).end(other[name] ?? file)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}/tools/studio.html` }
}

inBrowser('it makes a photo, after the first visit also when the server is gone', async () => {
  const video = await media.make('VID_0002.mp4', film('320x240', 4))
  const { server, url } = await serve()
  const page = await open(url)
  await page.evaluate(`(async () => {
    while (!(await caches.match(location.pathname))) await new Promise((resolve) => setTimeout(resolve, 20))
  })()`)
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))

  await page.goto(`${url}?utm=1`)
  await page.locator('#content').waitFor()
  await page.setInputFiles('input[type=file]', video)
  await says(page, 'does not leave this device')
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.result a').first().click(),
  ])
  assert.match((await exiftool('-s3', '-MotionPhoto', await download.path())).toString(), /^1\s*$/)
  // What was never visited is not there.
  await rejection(page.goto(url.replace('studio', 'other')))
  assert.equal(page.complaints, [])
})

inBrowser(
  'the page before a file is small, and says when the rest of it is gone or of another version',
  async () => {
    const html = await readFile('dist/local-runner/ui/studio.html', 'utf8')
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(html) ?? []
    assert.ok(script.length > 0 && gzipSync(script).length < 60_000, String(gzipSync(script).length))
    const video = await media.make('VID_0003.mp4', film('320x240', 4))
    const newer = await readFile('dist/local-runner/ui/studio-photos.js', 'utf8')
    const other = {
      'studio-worker.js': '',
      'studio-photos.js': newer.replace('sha256-', 'sha256-of-another'),
    }
    const { server, url } = await serve(other)
    const page = await open(url)
    for (const script of [other['studio-photos.js'], '']) {
      other['studio-photos.js'] = script
      await page.setInputFiles('input[type=file]', video)
      await says(page, 'Reload the page.')
    }
    other['studio-photos.js'] = newer
    await page.setInputFiles('input[type=file]', video)
    await page.locator('.timeline').waitFor()
    server.closeAllConnections()
    server.close()
  },
)

test.run()
