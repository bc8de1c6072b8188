import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
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
}

inBrowser('it makes a photo, after the first visit also when the server is gone', async () => {
  const video = await media.make('VID_0002.mp4', film('320x240', 4))
  const server = createServer(async ({ url = '' }, response) => {
    const name = basename(new URL(url, 'http://a').pathname)
    const type = TYPES[name]
    if (type === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'Content-Type': type }).end(await readFile(`dist/local-runner/ui/${name}`))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const page = await open(`http://127.0.0.1:${port}/tools/studio.html`)
  await page.evaluate(`(async () => {
    while (!(await caches.match(location.pathname))) await new Promise((resolve) => setTimeout(resolve, 20))
  })()`)
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))

  await page.goto(`http://127.0.0.1:${port}/tools/studio.html?utm=1`)
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
  await rejection(page.goto(`http://127.0.0.1:${port}/tools/other.html`))
  assert.equal(page.complaints, [])
})

test.run()
