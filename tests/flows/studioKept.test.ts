import { readFile } from 'node:fs/promises'
import { unzipSync } from 'fflate'
import type { OpenPage } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { cutOf, keptFiles, savedBy, studioSuite } from '#support/browser/studioSuite'
import { startNodeHost } from '#support/hosts/hosts'
import { film } from '#support/media/media'
import { freePort } from '#support/process/serverProcess'
import { assert } from '#support/runner/suite'
import { eventually } from '#support/values/until'

// What of one's work outlives a reload, Back and Forward, a second tab, and a service that is gone for a while.

const FILM = ['VID_0001.mp4', '320x240', 4] as const
const { test, inBrowser, media, video, open, host } = await studioSuite('what the studio keeps', FILM)
const other = await media.make('VID_0002.mp4', film('320x240', 5))

const rows = (page: OpenPage) => page.locator('.files li')
const state = (page: OpenPage, row: number) => rows(page).nth(row).locator('small').innerText()

/** Of each work that the browser keeps: the names of its files, and how many photos it has of each. */
async function kept(page: OpenPage): Promise<readonly (readonly string[])[]> {
  return (await keptFiles(page)).map((files) =>
    files.map(({ name, photos, cut, cover }) =>
      [name, photos.length, cut?.end ?? 0, cover !== undefined].join(' '),
    ),
  )
}

function keeps(page: OpenPage, pattern: RegExp): Promise<unknown> {
  return eventually(
    () => kept(page),
    (kept) => pattern.test(JSON.stringify(kept)),
  )
}

inBrowser(
  'a list outlives a reload with its cuts, its photos and a cover of one’s own; Forward opens what Back left',
  async () => {
    const page = await open(host().url)
    page.on('dialog', (dialog) => void dialog.accept())
    const cover = await media.make('cover.png', [...film('320x240', 1), '-c:v', 'png', '-frames:v', '1'])
    await page.setInputFiles('input[type=file]', [video, other])
    await page.getByRole('button', { name: 'Open VID_0002.mp4' }).click()
    await page.getByRole('slider', { name: 'End' }).press('PageUp')
    await page.getByText('More options').click()
    await page.getByLabel('Cover picture').selectOption('file')
    await page.getByLabel('Picture file').setInputFiles(cover)
    const chosen = await cutOf(page)
    await page.goBack()
    await rows(page).nth(1).waitFor()
    await page.goForward()
    await page.locator('.timeline').waitFor()
    assert.equal(await cutOf(page), chosen)
    await page.goBack()
    await page.getByRole('button', { name: 'Make all' }).click()
    await says(page, '2 files · 2 made')
    await keeps(page, /VID_0001.mp4 1 .*VID_0002.mp4 1 \d+ true/)

    await page.reload()
    await page.getByRole('button', { name: 'Continue 2 files' }).click()
    await says(page, '2 files · 2 made')
    assert.equal([await state(page, 0), await state(page, 1)], ['made', 'made'])
    await page.getByRole('button', { name: 'Open VID_0002.mp4' }).click()
    await page.locator('.result').waitFor()
    assert.equal(await cutOf(page), chosen)
    await page.getByText('More options').click()
    await says(page, 'cover.png')
    await page.goBack()

    await page.getByRole('button', { name: 'Clear the list' }).click()
    const leaving = page.getByRole('button', { name: 'Download, then leave' })
    const zip = await savedBy(media, page, () => leaving.click())
    const names = Object.keys(unzipSync(await readFile(zip)))
    assert.equal(names, ['VID_0001_2000ms_MP.jpg', 'VID_0002_2500ms_cover_MP.jpg'])
    await page.getByRole('button', { name: 'Continue 2 files' }).waitFor()
    // The step back follows the view, and has no event.
    await eventually(
      () => page.evaluate('history.state?.step ?? 0'),
      (step) => step === 0,
    )
    // The page's own: `goForward` counts from the step that the browser was last told of, which may be an older one.
    await page.evaluate('history.forward()')
    await says(page, '2 files · 2 made')
    assert.equal(page.complaints, [])
  },
)

