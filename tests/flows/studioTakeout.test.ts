import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { accessProblems, browserPath, type OpenPage, tabTo, WHY_NO_BROWSER } from '#support/browser/browser'
import { browserOfSuite, says } from '#support/browser/browserOfSuite'
import { serveStudio } from '#support/browser/serveStudio'
import { savedBy } from '#support/browser/studioSuite'
import { exiftool } from '#support/media/exiftool'
import { mediaFolderOfSuite } from '#support/media/media'
import {
  type Files,
  sampleExport,
  TAKEN,
  writeBadExport,
  writeFiles,
  YEAR,
} from '#support/media/sampleExport'
import { runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// Exports in the studio on a web server that takes nothing: the results are those of the command.

const test = suite('exports in the studio', { timeoutMs: 300_000 })
const inBrowser = test.skipUnless(browserPath, WHY_NO_BROWSER)
const media = await mediaFolderOfSuite()
const at = (...names: readonly string[]) => join(media.folder, ...names)
const { open, closing } = browserOfSuite(test)

let files: Files = new Map()
/** Digests of what the command makes, by their paths. */
let expected: Readonly<Record<string, string>> = {}

test.before(async () => {
  files = await sampleExport(media)
  await writeFiles(at('all'), files)
  await mkdir(at('parts'))
  const part = (number: number) => Object.fromEntries([...files].filter((_, i) => i % 3 === number))
  await writeFile(at('parts/takeout-20200902T000000Z-002.zip'), zipSync(part(0), { level: 0 }))
  await writeFile(at('parts/takeout-20200902T000000Z-001.zip'), zipSync(part(1), { level: 6 }))
  await writeFiles(at('third'), Object.entries(part(2)))
  execFileSync('tar', ['-czf', at('parts/takeout-20200902T000000Z-003.tgz'), '-C', at('third'), 'Takeout'])
  await runProgram(['takeout', at('all'), '--out', at('out')])
  const found = await readdir(at('out'), { recursive: true, withFileTypes: true })
  const paths = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const digests = paths.map(async (path) => [relative(at('out'), path), digestOf(await readFile(path))])
  expected = Object.fromEntries((await Promise.all(digests)).sort())
})

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The folder and the file that a person picks lie in the browser's own storage: nothing can press its dialogs. */
const PICKERS = `
  const root = navigator.storage.getDirectory()
  window.showDirectoryPicker = async () => (await root).getDirectoryHandle('picked', { create: true })
  delete window.showSaveFilePicker
`

const READ_PICKED = `(async () => {
  const found = []
  const walk = async (folder, before) => {
    for await (const [name, handle] of folder.entries()) {
      if (handle.kind === 'directory') await walk(handle, before + name + '/')
      else {
        const bytes = await (await handle.getFile()).arrayBuffer()
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
        found.push([before + name, [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')])
      }
    }
  }
  await walk(await (await navigator.storage.getDirectory()).getDirectoryHandle('picked'), '')
  return Object.fromEntries(found.sort())
})()`

async function openStudio(viewport = { width: 1000, height: 800 }): Promise<OpenPage> {
  const { server, url } = await serveStudio()
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const page = await open(url, { viewport })
  await page.evaluate(PICKERS)
  return page
}

const press = (page: OpenPage, name: string | RegExp) => page.getByRole('button', { name }).click()

/** What the preview counts. */
async function counts(page: OpenPage): Promise<Readonly<Record<string, string>>> {
  await page.locator('.counts').waitFor()
  const rows = await page.locator('.counts tr').allInnerTexts()
  return Object.fromEntries(rows.map((row) => row.split('\t')))
}

inBrowser('a folder is looked into and saved as one ZIP, by the keyboard and on a phone', async () => {
  const page = await openStudio({ width: 360, height: 740 })
  await page.getByRole('button', { name: /Google or iCloud/ }).press('Enter')
  await says(page, 'Nothing is uploaded')
  assert.equal(await accessProblems(page), [])
  await page.setInputFiles('.takeout input[name=folder]', at('all'))
  assert.equal(await counts(page), {
    Photos: '4',
    Videos: '1',
    'Photos with their clip beside them': '1',
    'Clips that are in their photo already': '1',
    'Equal files, kept once': '1',
    Albums: '1',
    'Files with dates, places and descriptions': '4',
    'Descriptions whose photo is missing': '1',
    'Other files, which are left out': '1',
  })
  assert.is(await page.evaluate('document.activeElement.textContent'), 'This looks like an export')
  assert.equal(await accessProblems(page), [])
  assert.is(await page.evaluate('document.documentElement.scrollWidth <= 360'), true)
  await tabTo(page, '.takeout .row:last-child button:nth-child(2)')
  const zip = await savedBy(media, page, () => page.keyboard.press('Enter'))
  await says(page, '5 files are saved')
  assert.equal(await accessProblems(page), [])
  assert.is(await page.evaluate('document.documentElement.scrollWidth <= 360'), true)
  const unzipped = Object.entries(unzipSync(await readFile(zip)))
  assert.equal(Object.fromEntries(unzipped.map(([path, bytes]) => [path, digestOf(bytes)]).sort()), expected)
  execFileSync('unzip', ['-qo', zip, '-d', at('unzipped')])
  const photo = at('unzipped', 'Sea_ 2020/plain(1).jpg')
  assert.is((await exiftool('-s3', '-Description', photo)).toString().trim(), 'At the sea')
  const modified = execFileSync('stat', ['-c', '%Y', photo]).toString()
  assert.is(Number(modified), TAKEN)
  assert.equal(page.complaints, [])
})

inBrowser(
  'the parts of an export go into a folder, the same again changes nothing, and words are Chinese',
  async () => {
    const page = await openStudio()
    await page.setInputFiles(
      'input[type=file]',
      (await readdir(at('parts'))).map((name) => at('parts', name)),
    )
    await says(page, 'This looks like an export')
    for (const round of [1, 2]) {
      await press(page, 'Save into a folder')
      await says(page, '5 files are saved')
      assert.equal(await page.evaluate(READ_PICKED), expected, `round ${round}`)
      const report = (await readFile(await savedBy(media, page, () => press(page, 'report')), 'utf8')).trim()
      const inputs = report.split('\n').map((line) => JSON.parse(line).input)
      assert.equal(inputs.sort(), [...files.keys()].sort())
      if (round === 2) continue
      await press(page, 'Close')
      await page.setInputFiles(
        'input[type=file]',
        (await readdir(at('parts'))).map((name) => at('parts', name)),
      )
      await says(page, 'This looks like an export')
    }
    await press(page, '中文')
    await says(page, '已保存 5 个文件')
    await press(page, '关闭')
    await page.setInputFiles('input[type=file]', at('parts/takeout-20200902T000000Z-002.zip'))
    await says(page, /缺少的导出分卷.*\(1\)/)
    assert.equal(page.complaints, [])
  },
)

inBrowser('pairs stay pairs and edited photos are chosen as wanted', async () => {
  const page = await openStudio()
  await press(page, /Google or iCloud/)
  await page.setInputFiles('.takeout input[name=folder]', at('all'))
  await page.getByLabel('Photos with a clip').selectOption('keptApart')
  await page.getByLabel('Edited photos').selectOption('originals')
  await page.getByLabel('Albums').selectOption('keywords')
  await page.getByRole('row', { name: 'Photos 3' }).waitFor()
  const zip = await savedBy(media, page, () => press(page, 'Save as one ZIP'))
  assert.equal(Object.keys(unzipSync(await readFile(zip))).sort(), [
    '2020/IMG_0001.JPG',
    '2020/IMG_0001.MP4',
    '2020/PXL_2.MP.jpg',
    '2020/film.mp4',
    '2020/plain(1).jpg',
  ])
})

inBrowser('what is wrong is named by what it is, and the rest is saved', async () => {
  const photo = files.get(`${YEAR}/plain(1).jpg`) ?? new Uint8Array()
  await writeBadExport(at('bad'), photo)
  const report = at('bad.jsonl')
  await runProgram(['takeout', at('bad'), '--out', at('bad-out'), '--report', report])
  const page = await openStudio()
  await press(page, /Google or iCloud/)
  await page.setInputFiles('.takeout input[name=folder]', at('bad'))
  await says(page, /^Encrypted.*\(1\)/)
  await says(page, /lead out of the export \(2\)/)
  await says(page, /cut or damaged.*\(1\)/)
  await savedBy(media, page, () => press(page, 'Save as one ZIP'))
  const own = await readFile(await savedBy(media, page, () => press(page, 'report')), 'utf8')
  const states = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ input, status }) => `${input.replace(/^bad\//, '')} ${status}`)
      .sort()
  assert.equal(states(own), states(await readFile(report, 'utf8')))
  assert.equal(page.complaints, [])
})

