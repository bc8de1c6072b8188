import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect, readNow } from '@lantern-room/formats'
import { renderSVG } from 'uqr'
import { accessProblems, launchBrowser, type OpenPage, openPage } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { savedBy, studioSuite } from '#support/browser/studioSuite'
import { startNodeHost } from '#support/hosts/hosts'
import { exiftool } from '#support/media/exiftool'
import { runProgram } from '#support/process/commandLine'
import { projectRoot, startServer } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'

// What the studio says and makes for the user's phone.

const FILM = ['VID_0001.mp4', '640x360', 2] as const
const { test, inBrowser, media, video, open, host } = await studioSuite('the studio and phones', FILM)

async function make(page: OpenPage): Promise<void> {
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
}

/** @returns the path of what a press saves */
function saved(page: OpenPage, role: 'button' | 'link', name: string): Promise<string> {
  return savedBy(media, page, () => page.getByRole(role, { name }).first().click())
}

async function galleriesOf(path: string): Promise<string[]> {
  const photo = await readFile(path)
  const { galleries } = readNow(inspect({ size: photo.length }), photo)
  return galleries.filter(({ plays }) => plays).map(({ gallery }) => gallery)
}

/** Of the still in the clip, in microseconds. */
async function momentOf(path: string): Promise<number> {
  return JSON.parse((await runProgram(['inspect', '--json', path])).stdout).presentation_timestamp_us
}

inBrowser(
  'the phone is asked for once; its verdict comes first, one for others is a press away',
  async () => {
    const page = await open(host().url)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.setInputFiles('input[type=file]', video)
    await page.getByLabel('Your phone').selectOption('samsung')
    await page.locator('.editor > .main').click()
    const own = page.locator('.own')
    assert.match(await own.innerText(), /^Should play: Samsung\s+Reported to play on: .*Galaxy S24/)
    assert.is(await page.locator('.verdicts').isVisible(), false)
    await says(page, 'never as a picture in a chat')
    await page.getByText('Other phones').click()
    await page.getByRole('button', { name: 'Make one for Huawei, Honor' }).click()
    await page.locator('.result').nth(1).waitFor()
    assert.match(await own.first().innerText(), /^Does not play: Samsung/)
    assert.ok((await galleriesOf(await saved(page, 'link', 'Download'))).includes('huawei'))
    assert.equal(await accessProblems(page), [])
    await page.reload()
    await page.setInputFiles('input[type=file]', video)
    assert.is(await page.getByLabel('Your phone').inputValue(), 'samsung')
    await page.getByLabel('Your phone').selectOption('huawei')
    await page.locator('.editor > .main').click()
    await says(page, 'By its marks; not seen on a phone yet.')
    await page.getByLabel('Your phone').selectOption('apple')
    await page.locator('.editor > .main').click()
    await says(page, 'Should play: iPhone')
    await says(page, 'put both files into Photos on a Mac')
    assert.equal(page.complaints, [])
  },
)

inBrowser('a photo is shared where the browser can, and counts as saved then', async () => {
  const page = await open(host().url, { locale: 'zh-CN', colorScheme: 'dark' })
  await page.addInitScript(`
    navigator.canShare = ({ files }) => files.length === 1
    navigator.share = async ({ files }) => { window.shared = files[0].name + ' ' + files[0].type }
  `)
  await page.reload()
  await page.locator('#content').waitFor()
  await page.getByRole('button', { name: '选择文件' }).waitFor()
  await make(page)
  assert.equal(await accessProblems(page), [])
  await page.getByRole('button', { name: '分享' }).click()
  assert.is(await page.evaluate('window.shared'), 'VID_0001_MP.jpg image/jpeg')
  await page.getByRole('button', { name: '换一个文件' }).click()
  await says(page, /把视频拖到这里/)
})

