import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { inspect, readNow } from '@lantern-room/formats'
import { unzipSync } from 'fflate'
import { accessProblems, type OpenPage, tabTo } from '#support/browser/browser'
import { says } from '#support/browser/browserOfSuite'
import { cutOf, savedBy, studioSuite } from '#support/browser/studioSuite'
import { exiftool } from '#support/media/exiftool'
import { livePair } from '#support/media/livePair'
import { film, packetsOf } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { assert } from '#support/runner/suite'
import { bytesOf, formOf, post } from '../contract/http/requests'

// Several files at once in the studio.

const recorded = ['-metadata', 'creation_time=2024-05-06T10:00:00Z', '-g', '25']
const FILM = ['VID_0001.mp4', '640x360', 6, 'sound', recorded] as const
const { test, inBrowser, media, video, open, host } = await studioSuite('several files in the studio', FILM)

const rows = (page: OpenPage) => page.locator('.files li')
const state = (page: OpenPage, row: number) => rows(page).nth(row).locator('small').innerText()

async function download(page: OpenPage, press: () => Promise<unknown>): Promise<Buffer> {
  return readFile(await savedBy(media, page, press))
}

/** The coded pictures of a photo's clip, by their sizes and times. */
async function picturesOf(photo: Uint8Array) {
  const { clip } = readNow(inspect({ size: photo.length }), photo).photo
  const path = media.path('clip.mp4')
  await writeFile(path, photo.subarray(clip?.offset, (clip?.offset ?? 0) + (clip?.length ?? 0)))
  return packetsOf(path, 'v:0')
}

inBrowser(
  'photos are made of the middle of each, a bad one stops no other, and one ZIP has all',
  async () => {
    await mkdir(media.path('other'))
    const same = media.path('other/vid_0001.mp4')
    await writeFile(same, await readFile(video))
    const [notes, empty, photo] = ['notes.txt', 'empty.mp4', 'still.jpg'].map((name) => media.path(name))
    await writeFile(notes ?? '', 'this is no video')
    await writeFile(empty ?? '', '')
    await writeFile(photo ?? '', Uint8Array.of(0xff, 0xd8, 0xff, 0xd9))
    const page = await open(host().url)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''))
    await page.setInputFiles('input[type=file]', [notes ?? '', video, empty ?? '', same])
    await says(page, '4 files · 0 made')
    assert.match(await state(page, 0), /^cannot be made · The file is empty: /)
    await page.locator('.thumbnail img').nth(1).waitFor()
    await page.setInputFiles('input[type=file]', [photo ?? ''])
    await rows(page).nth(4).waitFor()

    await page.getByRole('button', { name: 'Make all' }).click()
    await says(page, '5 files · 2 made')
    await page.getByRole('button', { name: 'Try the failed ones again' }).waitFor()
    assert.is(await page.evaluate('document.activeElement.textContent'), '5 files · 2 made · 3 failed')
    // What failed is together, before all else.
    assert.match(await state(page, 0), /^cannot be made · .*video/)
    assert.match(await state(page, 2), /This is a photo: open it/)
    assert.equal([await state(page, 3), await state(page, 4)], ['made', 'made'])
    assert.is(sent.length, 2, 'only the notes are sent')

    const zip = unzipSync(
      await download(page, () => page.getByRole('button', { name: 'Download all' }).click()),
    )
    assert.equal(Object.keys(zip), ['VID_0001_3000ms_MP.jpg', 'vid_0001_3000ms-2_MP.jpg'])
    assert.is(await state(page, 4), 'downloaded')
    const range = { range_start: '1.5', range_end: '4.5', cover_time: '3', speed: '1' }
    const form = formOf(await readFile(video), 'file', { ...range, quality: 'source' })
    const expected = await picturesOf(await bytesOf(await post(host(), '/motion-photo', form)))
    for (const made of Object.values(zip)) assert.equal(await picturesOf(made), expected)
    assert.equal(page.complaints, [])
  },
)