inBrowser('a copy of the tab neither offers nor loses what is open in the first one', async () => {
  const first = await open(host().url)
  first.on('dialog', (dialog) => void dialog.accept())
  await first.setInputFiles('input[type=file]', video)
  await first.locator('.editor > .main').click()
  await first.locator('.result').waitFor()
  await keeps(first, /VID_0001.mp4 1/)
  const opening = first.context().waitForEvent('page')
  await first.evaluate('void window.open(location.href)')
  const second = Object.assign(await opening, { complaints: [] })
  await second.locator('.drop').waitFor()
  await second.setInputFiles('input[type=file]', other)
  await second.locator('.timeline').waitFor()
  await keeps(second, /VID_0001.mp4 1.*VID_0002.mp4 0/)
  assert.is(await second.locator('.kept').count(), 0)

  await first.reload()
  await first.getByRole('button', { name: 'Continue VID_0001.mp4' }).click()
  await first.locator('.result').waitFor()
  await second.reload()
  await second.getByRole('button', { name: 'Continue VID_0002.mp4' }).waitFor()
  await second.getByRole('button', { name: 'Forget it VID_0002.mp4' }).click()
  await keeps(second, /^\[\["VID_0001.mp4 1[^,]*\]\]$/)
})

inBrowser('what waits for a service that is gone is made once it is back', async () => {
  const port = String(await freePort())
  const service = await startNodeHost({ MEDIA_PORT: port })
  const old = await media.make('old.avi', [...film('320x240', 2), '-c:v', 'mpeg4'])
  const notes = await media.write('notes.mp4', 'no video')
  const page = await open(service.url)
  // By then all of the page is loaded.
  await page.setInputFiles('input[type=file]', video)
  await page.locator('.timeline').waitFor()
  await page.goBack()
  await page.locator('.drop').waitFor()
  await service.stop()
  await page.setInputFiles('input[type=file]', [old, notes, video])
  await page.getByRole('button', { name: 'Make all' }).click()
  await says(page, 'Files that wait for the service: 2.')
  assert.match(await state(page, 0), /^waiting · The service does not answer/)
  assert.is(await state(page, 2), 'made')
  const again = await startNodeHost({ MEDIA_PORT: port })
  await says(page, '3 files · 2 made')
  await eventually(
    () => state(page, 0),
    (text) => text.startsWith('cannot be made'),
  )
  assert.is(await state(page, 1), 'made')
  await again.stop()
})

inBrowser(
  'a photo is dragged out as a file, and all are saved into a folder beside what is there',
  async () => {
    const page = await open(host().url)
    await page.setInputFiles('input[type=file]', [video, other])
    await page.getByRole('button', { name: 'Make all' }).click()
    await says(page, '2 files · 2 made')
    await page.evaluate(`addEventListener('dragstart', ({ dataTransfer }) => {
    globalThis.dragged = dataTransfer.getData('DownloadURL')
  })`)
    const box = await page.locator('motion-photo').first().boundingBox()
    if (!box) throw new Error('There is no photo.')
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 20, { steps: 5 })
    await eventually(
      () => page.evaluate('globalThis.dragged'),
      (text) => /^image\/jpeg:VID_0001_2000ms_MP\.jpg:blob:http/.test(String(text)),
    )
    await page.mouse.up()

    // The browser's own folder, in place of one that a person picks.
    await page.evaluate('window.showDirectoryPicker = () => navigator.storage.getDirectory()')
    const save = page.getByRole('button', { name: 'Save into a folder' })
    for (let times = 1; times <= 2; times += 1) {
      await save.click()
      await eventually(
        () => page.evaluate(NAMES),
        (names) => (names as string[]).length === 2 * times,
      )
    }
    assert.equal(await page.evaluate(NAMES), [
      'VID_0001_2000ms-2_MP.jpg',
      'VID_0001_2000ms_MP.jpg',
      'VID_0002_2500ms-2_MP.jpg',
      'VID_0002_2500ms_MP.jpg',
    ])
    assert.equal([await state(page, 0), await state(page, 1)], ['downloaded', 'downloaded'])
  },
)

/** Of the files in the browser's own folder that are written: one that is being written may be gone when it is asked for. */
const NAMES = `(async () => {
  const names = []
  for await (const [name, handle] of (await navigator.storage.getDirectory()).entries())
    if ((await handle.getFile().catch(() => ({ size: 0 }))).size > 1000) names.push(name)
  return names.sort()
})()`

test.run()