inBrowser(
  'of a photo a GIF and one for iPhones are made, and without a service its clip is cut',
  async () => {
    const other = await startNodeHost()
    const page = await open(other.url)
    page.on('dialog', (dialog) => void dialog.accept())
    await make(page)
    const photo = await saved(page, 'link', 'Download')
    await page.getByRole('button', { name: 'Another file' }).click()
    await page.setInputFiles('input[type=file]', photo)
    assert.is((await readFile(await saved(page, 'button', 'Save a GIF'))).subarray(0, 4).toString(), 'GIF8')
    await page.getByRole('button', { name: 'Make one for iPhone' }).click()
    await page.locator('.result').waitFor()
    assert.is(await page.evaluate('document.activeElement.textContent'), 'Your motion photos')
    const zip = await saved(page, 'link', 'Download')
    const { format, clip } = JSON.parse((await runProgram(['inspect', '--json', zip])).stdout)
    assert.equal([format, clip.frames], ['live-photo', 60])
    assert.equal(await accessProblems(page), [])

    await other.stop()
    await page.getByRole('button', { name: 'Another file' }).click()
    await page.setInputFiles('input[type=file]', photo)
    await page.getByRole('button', { name: 'Cut again' }).waitFor()
    assert.is(await page.getByRole('button', { name: /Save a GIF|Make one/ }).count(), 0)
    const still = await readFile(await saved(page, 'button', 'Save the still'))
    assert.throws(() => readNow(inspect({ size: still.length }), still), /without a video/)
    await page.getByRole('button', { name: 'Another file' }).click()
    const whole = await readFile(photo, 'latin1')
    const buffer = Buffer.from(whole.replace(/(?<="video\/mp4"[^>]*Item:Length=")\d/s, '0'), 'latin1')
    await page.setInputFiles('input[type=file]', { name: 'broken.jpg', mimeType: 'image/jpeg', buffer })
    const mended = await saved(page, 'button', 'Save the mended photo')
    assert.ok((await galleriesOf(mended)).includes('google'))
    await page.getByRole('button', { name: 'Cut again' }).click()
    await page.locator('.timeline').waitFor()
    await page.locator('.editor > .main').click()
    assert.ok((await galleriesOf(await saved(page, 'link', 'Download'))).includes('google'))
  },
)

inBrowser("one for another phone keeps the photo's own place, maker, hour and moment", async () => {
  const photo = media.path('holiday.jpg')
  const made = await runProgram([video, '--cover', '0.7', '-o', photo])
  assert.is(made.exit, 0, made.stderr)
  const tags = ['Make', 'Model', 'LensModel', 'ImageDescription', 'DateTimeOriginal', 'OffsetTimeOriginal']
  const values = ['Acme', 'One', 'Acme 24mm', 'At the lake', '2024:05:06 15:30:10', '+09:00']
  const place = ['-GPSLatitude=35.6895', '-GPSLatitudeRef=N', '-GPSLongitude=139.6917', '-GPSLongitudeRef=E']
  const written = tags.map((tag, at) => `-EXIF:${tag}=${values[at]}`)
  await exiftool('-overwrite_original', ...written, ...place, photo)

  const page = await open(host().url)
  page.on('dialog', (dialog) => void dialog.accept())
  await page.setInputFiles('input[type=file]', photo)
  await page.getByRole('button', { name: 'Make one for iPhone' }).waitFor()
  await page.getByRole('button', { name: 'Make one for Huawei, Honor' }).click()
  await page.locator('.result').waitFor()
  const other = await saved(page, 'link', 'Download')
  assert.ok((await galleriesOf(other)).includes('huawei'))
  const asked = [...tags, 'GPSPosition'].map((tag) => `-${tag}`)
  const [before, after] = [photo, other].map((path) => exiftool('-s2', '-n', ...asked, path))
  assert.is(String(await after), String(await before))
  assert.match(String(await after), /GPSPosition: 35\.689\d* 139\.691/)
  assert.equal([await momentOf(photo), await momentOf(other)], [700_000, 700_000])
  assert.equal(page.complaints, [])
})

inBrowser(
  'with --phone the network is let in by a token, and photos come to a phone by a QR code',
  async () => {
    const main = join(projectRoot, 'dist/local-runner/main.mjs')
    const lasting = 'a-token-that-lasts'
    const settings = { MEDIA_PORT: '0', DATA_DIR: media.path('phone'), MEDIA_SERVICE_TOKEN: lasting }
    const server = startServer([main, 'media', '--phone'], settings)
    const browser = await launchBrowser(['studio.lan'])
    try {
      const [printed] = await server.said(/^http:\S+#token=\S+$/m)
      await server.said(/▄/)
      assert.match(server.stdout(), /listening on http:\/\/0\.0\.0\.0:/)
      const at = new URL(printed)
      assert.is((await fetch(`${at.origin}/health`)).status, 401)
      const headers = { Authorization: `Bearer ${lasting}` }
      assert.is((await fetch(`${at.origin}/health`, { headers })).status, 200)
      assert.not.ok(server.stdout().includes(lasting), 'a screen shows no token that lasts')
      at.hostname = 'studio.lan'
      const page = await openPage(browser, at.href)
      const id = page
        .waitForRequest((request) => request.method() === 'PUT')
        .then((request) => request.url().replace(/.*\//, ''))
      await make(page)
      const made = await readFile(await saved(page, 'link', 'Download'))
      await page.getByRole('button', { name: 'QR code for a phone' }).click()
      const link = `${at.href}&photo=universal.source.${await id}`
      const code = page.getByRole('img', { name: 'A QR code by which your phone gets the photo' })
      assert.is(await code.getAttribute('src'), `data:image/svg+xml,${encodeURIComponent(renderSVG(link))}`)
      const phone = await openPage(browser, link, { viewport: { width: 360, height: 640 }, isMobile: true })
      assert.is(Buffer.compare(await readFile(await saved(phone, 'link', 'Download')), made), 0)
      assert.is(await phone.evaluate('location.hash'), '')
      assert.equal([...page.complaints, ...phone.complaints], [])
      await page.route('**/uploads/*', (route) => route.abort())
      await page.getByRole('button', { name: 'Another file' }).click()
      await make(page)
      await page.getByRole('button', { name: 'QR code for a phone' }).click()
      await says(page, 'The service does not answer.')
    } finally {
      await browser.close()
      await server.end()
    }
  },
)

test.run()
