import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { browserPath, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, says } from '#support/browser/browserOfSuite'
import { serveStudio } from '#support/browser/serveStudio'
import { savedBy } from '#support/browser/studioSuite'
import { exiftool } from '#support/media/exiftool'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

// The studio as two files on a web server that knows nothing of it, and without a network after the first visit.

const test = suite('the studio on a web server', { timeoutMs: 200_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)
const media = await mediaFolderOfSuite()
const { open } = browserOfSuite(test)

inBrowser('it makes a photo, after the first visit also when the server is gone', async () => {
  const video = await media.make('VID_0002.mp4', film('320x240', 4))
  const { server, url } = await serveStudio()
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
  const photo = await savedBy(media, page, () => page.locator('.result a').first().click())
  assert.match((await exiftool('-s3', '-MotionPhoto', photo)).toString(), /^1\s*$/)
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
    const { server, url } = await serveStudio(other)
    const page = await open(url)
    for (const script of [other['studio-photos.js'], '']) {
      other['studio-photos.js'] = script
      await page.setInputFiles('input[type=file]', video)
      await says(page, 'Reload the page.')
    }
    other['studio-photos.js'] = newer
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.locator('.told').waitFor({ state: 'detached' })
    await page.setInputFiles('input[type=file]', video)
    await page.locator('.timeline').waitFor()
    server.closeAllConnections()
    server.close()
  },
)

inBrowser('it can be installed, opens what a phone shares with it, and is never an old version', async () => {
  const video = await media.make('VID_0004.mp4', film('320x240', 4))
  const another = await media.make('VID_0005.mp4', film('320x240', 2))
  const newer = await readFile('dist/local-runner/ui/studio.html', 'utf8')
  const other: Record<string, string> = {}
  const { server, url } = await serveStudio(other)
  const page = await open(url)
  const devtools = await page.context().newCDPSession(page)
  const { errors, manifest } = await devtools.send('Page.getAppManifest')
  assert.equal(errors, [])
  assert.equal(await devtools.send('Page.getInstallabilityErrors'), { installabilityErrors: [] })
  const { startUrl, shareTarget } = manifest as { startUrl: string; shareTarget: { action: string } }
  assert.equal([startUrl, shareTarget.action], [url, `${url}?share`])

  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  // As a phone's share sheet does it: a form that leads to the page, whose own policy lets it send none.
  const form = `<form method=post enctype=multipart/form-data action=${shareTarget.action}>`
  const share = async (path: string) => {
    const sharing = await page.context().newPage()
    await sharing.setContent(`${form}<input type=file name=file></form>`)
    await sharing.setInputFiles('input', path)
    return async () => {
      await sharing.evaluate('document.forms[0].submit()')
      await sharing.locator('.timeline').waitFor()
      await sharing.getByRole('heading', { name: basename(path) }).waitFor()
      assert.is(sharing.url(), url)
    }
  }
  // Two at once: each page opens its own.
  const shares = [await share(video), await share(another)]
  await Promise.all(shares.map((go) => go()))
  assert.equal(await page.evaluate('caches.keys()'), ['studio'])

  other['studio.html'] = newer.replace('</head>', '<meta name="newer"></head>')
  await page.goto('about:blank')
  await page.goto(url)
  await page.locator('meta[name=newer]').waitFor({ state: 'attached' })
  server.closeAllConnections()
  server.close()
})

test.run()