inBrowser('a file of the list is opened, cut and gone back from; nothing is lost unasked', async () => {
  const page = await open(host().url)
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.type())
    void dialog.accept()
  })
  const other = await media.make('other.mp4', film('320x240', 1))
  await page.setInputFiles('input[type=file]', [video, other])
  const openFirst = page.getByRole('button', { name: 'Open VID_0001.mp4' })
  const back = page.getByRole('button', { name: 'Back to the list' })
  await openFirst.click()
  await page.locator('.timeline').waitFor()
  assert.is(await page.evaluate('document.activeElement.textContent'), 'VID_0001.mp4')
  assert.equal(await cutOf(page), [45, 90, 135])
  await page.getByRole('slider', { name: 'Start' }).press('PageUp')
  await page.getByLabel('Keep the sound').uncheck()
  await page.locator('.editor > .main').click()
  await page.locator('.result').waitFor()
  await back.click()
  assert.equal([await state(page, 0), await state(page, 1)], ['made', 'waiting'])

  await openFirst.click()
  await page.locator('.result').waitFor()
  assert.equal(await cutOf(page), [75, 90, 135])
  assert.is(await page.getByLabel('Keep the sound').isChecked(), false)
  await page.goBack()
  await back.waitFor({ state: 'detached' })
  assert.is(await state(page, 0), 'made')
  await openFirst.click()
  await page.getByRole('slider', { name: 'End' }).press('ArrowLeft')
  await back.click()
  assert.is(await state(page, 0), 'waiting', 'another cut is still to be made')

  await page.getByRole('button', { name: 'Make all' }).click()
  await says(page, '2 files · 2 made')
  await page.getByRole('button', { name: 'Clear the list' }).click()
  await page.getByRole('dialog', { name: '2 photos are not downloaded yet.' }).waitFor()
  await page.keyboard.press('Escape')
  assert.is(await rows(page).count(), 2)
  await page.getByRole('button', { name: 'Remove other.mp4 from the list' }).click()
  const saved = await download(page, () => page.getByRole('link', { name: 'Download VID_0001.mp4' }).click())
  const { clip: facts } = readNow(inspect({ size: saved.length }), saved)
  assert.equal([facts?.frames, facts?.hasAudio], [59, false])
  await page.getByRole('button', { name: 'Clear the list' }).click()
  await says(page, 'Drop a video here')
  await page.setInputFiles('input[type=file]', [video, other])
  await rows(page).nth(1).waitFor()
  await page.reload()
  assert.equal(questions, ['beforeunload'])
})

inBrowser('a list is worked through by the keyboard alone, in Chinese on a phone', async () => {
  const page = await open(host().url, { locale: 'zh-CN', viewport: { width: 360, height: 800 } })
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, '.drop button')
  await page.keyboard.press('Enter')
  await (await chooser).setFiles([video, await media.make('short.mp4', film('320x240', 1))])
  await says(page, '2 个文件 · 已生成 0 个')
  assert.equal(await accessProblems(page), [])
  await tabTo(page, '.editor button.main')
  await page.keyboard.press('Enter')
  await says(page, '2 个文件 · 已生成 2 个')
  await page.locator('.editor button.main').waitFor()
  assert.equal(await accessProblems(page), [])
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 360)
  await tabTo(page, '.editor button.main')
  const zip = await download(page, () => page.keyboard.press('Enter'))
  assert.is(Object.keys(unzipSync(zip)).length, 2)
})

inBrowser('a Live Photo’s two files are one row, and become one photo with its own still', async () => {
  const { photo, movie } = await livePair(media, 'IMG_1', video, '--end', '1', '--cover', '0.5')
  const broken = media.path('IMG_2_MP.jpg')
  await mustRunProgram([video, '-qo', broken, '--end', '1'])
  const bytes = await readFile(broken, 'latin1')
  const length = /(?<="video\/mp4"[^>]*Item:Length=")\d/s
  await writeFile(broken, bytes.replace(length, '0'), 'latin1')
  const page = await open(host().url)
  await page.setInputFiles('input[type=file]', [photo])
  await page.getByRole('button', { name: 'Add its video' }).waitFor()
  await page.setInputFiles('input[type=file]', [movie])
  await says(page, '1 file · 0 made')
  await page.setInputFiles('input[type=file]', [broken])
  await rows(page).nth(1).getByText('Other phones show a still').waitFor()
  assert.match(await rows(page).nth(0).innerText(), /IMG_1\.JPG \+ MOV/)
  await page.getByRole('button', { name: 'Make all' }).click()
  await says(page, '2 files · 2 made')
  assert.equal(await accessProblems(page), [])
  const whole = await download(page, () => page.getByRole('link', { name: 'Download IMG_1' }).click())
  const { clip, galleries } = readNow(inspect({ size: whole.length }), whole)
  assert.is(clip?.frames, 30)
  assert.ok(galleries.some(({ gallery, plays }) => gallery === 'samsung' && plays))
  const tags = (path: string) => exiftool('-s3', '-Model', '-GPSPosition', '-Rating', path)
  assert.is(String(await tags(media.path('IMG_1_MP.jpg'))), String(await tags(photo)))
  const fixed = await download(page, () => page.getByRole('link', { name: 'Download IMG_2' }).click())
  assert.ok(
    readNow(inspect({ size: fixed.length }), fixed).galleries.find(({ gallery }) => gallery === 'google')
      ?.plays,
  )
  assert.equal(page.complaints, [])
})

test.run()