inBrowser('a stop keeps what is there, and the same again goes on', async () => {
  const many = at('many')
  const plain = files.get(`${YEAR}/plain(1).jpg`) ?? new Uint8Array()
  const numbered = Array.from({ length: 400 }, (_, i) => {
    const bytes = new Uint8Array([...plain, i & 0xff, i >> 8])
    return [`Photos from 2020/IMG_${String(i).padStart(4, '0')}.jpg`, bytes] as const
  })
  await writeFiles(many, numbered)
  const page = await openStudio()
  const begin = async () => {
    await press(page, /Google or iCloud/)
    await page.setInputFiles('.takeout input[name=folder]', many)
    await press(page, 'Save into a folder')
  }
  await begin()
  await page.getByText(/[1-9]\d* files saved so far/).waitFor()
  await press(page, 'Stop')
  await says(page, /^Stopped: \d+ files are saved/)
  const kept = Object.keys((await page.evaluate(READ_PICKED)) as object).length
  assert.ok(kept > 0 && kept < 400, `${kept} of 400`)
  await press(page, 'Close')
  await begin()
  await says(page, '400 files are saved')
  assert.is(Object.keys((await page.evaluate(READ_PICKED)) as object).length, 400)
})

inBrowser(
  'a folder of a few files may be made photos of instead, and a Live Photo in a ZIP is none',
  async () => {
    const page = await openStudio()
    await press(page, /Google or iCloud/)
    await mkdir(at('few'))
    await writeFile(at('few/film.mp4'), files.get(`${YEAR}/film.mp4`) ?? '')
    await page.setInputFiles('.takeout input[name=folder]', at('few'))
    await says(page, 'What is in this folder')
    await press(page, 'Make motion photos')
    await page.locator('.timeline').waitFor()
    await page.reload()
    const pair = ['IMG_0001.JPG', 'IMG_0001.MP4'].map((name) => [
      name,
      files.get(`${YEAR}/${name}`) ?? new Uint8Array(),
    ])
    await writeFile(at('pair.zip'), zipSync(Object.fromEntries(pair), { level: 0 }))
    await page.setInputFiles('input[type=file]', at('pair.zip'))
    await page.locator('.takeout, .problem, .timeline').first().waitFor()
    assert.is(await page.locator('.takeout').count(), 0)
  },
)

inBrowser('a folder that is dropped is looked into with all that lies in it', async () => {
  const page = await openStudio()
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [at('all/Takeout')], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data })
  assert.is((await counts(page)).Photos, '4')
  assert.is((await counts(page)).Albums, '1')
})

test.run()
